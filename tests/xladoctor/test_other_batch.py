"""A reshape for the batches of one call, in a call with batches of another size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.blame import other_batch
from xladoctor.blame.other_batch import with_other_batch
from xladoctor.model.diagnosis import Diagnosis, Finding, Location
from xladoctor.recording.run import read_run

SOURCE = """import tensorflow as tf

def folded(x, settings):
    b = settings["batch"]
    x = tf.reshape(x, (b, 4, 8))
    return tf.transpose(x, (0, 2, 1))

def flat(x):
    return tf.reshape(
        x, shape=[16, 32])

def open_one(x):
    return tf.reshape(x, (-1, 5, 8))
"""


class Sources:
    scripts = (Path("/w/train.py"),)

    def text(self, file, followed=False):
        return (SOURCE if str(file) == "/w/train.py" else None), ""


def line_of(tmp_path, monkeypatch, line, have, want, sizes=(16, 64), rows=640):
    """The line that is named for a reshape that failed at a line, in the second of two calls."""
    run = Run()
    for number, (method, size, ends) in enumerate(zip(("fit", "predict"), sizes, ("end", "failed"), strict=True)):
        common = {"call": number, "method": method, "batch_size": size, "rows_in": rows}
        run.event("call", phase="begin", **common)
        run.event("call", phase=ends, **common)
    monkeypatch.setattr(other_batch, "sources_of", lambda recording: Sources())
    root = Finding(
        code="XD301", slug="reshape-mismatch", level="error", role="root", title="", message="It fails.",
        location=Location("/w/train.py", line, "f"), details={"have": have, "want": want},
    )  # fmt: skip
    diagnosis = Diagnosis(source="", verdict="failing", findings=(root,))
    found = with_other_batch(diagnosis, read_run(run.write(tmp_path / "run"))).root
    if found is not root:
        assert "fit" in found.message and "predict" in found.message and found.remedies[0].id == "leave-batch-open"
        assert found.suspects[0].location == found.location and found.raised_at == root.location
    return found.location.line if found is not root else None


@pytest.mark.parametrize(("line", "named"), [(5, 4), (9, 9)])
def test_the_line_that_fixes_the_size_is_named(tmp_path, monkeypatch, line, named):
    assert line_of(tmp_path, monkeypatch, line, 64 * 32, 16 * 32) == named


@pytest.mark.parametrize(
    ("line", "have", "want", "given"),
    [
        (5, 64 * 32, 32 * 32, {}),  # another ratio
        (5, 64 * 32, 16 * 32, {"sizes": (16, 16)}),
        (5, 64 * 32, 16 * 32, {"sizes": (64, 16)}),
        (13, 64 * 32, 16 * 32, {}),  # the size of the batch is open
        (5, 64 * 32, 16 * 32, {"rows": 16}),  # both calls have one batch of 16
    ],
)
def test_another_mismatch_is_left_alone(tmp_path, monkeypatch, line, have, want, given):
    assert line_of(tmp_path, monkeypatch, line, have, want, **given) is None
