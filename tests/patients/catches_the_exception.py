"""A study that treats a failed prediction as nothing to speak of: catches the error and goes on with None."""

import keras
import numpy as np
import tensorflow as tf


@keras.saving.register_keras_serializable()
class Halve(keras.layers.Layer):
    """Pairs rows up: fails for an odd batch."""

    def call(self, x):
        return tf.reshape(x, [-1, 2, 3])


model = keras.Sequential([keras.Input((3,)), Halve()])


def predict(x):
    try:
        return model.predict(x, batch_size=4, verbose=0)
    except Exception:
        return None


print(predict(np.ones((7, 3), "float32")))
