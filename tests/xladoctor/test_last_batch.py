"""The last, smaller batch as the cause: a fact of the run decides, lint alone makes it likely."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.blame.last_batch import judged
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Finding, Location, Remedy
from xladoctor.recording.run import read_run
from xladoctor.sources.source import parse

PINNED = "import tensorflow as tf\nB = 32\nd = d.batch(B)\n\ndef f(x):\n    return tf.reshape(x, [B, 4])\n"


def finding(one=(6, 4), other=(32, 4), slug="broadcast-mismatch", **details):
    details = details or {"shapes": [list(one), list(other)]}
    return Finding("XD301", slug, "error", "root", "t", "It fails.", details=details)


def call(tmp_path, rows=70, size=32, **fields):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    common = {"call": 1, "method": "fit", "model": "m", "rows_in": rows, "batch_size": size}
    run.event("call", phase="begin", where=None, **common, **fields)
    run.event("call", phase="failed", capsule=None, **common)
    return read_run(run.write(tmp_path / "run"))


def local(name, *shape):
    return {"frames": [{"user": True, "tensors": [{"name": name, "shape": list(shape)}]}]}


def of(recording, source="", failure=None, **given):
    return judged(finding(**given), recording, failure, [parse(source, "/w/train.py")] if source else [])


@pytest.mark.parametrize(
    ("fields", "given", "rows"),
    [
        ({}, {}, 70),
        (
            {"rows": 100, "size": 20, "validation_split": 0.3, "validation_rows": 30},
            {"one": (10, 6), "other": (20, 6)},
            70,
        ),
        ({"rows": 80, "size": 20, "validation_rows": 33}, {"one": (13, 6), "other": (20, 6)}, 33),
        ({}, {"have": 6 * 48, "want": 32 * 48}, 70),
    ],
)
def test_a_recorded_call_decides(tmp_path, fields, given, rows):
    found = of(call(tmp_path, **fields), **given)
    assert (found.details["last_batch"]["rows"], found.details["last_batch"]["recorded"]) == (rows, True)
    assert "The last batch has" in found.message and found.remedies[0].id == "drop-remainder"


@pytest.mark.parametrize(
    ("fields", "given"),
    [
        ({"rows": 64}, {}),
        ({"rows": 71}, {}),
        ({"rows": 6}, {}),
        ({}, {"one": (8, 6), "other": (8, 32)}),
        ({}, {"one": (6, 32), "other": (32, 6), "slug": "matmul-conv-mismatch"}),
    ],
)
def test_sizes_that_have_nothing_to_do_with_batches(tmp_path, fields, given):
    recording = call(tmp_path, **fields)
    if given.get("slug"):
        from xladoctor.blame.last_batch import with_last_batch
        from xladoctor.model.diagnosis import Diagnosis

        diagnosis = Diagnosis("s", "failed", (finding(**given),))
        assert with_last_batch(diagnosis, recording) == diagnosis
    else:
        assert of(recording, **given) == finding(**given)


def test_what_a_worker_ran_is_known_better(tmp_path):
    found = of(call(tmp_path), have=18, want=12, failing_batch=6)
    assert (found.details["last_batch"]["left"], found.location, found.message) == (6, None, "It fails.")
    (tmp_path / "other").mkdir()
    assert of(call(tmp_path / "other", rows=64), have=18, want=12, failing_batch=6).details.get("last_batch") is None


def test_an_array_beside_the_line_and_the_line_of_the_batches(tmp_path):
    recording = read_run(Run().write(tmp_path / "run"))
    found = of(recording, PINNED, local("data", 70, 4))
    assert (found.location.line, found.suspects[0].likeliness) == (3, "likely")
    assert [s.location.line for s in found.suspects] == [3, 6], "the stage, then what fixes the size"
    assert [r.id for r in found.remedies] == ["pad-last-batch", "drop-remainder"], "a size that is fixed can be taken"
    assert found.remedies[0].title == "train.py:6: take the number of rows from the data"
    sliced = "size = 5\nfor i in range(0, 23, size):\n    b = x[i:i + size]\n"
    found = of(recording, sliced, local("x", 23, 8), one=(5, 3), other=(3, 3))
    assert (found.location.line, found.details["last_batch"]["left"]) == (3, 3)
    assert of(recording, "x = 1\n", local("data", 70, 4)) == finding(), "nothing makes batches"


def test_a_factor_of_both_sizes_is_no_batch_size_where_none_is_written(tmp_path):
    """16 and 8 are 2 and 1 times 8, and 97 rows in batches of 2 would leave 1: that says nothing."""
    recording = read_run(Run().write(tmp_path / "run"))
    source = "model.fit(x, y, batch_size=settings.get('batch'))\n"
    given = {"one": (16, 16), "other": (8, 8)}
    assert of(recording, source, local("total", 97, 97), **given) == finding(**given)


CONTRASTED = """\
import tensorflow as tf
SIZE = 32
data = data.batch(SIZE)
noise = tf.random.normal([SIZE, 8])
labels = tf.range(SIZE)
"""


def test_rows_of_logits_and_labels_and_a_tensor_that_comes_of_no_data(tmp_path):
    """The source was followed to the batches already: what fixes their size comes second. Noise is no suspect."""
    batches = Suspect(Location("/w/train.py", 3), "", "70 rows leave 6 for the last one.", "likely")
    given = replace(
        finding(slug="keras-input-mismatch", row_counts=[6, 32], batching=[70, 32]), suspects=(batches,)
    )  # fmt: skip
    found = judged(given, call(tmp_path, rows=None, size=None), None, [parse(CONTRASTED, "/w/train.py")])
    assert found.details["last_batch"]["left"] == 6
    assert [(s.location.line, s.reason) for s in found.suspects[1:]] == [(5, "tf.range fixes the size 32.")]


def test_what_lint_says_alone_is_likely(tmp_path):
    recording = read_run(Run().write(tmp_path / "run"))
    found = of(recording, PINNED)
    assert found.message.endswith("/w/train.py:3 in <module>.") and "Likely the last batch" in found.message
    assert (found.details["last_batch"]["recorded"], found.suspects[0].likeliness, found.location) == (
        False, "possible", None,
    )  # fmt: skip
    dropped = PINNED.replace("batch(B)", "batch(B, drop_remainder=True)")
    assert of(recording, dropped) == finding()


def test_what_the_source_was_followed_to_makes_it_likely_and_a_factor_of_two_sizes_is_no_advice(tmp_path):
    agree = Remedy("make-sizes-agree", "Make the target hold 24 elements", "safe", "32 is 8 times 4.")
    given = replace(finding(have=4 * 48, want=32 * 48, batching=[100, 32]), remedies=(agree,))
    found = judged(given, call(tmp_path, rows=None, size=None), None, [])
    assert found.details["last_batch"] == {"size": 32, "left": 4, "rows": 100, "recorded": False}
    assert [r.id for r in found.remedies] == ["drop-remainder", "pad-last-batch"]
    assert "100 rows in batches of 32 leave 4" in found.message
    other = judged(finding(have=5 * 48, want=32 * 48, batching=[100, 32]), call(tmp_path / "b", rows=None), None, [])
    assert "last_batch" not in other.details


BUFFER = """import numpy as np

class Data:
    def __getitem__(self, i):
        part = slice(i * self.batch, (i + 1) * self.batch)
        out = np.zeros((ROWS, 20), "float32")
        out[:] = self.x[part]
        return out
"""


@pytest.mark.parametrize(("rows", "first"), [("self.batch", 6), ("len(self.x[part])", 5)])
def test_an_array_of_whole_batches_comes_before_the_slice(tmp_path, rows, first):
    raised = replace(finding(), location=Location("/w/train.py", 7, "Data.__getitem__"))
    recording, source = call(tmp_path), parse(BUFFER.replace("ROWS", rows), "/w/train.py")
    found = judged(raised, recording, None, [source])
    assert found.location.line == first and found.raised_at.line == 7
    elsewhere = replace(raised, location=Location("/w/train.py", 7, "other"))
    assert judged(elsewhere, recording, None, [source]).location.line == 5
