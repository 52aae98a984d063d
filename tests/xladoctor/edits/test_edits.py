"""Small edits of a source: what they change and what they leave, which come first, what a trial means."""

from __future__ import annotations

import ast
import subprocess
import time
from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.blame.constraints import Constraints, ordered
from xladoctor.diagnosis.edits import edits_of, with_edits
from xladoctor.edits.facts import Facts, facts_of
from xladoctor.edits.make import MOST, candidates
from xladoctor.edits.text import Text, unified
from xladoctor.experiments.edits import outcome_of
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Diagnosis, Finding, Location
from xladoctor.recording.run import read_run

FILE = Path("/w/train.py")
MODEL = """\
# Träume  \N{FORM FEED}
from tensorflow.keras.layers import Dense, LSTM
import keras, numpy as np
import tensorflow as tf

model = keras.Sequential([
    keras.Input(shape=(28, 28)),
    Dense( 10,   activation = "softmax"),   # keep me
])
model.compile(loss = 'categorical_crossentropy')
model.fit(x, y, epochs=10)
"""


def made(source, line=None, **facts):
    """The edits of a source; `line` is the one that is suspected."""
    near = {(str(FILE), line): 0.0} if line else {}
    text = Text(FILE, source)
    return [(c, c.applied(source)) for c in candidates([text], Facts(lines=near, **facts))]


def news(source, line=None, **facts):
    return [c.new for c, _ in made(source, line, **facts)]


def test_the_shape_of_a_weight_is_a_guess_and_that_of_an_input_is_not():
    """An input is declared as the data have it; a weight has its shape for a reason."""
    known = {"sizes": (30, 4), "shapes": ((4, 30), (30, 4))}
    [weight] = [c for c, _ in made("w = self.add_weight(shape=(heads, steps))\n", 1, **known) if "(30, 4)" in c.new]
    declared = next(c for c, _ in made("x = keras.Input(shape=(4,))\n", 1, **known) if "(30,)" in c.new)
    assert declared.cost < 3 < weight.cost and "data" not in weight.why


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("b = tf.stack([a, a], axis=1)", "b = tf.concat([a, a], axis=1)"),
        ("b = tf.concat([a, a], axis=1)", "b = tf.stack([a, a], axis=1)"),
        ("b = np.stack([a, a], axis=1)", "b = np.concatenate([a, a], axis=1)"),
        ("b = keras.ops.stack([a, a], axis=1)", "b = keras.ops.concatenate([a, a], axis=1)"),
    ],
)
def test_arrays_are_joined_otherwise_by_a_name_that_the_module_has(line, new):
    found = news(f"{line}\n", 1, sizes=(2, 3), shapes=((2, 3),), message="axis rank")
    assert new in found and not any("tf.concatenate" in one for one in found)


def test_only_what_is_changed_changes():
    found = made(MODEL, 8, sizes=(10, 28), shapes=((None, 28, 28), (10,)), message="target labels rank ndim")
    assert len(found) > 5
    for one, after in found:
        ast.parse(after)
        differ = [(a, b) for a, b in zip(MODEL.split("\n"), after.split("\n"), strict=False) if a != b]
        assert differ, one
        assert after.startswith("# Träume  \f\n"), "text that is not ASCII, and a form feed, shift nothing"
        assert "epochs=10" in after, "how long it trains is no size"
    [flat] = [after for c, after in found if c.kind == "flatten" and c.why.startswith("flatten")]
    assert '    Flatten(),\n    Dense( 10,   activation = "softmax"),   # keep me\n' in flat
    assert "import Dense, LSTM\nfrom tensorflow.keras.layers import Flatten\n" in flat, "with its import"
    [sparse] = [after for c, after in found if c.kind == "sparse-loss"]
    assert "loss = 'sparse_categorical_crossentropy'" in sparse


