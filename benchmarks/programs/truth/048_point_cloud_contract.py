"""Point-cloud normalisation with declared shapes."""
import numpy as np
import tensorflow as tf


class PointCloud:
    """Points are [batch, number, 3], colours [batch, number, 3], labels [batch]."""

    def __init__(self, points, colours, labels):
        self.points, self.colours, self.labels = points, colours, labels
        self.check()

    def check(self):
        tf.debugging.assert_shapes([
            (self.points, ("B", "N", 3)),
            (self.colours, ("B", "N", 3)),
            (self.labels, ("B",)),
        ], message="point cloud batch")

    def centered(self):
        return PointCloud(self.points - tf.reduce_mean(self.points, axis=1, keepdims=True), self.colours, self.labels)

    def subsample(self, number):
        idx = tf.range(0, tf.shape(self.points)[1], tf.shape(self.points)[1] // number)[:number]
        return PointCloud(tf.gather(self.points, idx, axis=1), self.colours, self.labels)


rng = np.random.default_rng(6)
cloud = PointCloud(
    tf.constant(rng.normal(size=(4, 128, 3)), tf.float32),
    tf.constant(rng.random((4, 128, 3)), tf.float32),
    tf.constant([0, 1, 1, 0]),
)
small = cloud.centered().subsample(32)
print("extent", tf.reduce_max(tf.abs(small.points), axis=[1, 2]).numpy().round(2))
