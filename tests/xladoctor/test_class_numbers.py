"""A plain `scan` of class numbers that a loss of Keras uses as if they were one-hot, among losses that look like it."""

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
PROGRAM = """
import numpy as np
import tensorflow as tf
import keras
from keras import layers

C = 4
keras.utils.set_random_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(60, 5)).astype("float32")
y = rng.integers(0, C, (60, 1))


def spread(y_true, y_pred):
    y = tf.cast(y_true, y_pred.dtype)
    return -tf.reduce_sum(y * tf.math.log(y_pred + 1e-6), axis=-1)  # wrong


def one_hot(y_true, y_pred):
    y = tf.one_hot(tf.cast(y_true[:, 0], tf.int32), C)
    return -tf.reduce_sum(y * tf.math.log(y_pred + 1e-6), axis=-1)


def quantiles(y_true, y_pred):
    q = tf.constant([0.1, 0.4, 0.6, 0.9])
    apart = tf.cast(y_true, y_pred.dtype) - y_pred
    return tf.reduce_mean(tf.maximum(q * apart, (q - 1.0) * apart), axis=-1)


def mixture(y_true, y_pred):
    y = tf.cast(y_true, y_pred.dtype)
    rate = tf.constant([0.5, 1.0, 2.0, 3.0])
    each = y * tf.math.log(rate) - rate - tf.math.lgamma(y + 1.0)
    return -tf.reduce_logsumexp(tf.math.log(y_pred + 1e-6) + each, axis=-1)


def ordinal(y_true, y_pred):
    levels = tf.range(C, dtype=y_pred.dtype)
    return tf.reduce_sum(y_pred * (levels - tf.cast(y_true, y_pred.dtype)) ** 2, axis=-1)


def ensemble(y_true, y_pred):
    y, p = tf.cast(y_true > 1, y_pred.dtype), tf.clip_by_value(y_pred, 1e-6, 1.0 - 1e-6)
    return -tf.reduce_mean(y * tf.math.log(p) + (1.0 - y) * tf.math.log(1.0 - p), axis=-1)


for loss in (spread, one_hot, quantiles, mixture, ordinal, ensemble):
    last = {quantiles: None, ensemble: "sigmoid"}.get(loss, "softmax")
    model = keras.Sequential([keras.Input((5,)), layers.Dense(C, activation=last)], name=loss.__name__)
    model.compile("sgd", loss)
    model.fit(x, y, batch_size=20, verbose=0)
"""


def test_only_what_weighs_every_class_with_a_class_number_is_found(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    words = ["scan", "--check-budget", "200", "--run-dir", "run", "--", sys.executable, "train.py"]
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", *words],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": quick.path(ROOT)}, capture_output=True, text=True, timeout=400,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    diagnosis = json.loads((tmp_path / "run" / "diagnosis.json").read_text())
    [found] = [f for f in diagnosis["findings"] if f["level"] != "note"]
    assert (found["class"], found["level"], found["status"], found["op"]) == (
        "wrong-pairing", "warning", "untested", "Mul",
    )  # fmt: skip
    assert PROGRAM.splitlines()[found["location"]["line"] - 1].endswith("# wrong")
    assert found["remedies"][0]["id"] == "one-hot"
    rows = [c for c in diagnosis["checked"] if c["what"] == "rows"]
    assert len(rows) == 6 and [c["function"] for c in rows if c["result"] == "diverges"] == ["fit of spread"]
