import numpy as np
import keras
from keras import layers, ops

BATCH, DIM, SEED = 20, 12, 8


class FeatureDropout(layers.Layer):
    """Drops whole input features, the same for all rows of a batch."""

    def __init__(self, rate, seed, **kw):
        super().__init__(**kw)
        self.rate = rate
        self.seed = seed

    def call(self, x, training=False):
        if not training:
            return x
        keep = keras.random.dropout(ops.ones((1, DIM)), self.rate, seed=self.seed)
        return x * keep


def redundant(n, seed):
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=(n, 1))
    x = cause + 0.5 * rng.normal(size=(n, DIM))
    return x.astype("float32"), cause.astype("float32")


keras.utils.set_random_seed(47)
x, y = redundant(200, 0)
model = keras.Sequential([
    keras.Input((DIM,)),
    FeatureDropout(0.5, SEED),
    layers.Dense(1, kernel_initializer="zeros"),
])
model.compile(optimizer=keras.optimizers.SGD(0.02), loss="mse", jit_compile=True)
model.fit(x, y, epochs=15, batch_size=BATCH, verbose=0)
kernel = model.layers[-1].get_weights()[0][:, 0]
print("mean absolute weight %.4f" % np.abs(kernel).mean())
print("test error %.4f" % model.evaluate(*redundant(200, 1), verbose=0))
