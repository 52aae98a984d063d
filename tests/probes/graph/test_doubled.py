"""Which of two graphs rounding has spoilt, by their results in float64."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from probes.graph.doubled import judged
from probes.record import capsule

from .capsules import capsule_of

pytestmark = pytest.mark.slow


def test_the_cancelling_form_is_wrong_and_another_quantity_is_not_judged(tmp_path):
    def fast(a, b):
        sq = tf.reduce_sum(a * a, 1)[:, None] + tf.reduce_sum(b * b, 1)[None, :]
        return tf.maximum(sq - 2.0 * tf.matmul(a, b, transpose_b=True), 0.0)

    def exact(a, b):
        return tf.reduce_sum(tf.square(a[:, None, :] - b[None, :, :]), axis=-1)

    def twice(a, b):
        return 2.0 * exact(a, b)

    points = (np.array([452000.0, 5411000.0]) + np.random.default_rng(0).uniform(0, 200, (20, 2))).astype("float32")
    folders = {}
    for function in (fast, exact, twice):
        spec = tf.TensorSpec((20, 2), tf.float32)
        concrete = tf.function(function).get_concrete_function(spec, spec)
        folders[function], _ = capsule_of(tmp_path / function.__name__, concrete, [], values=False)
        recipe = {"data": "exact", "variables": "before-call", "rows": None, "batch_size": None, "note": None}
        values = {"input:0": points + np.float32(1.0), "input:1": points}
        capsule.save(folders[function], values, recipe, 1 << 20)
    found = judged(folders[exact], folders[fast])
    assert (found["wrong"], found["exact"] < 1e-6, found["apart"] > 0.01) == (1, True, True)
    found = judged(folders[exact], folders[twice])
    assert (found["wrong"], found["exact"] > 0.1) == (None, True)
