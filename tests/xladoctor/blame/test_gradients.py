"""The calls that pass no gradient on, where no variable gets one."""

from __future__ import annotations

import textwrap

import pytest

from xladoctor.blame.gradients import suspects
from xladoctor.sources.files import Files

PROGRAM = """
    class Policy(keras.Model):
        def call(self, x):
            return self.scores(x)

        def act(self, x):
            SCORES = self(x)
            return CHOICE

    def improve(policy, optimizer, x, y):
        with tf.GradientTape() as tape:
            actions = policy.act(x)
            loss = tf.reduce_mean(tf.gather(COST, actions) * y)
        gradients = tape.gradient(loss, policy.trainable_variables)
        optimizer.apply_gradients(zip(gradients, policy.trainable_variables))

    def show(x):
        print(tf.argmax(x))
    """


def lines(choice):
    text = textwrap.dedent(PROGRAM).replace("SCORES", "scores").replace("CHOICE", choice)
    files = Files(lambda name: text if name == "/p/train.py" else None)
    return [(s.code.strip(), s.reason.partition(" ")[0]) for s in suspects(files, "/p/train.py")]


@pytest.mark.parametrize(
    ("choice", "word"),
    [("tf.argmax(scores, -1)", "argmax"), ("tf.cast(scores, tf.int32)", "A"),
     ("tf.stop_gradient(scores)", "stop_gradient"),
     ("scores.numpy()", "numpy"), ("tf.cast(scores > 0, dtype='bool')", "A")],
)  # fmt: skip
def test_a_call_that_the_loss_comes_of(choice, word):
    assert lines(choice) == [(f"return {choice}", word)]


@pytest.mark.parametrize("choice", ["tf.nn.softmax(scores)", "tf.cast(scores, tf.float32)"])
def test_a_call_with_a_gradient(choice):
    assert lines(choice) == []
