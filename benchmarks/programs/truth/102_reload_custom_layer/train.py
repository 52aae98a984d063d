"""Train and save the scorer."""
import sys
import numpy as np
import keras


class Gate(keras.layers.Layer):
    def build(self, shape):
        self.gate = self.add_weight(shape=(shape[-1],), initializer="zeros", name="gate")

    def call(self, x):
        return x * keras.ops.sigmoid(self.gate)


keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), Gate(), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.eye(4), np.arange(4.0)[:, None], verbose=0)
model.save(sys.argv[1])
