import tensorflow as tf


class KelpForest(tf.Module):
    """Logistic growth with light limitation on a depth grid."""

    def __init__(self, depths=10):
        super().__init__()
        self.biomass = tf.Variable(0.1 * tf.ones([depths]), name="biomass")
        self.growth = tf.Variable(0.3, name="growth")
        self.day = tf.Variable(0, dtype=tf.int64, name="day")
        self.light = tf.exp(-0.15 * tf.range(depths, dtype=tf.float32))

    @tf.function
    def advance(self, days):
        for _ in tf.range(days):
            b = self.biomass
            self.biomass.assign(b + self.growth * self.light * b * (1.0 - b))
            self.day.assign_add(1)
        return tf.reduce_sum(self.biomass)
