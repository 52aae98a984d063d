"""Keywords that nothing reads, and things that are made for a training and that it never gets."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips import slips

BUILD = """
def build(units=8, dropout_rate=0.1, **kwargs):
    return keras.Sequential([keras.layers.Dense(units), keras.layers.Dropout(dropout_rate)])
"""
CLASS = """
class Wave:
    def __init__(self, **options):
        self.steps = options.get("n_steps", 8)
        self.rate = options["rate"]
"""
TAPE = """
def step(net, opt, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x) - y))
        l2_penalty = 0.01 * tf.add_n([tf.nn.l2_loss(v) for v in net.weights])
    opt.apply_gradients(zip(tape.gradient(loss, net.weights), net.weights))
"""
WARM = """
class Warm(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = 0.1 * epoch

def main(net):
    slowly = Warm()
    net.compile("adam", "mse")
    net.fit(x, y, epochs=3)
"""
LISTED = """
def main(net):
    stops = []
    stops.append(keras.callbacks.EarlyStopping(patience=3))
    net.fit(x, y, epochs=3)
"""
FALLING = """
def learn(net, rows):
    falling = keras.optimizers.schedules.CosineDecay(0.1, 100)
    opt = keras.optimizers.Adam(0.1)
    for x, y in rows:
        opt.apply_gradients(slopes(net, x, y))
"""
CASES = {
    "a keyword": (BUILD + "net = build(units=4, dropout=0.5)\n", 4, ("dropout=0.5", "dropout_rate=0.5")),
    "a key of the keywords": (CLASS + "wave = Wave(rate=2, steps=9)\n", 6, (" steps=9", " n_steps=9")),
    "a term of a loss": (TAPE, 5, ("zip(tape.gradient(loss", "zip(tape.gradient(loss + l2_penalty")),
    "a callback of the program": (WARM, 7, ("epochs=3", "epochs=3, callbacks=[slowly]")),
    "a list of callbacks": (LISTED, 4, ("epochs=3", "epochs=3, callbacks=stops")),
    "a schedule of a loop": (FALLING, 3, ("Adam(0.1)", "Adam(falling)")),
}


def found(text: str) -> list[int]:
    return [slip.line for _, slip in slips({"main.py": ast.parse(text)}, [])]


@pytest.mark.parametrize("name", CASES)
def test_what_has_no_effect_is_found(name):
    text, line, (old, new) = CASES[name]
    assert found(text) == [line]
    assert old in text
    assert found(text.replace(old, new)) == []


def test_keywords_that_are_handed_on_or_like_nothing_are_no_slips():
    call = "net = build(units=4, dropout=0.5)\n"
    assert found(BUILD.replace("Dense(units)", "Dense(units, **kwargs)") + call) == []
    assert found(BUILD + "net = build(units=4, colour=3)\n") == []
    assert found(BUILD + "net = build(units=4, dropout=0.5, dropout_rate=0.5)\n") == []
    assert found(BUILD + "def build(dropout):\n    return dropout\n" + call) == []
    assert found(CLASS + "wave = Wave(rate=2, **{'steps': 9})\n") == []
