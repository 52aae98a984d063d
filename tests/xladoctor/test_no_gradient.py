"""A plain `scan` of trainings in which some weights get no gradient: by mistake, and on purpose."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
HEAD = """
import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(5)
x = np.random.rand(48, 6).astype("float32")
y = np.random.rand(48, 1).astype("float32")


def dense(*sizes, name):
    return keras.Sequential([keras.Input((sizes[0],)), *(layers.Dense(n) for n in sizes[1:])], name=name)
"""
COUNTS = """

body = keras.Input((6,))
h = layers.Dense(5, activation="relu")(body)
count = layers.Lambda(lambda v: tf.round(v))(layers.Dense(1, name="count")(h))  # wrong
model = keras.Model(body, layers.Dense(1, name="area")(h) + count)
model.compile("adam", "mse")
model.fit(x, y, epochs=2, batch_size=16, verbose=0)
"""
ON_PURPOSE = """

class Gan(keras.Model):
    def __init__(self):
        super().__init__()
        self.maker, self.critic = dense(2, 6, name="maker"), dense(6, 1, name="critic")

    def train_step(self, real):
        with tf.GradientTape() as one, tf.GradientTape() as other:
            made = self.maker(tf.random.normal((16, 2)))
            scores = self.critic(made), self.critic(real)
            critic, maker = tf.reduce_mean(scores[0] - scores[1]), -tf.reduce_mean(scores[0])
        sides = (one, critic, self.critic, self.first), (other, maker, self.maker, self.then)
        for tape, loss, net, optimizer in sides:
            variables = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"critic": critic}


gan = Gan()
gan.first, gan.then = keras.optimizers.Adam(), keras.optimizers.Adam()
gan.compile()
gan.fit(x, batch_size=16, epochs=2, verbose=0)


class Codes(keras.Model):
    def __init__(self):
        super().__init__()
        self.before, self.after = dense(6, 3, name="before"), dense(3, 6, name="after")
        self.book = self.add_weight(shape=(8, 3), initializer="random_normal", name="book")

    def call(self, x):
        z = self.before(x)
        apart = tf.reduce_sum((z[:, None] - self.book[None]) ** 2, -1)
        q = tf.gather(self.book, tf.argmin(apart, -1))
        self.add_loss(tf.reduce_mean((q - tf.stop_gradient(z)) ** 2))
        self.add_loss(0.25 * tf.reduce_mean((tf.stop_gradient(q) - z) ** 2))
        return self.after(z + tf.stop_gradient(q - z))


codes = Codes()
codes.compile("adam", "mse")
codes.fit(x, x, batch_size=16, epochs=2, verbose=0)

frozen = dense(6, 5, 1, name="frozen")
frozen.layers[0].trainable = False
frozen.compile("adam", "mse")
frozen.fit(x, y, batch_size=16, verbose=0)

# A network of values and its slow copy, which only moves by `assign`.
net, slow = dense(6, 4, 2, name="net"), dense(6, 4, 2, name="slow")
optimizer = keras.optimizers.Adam()
for step in range(6):
    with tf.GradientTape() as tape:
        wanted = y + 0.9 * tf.reduce_max(tf.stop_gradient(slow(x)), -1, keepdims=True)
        loss = tf.reduce_mean((wanted - net(x)[:, :1]) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    for a, b in zip(slow.weights, net.weights):
        a.assign(0.9 * a + 0.1 * b)

# Two tasks take turns, and the optimizer is given the variables of both.
shared, heads = dense(6, 4, name="shared"), [dense(4, 1, name="one"), dense(4, 1, name="two")]
every = shared.trainable_variables + heads[0].trainable_variables + heads[1].trainable_variables
optimizer = keras.optimizers.Adam()
for step in range(6):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((heads[step % 2](shared(x)) - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, every), every))
"""


def diagnosed(tmp_path, program):
    (tmp_path / "train.py").write_text(HEAD + program)
    words = ["scan", "--run-dir", "run", "--", sys.executable, "train.py"]
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", *words],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": quick.path(ROOT)}, capture_output=True, text=True, timeout=400,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads((tmp_path / "run" / "diagnosis.json").read_text())


def test_a_rounded_head_of_a_fit_is_found_at_its_line(tmp_path):
    [found] = [f for f in diagnosed(tmp_path, COUNTS)["findings"] if f["class"] == "no-gradient"]
    assert (found["code"], found["level"], found["status"], found["op"], found["layer"]) == (
        "XD705", "warning", "confirmed", "Round", "count",
    )  # fmt: skip
    assert (HEAD + COUNTS).splitlines()[found["location"]["line"] - 1].endswith("# wrong")


def test_what_is_meant_is_quiet(tmp_path):
    diagnosis = diagnosed(tmp_path, ON_PURPOSE)
    found = [(f["class"], f["level"], f["title"]) for f in diagnosis["findings"]]
    assert [f for f in found if f[1] != "note"] == []
    assert {f[0] for f in found if "radient" in f[2]} <= {"no-gradient"}
    given = [c["result"] for c in diagnosis["checked"] if c["what"] == "gradients"]
    assert given == ["agrees"] * 5  # two of the GAN, the codebook, the frozen layer, the network of values
