"""Bit-for-bit repeatable training of a patch classifier, with XLA wanted."""
import numpy as np
import keras
import tensorflow as tf

tf.config.experimental.enable_op_determinism()


class PatchNet(keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.stem = keras.layers.Conv2D(4, 3, padding="same", activation="relu")
        self.pool = keras.layers.MaxPooling2D(3, strides=2)
        self.head = keras.layers.Dense(classes)

    def call(self, x):
        h = self.pool(self.stem(x))
        return self.head(keras.ops.mean(h, axis=(1, 2)))


def train_once(x, y):
    keras.utils.set_random_seed(77)
    model = PatchNet(3)
    model.build((None, 9, 9, 1))
    model.compile(
        optimizer="adam",
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=True,
    )
    model.fit(x, y, batch_size=12, epochs=2, verbose=0)
    return np.concatenate([w.ravel() for w in model.get_weights()])


rng = np.random.default_rng(0)
x = rng.random((36, 9, 9, 1)).astype("float32")
y = rng.integers(0, 3, 36)
first, second = train_once(x, y), train_once(x, y)
print("identical weights:", np.array_equal(first, second))