@pytest.mark.parametrize(
    ("source", "facts", "new"),
    [
        ("y = tf.matmul(a, w)", {"slug": "matmul-conv-mismatch"}, "y = tf.matmul(a, w, transpose_b=True)"),
        ("y = a @ w.T", {"slug": "matmul-conv-mismatch"}, "y = a @ w"),
        ("d = d.batch(32)", {"sizes": (6, 32)}, "d = d.batch(32, drop_remainder=True)"),
        ("d = d.batch(\n  32,\n)", {"sizes": (6, 32)}, "32, drop_remainder=True,"),
        ("h = LSTM(8)(h)", {"message": "expected ndim=3, found ndim=2"}, "h = LSTM(8, return_sequences=True)(h)"),
        ("h = Conv2D(8, 3)(h)", {"message": "Negative dimension size"}, 'h = Conv2D(8, 3, padding="same")(h)'),
        ("z = tf.concat([a, b], axis=1)", {"slug": "concat-pack-mismatch"}, "z = tf.concat([a, b], axis=0)"),
        ("z = tf.reshape(x, [8, 20])", {"slug": "reshape-mismatch", "sizes": (6, 8)}, "z = tf.reshape(x, [-1, 20])"),
        ("w = tf.zeros([3, 7])", {"sizes": (7, 9)}, "w = tf.zeros([3, 9])"),
        ("a = Input(shape=(3, 32, 32))", {"shapes": ((None, 32, 32, 3),)}, "a = Input(shape=(32, 32, 3))"),
        ("p = model.predict(x)", {"message": "expected ndim=4, found ndim=3"}, "p = model.predict(x[None])"),
        ("a, b, c, d = train_test_split(x, y)", {}, "a, c, b, d = train_test_split(x, y)"),
        (
            "model.fit(x, t)",
            {"message": "Data cardinality is ambiguous", "locals": {"x": (8, 2), "t": (3,), "y": (8,)}},
            "model.fit(x, y)",
        ),
    ],
)  # fmt: skip
def test_the_likeliest_edit(source, facts, new):
    assert news(source, 1, **facts)[0] == new


def test_what_a_suspect_names_comes_first_and_only_where_it_stands_once():
    place = Location(str(FILE), 1)
    suspect = Suspect(place, "", "", edit="units", old="(7)", new="(9)")
    assert news("d = Dense(7)(x)", 1, suspects=(suspect,))[0] == "d = Dense(9)(x)"
    assert news("d = f(7) + f(7)", None, suspects=(suspect,)) == []


def test_no_edit_of_what_has_nothing_to_do_with_shapes():
    assert news("import os\nprint(os.name)\n", 2, sizes=(3, 4)) == []


def test_a_patch_can_be_applied(tmp_path):
    before = "a = 1\nb = 2"
    (tmp_path / "m.py").write_text(before)
    diff = unified("m.py", before, "a = 1\nb = 3")
    subprocess.run(["git", "apply", "-"], input=diff, cwd=tmp_path, text=True, check=True)
    assert (tmp_path / "m.py").read_text() == "a = 1\nb = 3"


def rehearsal(tmp_path, message=None, **outcome):
    run = Run(outcome={"state": "exited", "code": 1 if message else 0, "probes": "recorded", **outcome})
    if message:
        common = {"failure": 1, "exception": "ValueError", "message": message}
        run.event("failure", state="raised", module="m", frames=[], during="a call", **common)
        run.event("failure", state="uncaught", **common)
    return read_run(run.write(tmp_path / "run"))


FAILED = {"exception": "ValueError", "message": "Shapes (3,) and (4,) are incompatible"}


@pytest.mark.parametrize(
    ("message", "outcome", "result"),
    [
        (None, {}, "ran"),
        ("Shapes (5,) and (4,) are incompatible", {}, "same"),
        ("logits and labels must be broadcastable", {}, "moved"),
        (None, {"code": 3}, "moved"),
        (None, {"state": "timed-out", "code": None}, "not-tried"),
        (None, {"state": "signalled", "code": None, "signal": "SIGSEGV"}, "moved"),
    ],
)
def test_what_a_trial_means(tmp_path, message, outcome, result):
    found, said = outcome_of(rehearsal(tmp_path, message, **outcome), FAILED)
    assert found == result
    assert ("no failure" in said) == (result == "ran")


def test_a_trial_that_moved_the_failure_says_which_it_is_now(tmp_path):
    message = (
        'Graph execution error:\n\nDetected at node a defined at:\n  File "a.py", line 2\n\nNot the same.\n\t [[a]]'
    )
    assert outcome_of(rehearsal(tmp_path, message), FAILED)[1] == "it fails in another way: ValueError: Not the same"


def test_an_edit_that_loses_rows_does_not_rank(tmp_path):
    run = Run()
    run.event("call", phase="end", call=1, method="predict", model="m", rows_in=8, rows_out=[1], shapes_out=[[1, 3]],
              batch_size=4, capsule=None)  # fmt: skip
    assert outcome_of(read_run(run.write(tmp_path / "run")), FAILED)[0] == "moved"


def test_only_edits_that_run_are_remedies():
    row = {"file": "m.py", "line": 3, "kind": "units", "old": "a", "new": "b", "why": "give it 1 unit", "diff": "",
           "said": "it ran, no failure"}  # fmt: skip
    document = {"edits": [{**row, "result": r} for r in ("moved", "ran", "same", "ran")] + [{"file": 3}, None]}
    finding = Finding("XD307", "keras-input-mismatch", "error", "root", "t", "m")
    [found] = with_edits(Diagnosis("s", "failed", (finding,)), edits_of(document)).findings
    assert [r.result for r in found.remedies] == ["verified", "verified"]
    assert len(found.details["edits"]) == 4
    assert "4 edits tried" in found.evidence[0].text and "only you know" in found.evidence[0].text


