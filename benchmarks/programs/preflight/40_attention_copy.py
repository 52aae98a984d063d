"""A one-layer transformer that learns to reverse short sequences."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

keras.utils.set_random_seed(40)
SYMBOLS, LENGTH, WIDTH = 10, 8, 24


class PositionalEmbedding(layers.Layer):
    def __init__(self, symbols, length, width, **kwargs):
        super().__init__(**kwargs)
        self.token = layers.Embedding(symbols, width)
        self.position = layers.Embedding(length, width)

    def call(self, x):
        return self.token(x) + self.position(ops.arange(ops.shape(x)[1]))


def transformer():
    tokens = keras.Input((LENGTH,), dtype="int32")
    x = PositionalEmbedding(SYMBOLS, LENGTH, WIDTH)(tokens)
    attended = layers.MultiHeadAttention(num_heads=2, key_dim=12)(x, x)
    x = layers.LayerNormalization()(x + attended)
    hidden = layers.Dense(2 * WIDTH, activation="gelu")(x)
    x = layers.LayerNormalization()(x + layers.Dense(WIDTH)(hidden))
    return keras.Model(tokens, layers.Dense(SYMBOLS)(x))


rng = np.random.default_rng(40)
source = rng.integers(0, SYMBOLS, (1030, LENGTH)).astype("int32")
reverse = source[:, ::-1].copy()

ds = tf.data.Dataset.from_tensor_slices((source[:1000], reverse[:1000])).shuffle(1000, seed=4)
ds = ds.batch(64, drop_remainder=True).repeat()

model = transformer()
model.compile(
    optimizer=keras.optimizers.AdamW(3e-3, clipnorm=1.0),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["sparse_categorical_accuracy"],
    steps_per_execution=5,
)
model.fit(ds, steps_per_epoch=15, epochs=3, verbose=2)
print(model.evaluate(source[1000:], reverse[1000:], batch_size=30, verbose=0))
print(source[-1], "->", model.predict(source[-3:], verbose=0)[-1].argmax(-1))
