"""Unit tests of a small layer library."""
import unittest
import numpy as np
import tensorflow as tf


def outer_features(a, b):
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"shape mismatch: {a.shape} and {b.shape}")
    return tf.reshape(a[:, :, None] * b[:, None, :], [a.shape[0], -1])


@tf.function(jit_compile=True)
def compiled_product(a, b):
    return tf.matmul(a, b)


class OuterTest(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.a = tf.constant(rng.normal(size=(4, 3)), tf.float32)
        self.b = tf.constant(rng.normal(size=(4, 2)), tf.float32)

    def test_shape(self):
        self.assertEqual(outer_features(self.a, self.b).shape, (4, 6))

    def test_rejects_other_batch(self):
        with self.assertRaisesRegex(ValueError, "shape mismatch"):
            outer_features(self.a, self.b[:3])

    def test_product_rejects(self):
        with self.assertRaises((ValueError, tf.errors.InvalidArgumentError)):
            compiled_product(self.a, self.b)

    @unittest.expectedFailure
    def test_known_limitation(self):
        outer_features(self.a[0], self.b[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
