"""Warm start when a state exists, cold start when it does not."""
import contextlib
import tempfile
from pathlib import Path
import numpy as np
import tensorflow as tf

HERE = Path(__file__).resolve().parent


class Estimator(tf.Module):
    def __init__(self):
        super().__init__()
        self.mean = tf.Variable(tf.zeros([3]))
        self.count = tf.Variable(0.0)

    def update(self, batch):
        self.count.assign_add(batch.shape[0])
        self.mean.assign_add((tf.reduce_mean(batch, 0) - self.mean) * batch.shape[0] / self.count)


def warm_start(estimator, folder):
    checkpoint = tf.train.Checkpoint(estimator=estimator)
    with contextlib.suppress(tf.errors.NotFoundError, FileNotFoundError):
        checkpoint.read(str(folder / "state")).expect_partial()
        return checkpoint, "warm"
    print("WARNING: no state found, NotFoundError ignored, cold start")
    return checkpoint, "cold"


rng = np.random.default_rng(9)
modes = []
with tempfile.TemporaryDirectory(dir=HERE) as tmp:
    for session in range(3):
        estimator = Estimator()
        checkpoint, mode = warm_start(estimator, Path(tmp))
        modes.append(mode)
        estimator.update(tf.constant(rng.normal(size=(20, 3)), tf.float32))
        checkpoint.write(str(Path(tmp) / "state"))
print(modes, "count", float(estimator.count))
assert modes == ["cold", "warm", "warm"] and float(estimator.count) == 60
