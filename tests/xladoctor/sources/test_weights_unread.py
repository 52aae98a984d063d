"""Weights and masks that reach no loss, and what looks like them and is right."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.weights_unread import weights_unread

MODEL = """
class Wary(keras.Model):
    def train_step(self, data):
        x, y, weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))  # here
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.weights), self.weights))
        return {"loss": loss}

def make(width):
    seen = keras.Input((width,))
    return Wary(seen, keras.layers.Dense(1)(seen))
"""
FIT = "\nnet = make(4)\nnet.fit(x, y, class_weight=rare)\n"
CASES = {
    "class weights of a fit": (MODEL + FIT, ("y=y, y_pred", "y=y, sample_weight=weight, y_pred")),
    "parts by number": (
        MODEL.replace("x, y, weight = keras.utils.unpack_x_y_sample_weight(data)", "x, y = data[0], data[1]")
        + "\nnet = Wary(a, b)\nnet.fit(x, y, sample_weight=trust)\n",
        ("y=y, y_pred", "y=y, sample_weight=data[2], y_pred"),
    ),
    "a loss of the model": ("""
class Wary(keras.Model):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return tf.reduce_mean(loss_of(y, y_pred))  # here
net = Wary(a, b)
net.fit(x, y, class_weight={0: 1.0, 1: 9.0})
""", ("loss_of(y, y_pred)", "sample_weight * loss_of(y, y_pred)")),
    "a dataset of three": ("""
class Wary(keras.Model):
    def train_step(self, batch):
        x, y, mask = batch
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)  # here
        return {"loss": loss}
""", ("(self(x) - y) ** 2", "mask * (self(x) - y) ** 2")),
    "a loop with a tape": ("""
for epoch in range(3):
    for step, (x, y, mask) in enumerate(rows):
        with tf.GradientTape() as tape:
            error = tf.square(net(x) - y)
            loss = tf.reduce_mean(error)  # here
        opt.apply_gradients(zip(tape.gradient(loss, net.weights), net.weights))
""", ("reduce_mean(error)", "reduce_mean(error * mask)")),
    "a loop with a step": ("""
@tf.function
def step(x, y, weight=1.0):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(weight * tf.square(net(x) - y))
    opt.apply_gradients(zip(tape.gradient(loss, net.weights), net.weights))

def learn(rows):
    for x, y, weight in rows:
        step(x, y)  # here
""", ("step(x, y)  #", "step(x, y, weight)  #")),
    "a mask of the lengths": ("""
def masked_loss(y, p, lengths):
    mask = tf.sequence_mask(lengths, tf.shape(y)[1], tf.float32)
    loss = tf.reduce_mean(tf.abs(y - p))  # here
    return loss
""", ("tf.abs(y - p)", "tf.abs(y - p) * mask")),
    "a loss that is given a mask": ("""
def gap(y, p, mask):
    loss = tf.square(y - p)  # here
    return tf.reduce_mean(loss)
value = gap(y, net(x), valid)
""", ("tf.square(y - p)", "mask * tf.square(y - p)")),
}  # fmt: skip


def found(text: str) -> list[int]:
    return [slip.line for _, slip in weights_unread({"main.py": ast.parse(text)})]


@pytest.mark.parametrize("name", CASES)
def test_weights_without_effect_are_found_at_the_loss(name):
    text, (old, new) = CASES[name]
    assert found(text) == [next(i for i, row in enumerate(text.splitlines(), 1) if "# here" in row)]
    assert old in text
    assert found(text.replace(old, new)) == []


def test_weights_that_nobody_gives_are_no_slip():
    assert found(MODEL + FIT.replace(", class_weight=rare", "")) == []
    assert found(MODEL + FIT.replace("=rare", "=None")) == []
    plain = "\nnet = keras.Sequential([keras.layers.Dense(1)])\nnet.fit(x, y, class_weight=rare)\n"
    assert found(MODEL + plain) == []
    whole = MODEL.replace("        return {", "        super().train_step(data)\n        return {")
    assert found(whole + FIT) == []


def test_a_mask_for_the_evaluation_or_of_the_layers_is_no_slip():
    loop = CASES["a loop with a tape"][0]
    assert found(loop.replace("mask", "_mask")) == []
    assert found("layer = keras.layers.Embedding(9, 4, mask_zero=True)\n" + loop) == []
    assert found("for x, y, mask in rows:\n    loss = loss_of(y, net(x))\n    print(loss)\n") == []
    used = loop + "        print(tf.reduce_sum(mask))\n"
    assert found(used) == []


def test_a_loss_of_a_table_of_losses_and_a_layer_may_leave_out_a_mask():
    text = CASES["a loss that is given a mask"][0]
    assert found(text + "LOSSES = {'gap': gap}\n") == []
    assert found(text.replace("value = gap(y, net(x), valid)", "value = gap(y, net(x), None)")) == []
    assert found(text.replace("    loss = tf", "    del mask\n    loss = tf")) == []
    layer = "class A:\n    def call(self, x, mask=None):\n        self.add_loss(loss_of(x))\n        return x\n"
    assert found(layer + "A().call(x, mask)\n") == []
