"""Self-test of the lab's layers: shapes that must be refused, values that must agree, then a smoke run."""
import io
import logging
import sys
import unittest

import numpy as np
import tensorflow as tf
from tensorflow import keras

log = logging.getLogger("selftest")


class HyperDense(keras.layers.Layer):
    """A dense layer whose kernel is made, per sample, by a small net from a context vector."""

    def __init__(self, units, **kw):
        super().__init__(**kw)
        self.units = units

    def build(self, shapes):
        (_, d), (_, c) = shapes
        self.d = d
        self.gen = self.add_weight(shape=(c, d * self.units), name="gen")

    def call(self, inputs):
        x, ctx = inputs
        k = tf.reshape(ctx @ self.gen, (-1, self.d, self.units))
        return tf.einsum("bd,bdu->bu", x, k)


class Refusals(unittest.TestCase):
    def test_context_of_another_width(self):
        layer = HyperDense(3)
        layer((tf.zeros((2, 4)), tf.zeros((2, 5))))
        with self.assertRaises((ValueError, tf.errors.InvalidArgumentError)) as got:
            layer((tf.zeros((2, 4)), tf.zeros((2, 6))))
        log.error("refused as it should: %s", str(got.exception).splitlines()[0])

    def test_reshape_refused(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "reshape"):
            tf.reshape(tf.zeros(10), (3, 4))

    def test_checked_numerics(self):
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.debugging.check_numerics(tf.math.log([-1.0]), "Tensor had NaN values")


class Agreement(unittest.TestCase):
    def test_eager_graph_xla(self):
        layer = HyperDense(3)
        a = tf.random.stateless_normal((4, 4), (1, 2)), tf.random.stateless_normal((4, 5), (3, 4))
        want = layer(a)
        for jit in (False, True):
            got = tf.function(lambda v: layer(v), jit_compile=jit)(a)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)

    @unittest.expectedFailure
    def test_known_bug_empty_batch(self):
        # issue 211: an empty batch should give NaN, gives an empty tensor
        layer = HyperDense(3)
        out = layer((tf.zeros((0, 4)), tf.zeros((0, 5))))
        self.assertTrue(np.isnan(float(tf.reduce_sum(out))))

    @unittest.skip("needs two GPUs")
    def test_mirrored(self):
        raise AssertionError("not reached")


def smoke():
    keras.utils.set_random_seed(0)
    x, c = keras.Input((4,)), keras.Input((5,))
    m = keras.Model([x, c], HyperDense(1)([x, c]))
    m.compile("adam", "mse")
    rng = np.random.default_rng(0)
    X, C = rng.normal(size=(64, 4)), rng.normal(size=(64, 5))
    y = (X[:, :1] * C[:, :1])
    h = m.fit([X, C], y, epochs=3, verbose=0)
    return h.history["loss"]


def main():
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s: %(message)s")
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(t) for t in (Refusals, Agreement))
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=2).run(suite)
    if not result.wasSuccessful():
        sys.exit(1)
    print(f"{result.testsRun} tests, {len(result.expectedFailures)} expected failure, {len(result.skipped)} skipped")
    print("smoke", [round(v, 3) for v in smoke()])


if __name__ == "__main__":
    main()
