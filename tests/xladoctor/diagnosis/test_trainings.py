"""What is said of trainings that leave something idle, come too late, or get the wrong thing."""

from __future__ import annotations

import ast

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import frozen_layers, idle, loss_inputs, misdirected, row_source
from xladoctor.recording.run import read_run
from xladoctor.sources.source import parse

PROGRAM = """
model = build()
loss_fn = SparseCategoricalCrossentropy()
model.compile(
    "adam",
    loss="binary_crossentropy",
)
model.fit(x, y)


def step(x, y):
    with tf.GradientTape() as tape:
        value = loss_fn(y, model(x))
    grads = tape.gradient(value, model.trainable_variables)
"""


def at(line):
    return {"file": "main.py", "line": line, "function": "<module>"}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of a program, and what is said of it by a function."""
    made = Run()

    def say(maker, text=PROGRAM):
        tree = {"main.py": ast.parse(text)}
        for module in (frozen_layers, idle, loss_inputs):
            monkeypatch.setattr(module, "source_of", lambda recording, file: parse(text, file))
        for module in (idle, row_source):
            monkeypatch.setattr(module, "program_of", lambda recording: tree)
        return list(maker(read_run(made.write(tmp_path / f"run{len(list(tmp_path.iterdir()))}"))))

    made.say = say
    return made


LATE = {"layer": "encoder", "variables": ["encoder/kernel"], "count": 1}


def test_a_layer_that_was_frozen_too_late_is_told_at_the_line_that_froze_it(run):
    run.event("trainable", what="frozen", model="net", where=at(3), used=at(8), **LATE)
    run.event("trainable", what="thawed", model="net", where=None, used=at(9), **LATE)
    found = run.say(frozen_layers.trainable_too_late)
    assert [(f.slug, f.level, f.status, f.location.line) for f in found] == [
        ("setting-too-late", "warning", "confirmed", 3),
        ("setting-too-late", "warning", "confirmed", 9),
    ]
    assert "fit of net (main.py:8 in <module>) changed the values of `encoder/kernel`" in found[0].message
    assert [r.id for r in found[0].remedies] == ["compile-again"]


def test_what_another_model_or_the_program_itself_may_have_moved_is_not_told(run):
    run.event("trainable", what="frozen", model=None, where=at(3), used=None, **LATE)
    assert len(run.say(frozen_layers.trainable_too_late)) == 1
    assert run.say(frozen_layers.trainable_too_late, PROGRAM + "\nencoder.set_weights(best)\n") == []
    run.event("model", action="compile", name="gan", where=at(4))
    assert run.say(frozen_layers.trainable_too_late) == []


def test_weights_that_were_written_before_the_training_are_told_where_they_were_written(run):
    run.event("left-out", what="saved-early", layer="first", variables=["kernel"], where=at(6), instead="second")
    [found] = run.say(frozen_layers.trainable_too_late)
    assert (found.slug, found.level, found.status, found.location.line) == (
        "setting-too-late", "warning", "confirmed", 6,
    )  # fmt: skip
    assert found.title == "`second` gets the weights that `first` had before its training"
    assert [r.id for r in found.remedies] == ["save-after-fit"]


HELD = """class Hill(Layer):
  def build(self, shape):
    self.slope = tf.Variable(1.0)
    self.low = tf.Variable(0.0)
