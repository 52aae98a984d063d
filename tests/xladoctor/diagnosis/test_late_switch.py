"""A failure in the code that a switch chose, where the switch was set after it had been read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

SHIFT = """\
import os

_WAY = os.environ.get("SHIFT", "").lower()


def _plain(x):
    return tf.raw_ops.Reshape(tensor=x, shape=[3])


def _fast(x):
    return x


def shift(x):
    way = _fast if _WAY == "fast" else _plain
    return way(x)


def other(x):
    return tf.reshape(x, [3])
"""
STUDY = 'import os\nfrom pkg import shift\nos.environ["SHIFT"] = "fast"\nshift.shift(x)\n'
MESSAGE = "Input to reshape is a tensor with 4 values, but the requested shape has 3"


class Sources:
    """One text for each file."""

    scripts = (Path("/w/study.py"),)
    cwd = Path("/w")

    def text(self, file, followed=False):
        return (SHIFT if str(file) == "/w/pkg/shift.py" else STUDY), ""


def frame(file, line, function="<module>"):
    return {"file": file, "line": line, "function": function, "user": True}


@pytest.mark.parametrize(
    ("failed", "written", "suspected"),
    [((7, "_plain"), "fast", ("/w/study.py", 3)), ((20, "other"), "fast", None), ((7, "_plain"), "slow", None)],
    ids=["in the code that it chose", "elsewhere", "the same decision"],
)
def test_the_line_that_set_it_comes_first(tmp_path, monkeypatch, failed, written, suspected):
    monkeypatch.setattr("xladoctor.recording.user_sources.UserSources.of", lambda folder: Sources())
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.event("setting", store="env", key="SHIFT", action="read", value=None, where=frame("/w/pkg/shift.py", 3), site=1)
    run.event("setting", store="env", key="SHIFT", action="write", value=written, where=frame("/w/study.py", 3))
    frames = [frame("/w/study.py", 4), frame("/w/pkg/shift.py", *failed)]
    run.event("failure", failure=1, state="raised", exception="InvalidArgumentError", message=MESSAGE,
              during="program", frames=frames, chain=[], capsule=None)  # fmt: skip
    run.event("failure", failure=1, state="uncaught", exception="InvalidArgumentError")
    root = scan_run(run.write(tmp_path / "run")).root
    assert root.slug == "reshape-mismatch"
    if suspected is None:
        assert all("SHIFT" not in s.reason for s in root.suspects)
        return
    assert (root.location.file, root.location.line) == suspected
    assert (root.raised_at.line, root.suspects[0].likeliness) == (failed[0], "likely")
    assert root.remedies[0].id == "set-earlier"