def test_a_large_source_has_a_bound():
    parts = [
        f"def f{i}(x, n=32):\n    y = tf.reshape(x, [{i % 60}, 32, n])\n    return y @ x[{i}:] + 6\n"
        for i in range(600)
    ]
    source = "import tensorflow as tf\n" + "".join(parts)
    started = time.process_time()
    found = made(source, 30, sizes=(6, 32), shapes=((6, 32), (32, 32)), slug="reshape-mismatch")
    assert len(found) == MOST
    assert time.process_time() - started < 20


def test_an_axis_of_a_target_that_is_left_open_changes_no_numbers():
    found = [c for c, _ in made("import tensorflow as tf\ny = tf.reshape(x, [4, 6])\n", 2, slug="reshape-mismatch")]
    assert {e.why for e in found if e.safe} == {"leave axis 0 of the target open", "leave axis 1 of the target open"}


def test_numbers_of_elements_are_no_sizes_to_write():
    """A reshape of 6144 elements to 5760: no width becomes 6144, but one that divides is tried."""
    finding = Finding("XD3", "reshape-mismatch", "error", "root", "t", "m", dims=(6144, 5760))
    facts = facts_of(finding, {"message": "a tensor with 6144 values, but the requested shape has 5760", "frames": []})
    assert facts.elements == (6144, 5760)
    assert not {6144, 5760} & set(facts.sizes)
    written = news("HEADS = 6\n", 1, elements=(6144, 5760))
    assert "HEADS = 8" in written and not any("6144" in new for new in written)
    assert "MAP = 4" in news("MAP = 3\n", 1, elements=(4 * 4 * 8, 3 * 3 * 8))


def test_the_rows_of_both_shapes_are_no_size_to_write():
    finding = Finding("XD3", "keras-input-mismatch", "error", "root", "t", "m", dims=(16, 7))
    said = "Arguments `target` and `output` must fit. Received: target.shape=(16, 5), output.shape=(16, 7)"
    assert set(facts_of(finding, {"message": said, "frames": []}).sizes) == {5, 7}
    other = "Incompatible shapes: (16, 7) and (12, 7)"
    assert {16, 12} <= set(facts_of(finding, {"message": other, "frames": []}).sizes)


def test_a_count_in_one_direction_is_squared():
    assert "return (self.image // self.patch) ** 2" in news(
        "def count(self):\n    return self.image // self.patch\n", 2, sizes=(17, 5)
    )


def test_a_stride_of_one_may_be_a_multiple():
    assert "x = Conv2DTranspose(8, 5, strides=2)(x)" in news(
        "x = Conv2DTranspose(8, 5, strides=1)(x)\n", 1, sizes=(14, 28)
    )
    assert "x = Dense(2)(x)" not in news("x = Dense(1)(x)\n", 1, sizes=(14, 28))


def test_what_a_suspect_proposes_is_tried_first_where_it_was_followed():
    source = "count = size // patch\nwidth = 5\n"
    suspect = Suspect(Location(str(FILE), 1), "count = size // patch", "why", edit="other", old="//", new="%")
    text = Text(FILE, source)
    found = candidates([text], Facts(lines={(str(FILE), 1): 0.5}, sizes=(17, 5), suspects=(suspect,)))
    own = next(c for c in found if c.followed)
    assert own.new == "count = size % patch"
    constraints = Constraints({FILE: text}, Facts(sizes=(17, 5)), str(FILE), lambda name: None)
    assert ordered(found, constraints)[0] is not None
    assert ordered(found, constraints)[0].followed


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("y = tf.transpose(x, [1, 0])", "y = tf.transpose(x, [1, 0, 2])"),
        ("y = tf.transpose(x, perm=(1, 0))", "y = tf.transpose(x, perm=(1, 0, 2))"),
        ("y = np.squeeze(x)", "y = np.squeeze(x, axis=-1)"),
        ("y = x.squeeze()", "y = x.squeeze(axis=0)"),
        ("H = tf.constant([1.0, 0.0])", "H = tf.constant([[1.0, 0.0]])"),
        ("H = tf.constant([1.0, 0.0])", "H = tf.constant([[1.0], [0.0]])"),
    ],
)
def test_edits_of_the_number_of_axes(line, new):
    known = {"slug": "rank-mismatch", "sizes": (3, 2)}
    assert new in news(f"{line}\n", 1, **known)
    assert new not in news(f"{line}\n", 1, slug="concat-pack-mismatch", sizes=(3, 2))