"""


@pytest.mark.parametrize(
    ("reads", "line"), [("self.slope * x", 3), ("self.slope * x + self.low", 6), ("slope(self)", 6)]
)
def test_a_variable_that_keras_does_not_know_is_told_where_it_is_made(run, reads, line):
    run.event("left-out", what="plain", layer="hill/slope:0", variables=["hill/slope:0"], where=at(6))
    text = HELD + f"  def call(self, x):\n    return {reads}\n"
    [found] = run.say(frozen_layers.trainable_too_late, text)
    assert (found.slug, found.level, found.status, found.location.line) == ("no-gradient", "warning", "confirmed", line)
    assert [r.id for r in found.remedies] == ["add-weight"]


def test_weights_that_are_called_those_of_the_start_are_meant(run):
    run.event("left-out", what="saved-early", layer="first", variables=["kernel"], where=at(1), instead="second")
    assert run.say(frozen_layers.trainable_too_late, "net.save_weights(folder / 'start.weights.h5')\n") == []
    assert len(run.say(frozen_layers.trainable_too_late, "net.save_weights(folder / 'best.weights.h5')\n")) == 1


def test_batch_normalisation_that_did_nothing_is_told_at_the_call_under_the_tape(run):
    run.event("idle-layer", what="batch-normalization", layers=["norm"], count=1, of=1, made=at(2))
    run.event("idle-layer", what="dropout", layers=["drop"], count=1, of=1, made=at(2))
    [found] = run.say(idle.idle_parts)
    assert (found.slug, found.status, found.location.line, found.location.function) == (
        "dead-switch", "confirmed", 13, "step",
    )  # fmt: skip
    assert "The call under the tape has no `training`" in found.message
    given = PROGRAM.replace("model(x)", "model(x, training=False)")
    assert "has training=False" in run.say(idle.idle_parts, given)[0].message
    assert run.say(idle.idle_parts, PROGRAM.replace("model(x)", "model(x, training=True)")) == []
    assert run.say(idle.idle_parts, "model.fit(x, y)") == []


def test_batch_normalisation_in_training_mode_after_the_training(run):
    run.event("idle-layer", what="after-training", layers=["norm"], count=1, of=1, made=at(1))
    [found] = run.say(idle.idle_parts, "scores = model(x, training=True)")
    assert (found.slug, found.status, found.location.line) == ("dead-switch", "confirmed", 1)
    assert len(run.say(idle.idle_parts, "print(float(model(x, training=True)))")) == 1
    assert run.say(idle.idle_parts, "model(x, training=True)") == []  # for the statistics alone


@pytest.mark.parametrize(
    ("line", "function", "told"),
    [(4, "evaluate", [4]), (6, "evaluate", []), (4, "reestimate_bn", [])],
)
def test_a_call_of_the_program_hands_on_what_it_was_told(run, line, function, told):
    text = """class Net(Model):
    def call(self, x, training=False):
        return self.norm(x, training=training)
scores = net(x, training=True)
for batch in batches:
    net(batch, training=True)
