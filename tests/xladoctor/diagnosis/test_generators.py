"""An element of a generator that its signature does not allow, and the call that joined the two."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

DATA = """\
import tensorflow as tf


def clips():
    yield 1


def dataset():
    return tf.data.Dataset.from_generator(clips, output_signature=SIGNATURE)
"""
TRAIN = "import data\nmodel.fit(data.dataset())\n"
SAYS = "`generator` yielded an element of shape (9, 20) where an element of shape (11, 20) was expected."


class Sources:
    """The text of each file."""

    scripts = (Path("/w/train.py"),)
    cwd = Path("/w")

    def __init__(self, data: str) -> None:
        self.data = data

    def text(self, file, followed=False):
        return {"/w/train.py": TRAIN, "/w/data.py": self.data}.get(str(file)), ""


@pytest.mark.parametrize(
    ("data", "line", "place"),
    # Of two, blame follows the names: the generator of the later definition is the one that ran.
    [(DATA, 9, ""), (DATA + DATA, None, "/w/data.py:14"), ("", None, "/w/train.py:2")],
    ids=["one", "which of two", "none"],
)
def test_the_call_that_joined_them_is_suspected_if_there_is_one(tmp_path, monkeypatch, data, line, place):
    monkeypatch.setattr("xladoctor.recording.user_sources.UserSources.of", lambda folder: Sources(data))
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    folder = run.write(tmp_path / "run")
    (folder / "stderr.log").write_text(
        'Traceback (most recent call last):\n  File "/w/train.py", line 2, in <module>\n    model.fit(data.dataset())\n'
        f"tensorflow.python.framework.errors_impl.InvalidArgumentError: TypeError: {SAYS}\n"
    )
    root = scan_run(folder).root
    assert root is not None and root.slug == "contract-violation"
    assert root.details["generator"] == {"given": [9, 20], "promised": [11, 20]}
    remedies = {r.id: r.title for r in root.remedies}
    assert remedies["call-it-directly"].startswith("Run the generator by itself")
    if line is None:
        assert root.location is not None and root.location.place == place
        return
    assert (str(root.location), str(root.raised_at)) == ("/w/data.py:9 in dataset", "/w/train.py:2 in <module>")
    assert "axis 0 of the signature: an element has 9 there, not 11" in remedies["open-axis"]
