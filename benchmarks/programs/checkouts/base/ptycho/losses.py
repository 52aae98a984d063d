"""Loss and metric on detector amplitudes."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="ptycho")
class DetectorLoss(keras.losses.Loss):
    """Poisson log likelihood of intensities plus a share of the amplitude error."""

    def __init__(self, share=0.5, floor=1e-3, name="detector", **kwargs):
        super().__init__(name=name, **kwargs)
        self.share = share
        self.floor = floor

    def call(self, y_true, y_pred):
        observed = tf.square(y_true)
        expected = tf.square(y_pred) + self.floor
        likelihood = expected - observed * tf.math.log(expected)
        return tf.reduce_mean(likelihood + self.share * tf.abs(y_true - y_pred), axis=(1, 2, 3))

    def get_config(self):
        return {**super().get_config(), "share": self.share, "floor": self.floor}


def r_factor(y_true, y_pred):
    """Crystallographic R: the sum of deviations over the sum of amplitudes."""
    return tf.reduce_sum(tf.abs(y_true - y_pred)) / (tf.reduce_sum(y_true) + 1e-6)