"""
    above = [{**at(line), "function": function}]
    run.event(
        "idle-layer", what="after-training", layers=["norm"], count=1, of=1,
        made={**at(3), "function": "Net.call"}, frames=above,
    )  # fmt: skip
    assert [found.location.line for found in run.say(idle.idle_parts, text)] == told


def test_a_metric_is_told_where_it_was_chosen(run):
    text = "model = build()\nmodel.compile(\n 'adam',\n loss(),\n metrics=[\n m.AUC(),\n m.MeanIoU(2)])\n"
    run.event("model", action="compile", name="net", where=at(2))
    for what, metric in (("logits", "AUC"), ("cut", "MeanIoU")):
        run.event("loss-input", what=what, loss=metric, op="BiasAdd", where=at(8), frames=[])
    run.event("loss-input", what="alone", loss="categorical_crossentropy", op=None, where=at(8), frames=[])
    found = run.say(
        loss_inputs.loss_inputs, text + "model.fit(x, y)\ndef loss():\n    return Entropy(\n  from_logits=True)"
    )
    assert [(f.location.line, [r.id for r in f.remedies]) for f in found] == [
        (6, ["say-logits"]), (7, ["metric-of-classes"]), (11, ["sigmoid-of-one"]),
    ]  # fmt: skip
    assert "each one below 1 counts as class 0" in found[1].message and "is 0 for every row" in found[2].title


def test_an_optimizer_for_each_step_is_told(run):
    run.event("turnover", optimizer="Adam", optimizers=20, steps=20, where=at(5))
    [found] = run.say(idle.idle_parts)
    assert (found.slug, found.location.line) == ("dead-switch", 5)
    assert "20 optimizers of this kind in 20 steps" in found.message


def test_a_loss_is_told_where_it_was_chosen(run):
    run.event("model", action="compile", name="net", where=at(4))
    run.event("loss-input", what="logits", loss="binary_crossentropy", op="BiasAdd", where=at(8), frames=[])
    run.event("loss-input", what="logits", loss="sparse_categorical_crossentropy", op=None, least=-3.0, most=2.0,
              where=at(13), frames=[])  # fmt: skip
    run.event("loss-input", what="probabilities", loss="softmax_cross_entropy_with_logits", op="Softmax", where=at(9),
              frames=[])  # fmt: skip
    found = run.say(loss_inputs.loss_inputs)
    assert [(f.location.line, [r.id for r in f.remedies]) for f in found] == [
        (6, ["say-logits"]),
        (3, ["say-logits"]),
        (9, ["one-activation"]),
    ]
    assert "values from -3 to 2" in found[1].title and "It was called at main.py:13" in found[1].message


def test_settings_that_say_something_else(run):
    run.event("misnamed", name="lr", meant="learning_rate", of="Adam", where=at(5))
    run.event("monitor", callback="EarlyStopping", wanted="val_accuracy", reported=[], mode="min", least=0.5, most=0.9,
              made=at(4), where=at(8))  # fmt: skip
    run.event("monitor", callback="ModelCheckpoint", wanted="val_skill", reported=[], mode="min", loss="val_loss",
              least=0.1, most=0.4, epochs=6, made=at(4), where=at(8))  # fmt: skip
    for call, epochs in enumerate((3, 0), 1):
        common = {"method": "fit", "call": call, "model": "net"}
        run.event("call", phase="begin", epochs=3, where=at(7 + call), **common)
        run.event("call", phase="end", epochs_run=epochs, **common)
    found = run.say(idle.idle_parts)
    assert [(f.slug, f.location.line, f.details["kind"]) for f in found] == [
        ("dead-switch", 4, "mode"),
        ("dead-switch", 4, "mode"),
        ("dead-switch", 5, "misnamed"),
        ("dead-switch", 9, "epochs"),
    ]
    assert "is 0.5, and not 0.9" in found[0].message and "`learning_rate` in the place" in found[2].remedies[0].how
    assert "`val_skill` rose as `val_loss` fell" in found[1].message and found[1].status == "untested"


def test_a_fit_that_has_nothing_left_to_do_may_take_up_an_earlier_run(run):
    common = {"method": "fit", "call": 1, "model": "net"}
    run.event("call", phase="begin", epochs=3, where=at(8), **common)
    run.event("call", phase="end", epochs_run=0, **common)
    assert run.say(idle.idle_parts) == []


def test_regularizers_of_a_step_that_does_not_add_them(run, monkeypatch):
    run.event("no-gradient", what="none", optimizer="adam", given=4, regularized=2, where=at(15))
    told = [PROGRAM]
    monkeypatch.setattr(misdirected, "program_of", lambda recording: {"main.py": ast.parse(told[0])})
    [found] = run.say(misdirected.misdirected)
    assert (found.location.line, found.details["kind"]) == (13, "regularizer")
    told[0] = PROGRAM.replace("loss_fn(y, model(x))", "keras.losses.mse(y, model(x))")
    assert len(run.say(misdirected.misdirected)) == 1
    told[0] = PROGRAM.replace("model(x))", "model(x)) + sum(model.losses)")
    assert run.say(misdirected.misdirected) == []


ROWS = """
import numpy as np
order = rng.permutation(80)
x = rng.normal(size=(80, 3))
y = rng.normal(size=(80, 1))
model.fit(x, y)
p = model.predict(windows)
names = rng.integers(0, 2, 40)
for a, b in zip(p, names):
    print(a, b)
print(np.mean(model.predict(x[order]) - y))
"""


def test_rows_that_are_mixed_up_in_the_source_are_told_with_the_shapes_of_the_recording(run):
    assert [f.location.line for f in run.say(row_source.rows_in_source, ROWS)] == [11]
    common = {"method": "predict", "call": 1, "model": "net"}
    run.event("call", phase="begin", where=at(7), **common)
    run.event("call", phase="end", rows_out=[200], shapes_out=[[200, 1]], **common)
    found = run.say(row_source.rows_in_source, ROWS)
    assert [(f.slug, f.status, f.location.line) for f in found] == [
        ("wrong-shape-silent", "untested", 9),
        ("wrong-pairing", "untested", 11),
    ]
    assert found[0].title == "zip ends at the shorter one: `p` has 200 rows, `names` 40"
    assert "order of `order` are combined with `y`" in found[1].title


@pytest.mark.parametrize("kind", row_source._SLUGS)
def test_every_fault_has_its_words(kind):
    from xladoctor.sources.rows import RowFault

    title, message = row_source._words(RowFault(kind, 3, "f", ("one", "two", "three"), (7, 3, 4, 2)))
    assert title and message.endswith(".") and "{" not in title + message
