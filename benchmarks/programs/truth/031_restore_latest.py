"""Continue training from the newest checkpoint of a run folder."""
import tempfile
from pathlib import Path
import numpy as np
import tensorflow as tf

HERE = Path(__file__).resolve().parent


class Trainer:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.w = tf.Variable(tf.zeros([4, 1]))
        self.step = tf.Variable(0, dtype=tf.int64)
        self.ckpt = tf.train.Checkpoint(w=self.w, step=self.step)

    def train(self, x, y, steps):
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ self.w - y) ** 2)
            self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
            self.step.assign_add(1)
        return float(loss)

    def save(self):
        return self.ckpt.save(str(self.folder / "model"))

    def restore(self, number):
        self.ckpt.restore(str(self.folder / f"model-{number}")).assert_consumed()


rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(50, 4)), tf.float32)
y = tf.reduce_sum(x, 1, keepdims=True)
with tempfile.TemporaryDirectory(dir=HERE) as folder:
    first = Trainer(folder)
    first.train(x, y, 5)
    first.save()
    second = Trainer(folder)
    second.restore(int(first.step))
    print("resumed at", int(second.step), second.train(x, y, 5))
