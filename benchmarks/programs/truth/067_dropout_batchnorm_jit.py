"""Dropout and batch normalisation under XLA, training and inference."""
import numpy as np
import keras

keras.utils.set_random_seed(33)


def tabular(n=160):
    rng = np.random.default_rng(33)
    x = rng.normal(size=(n, 9)).astype("float32")
    return x, (x[:, 0] * x[:, 1] > 0).astype("float32")[:, None]


def block(x, units):
    x = keras.layers.Dense(units, use_bias=False)(x)
    x = keras.layers.BatchNormalization()(x)
    x = keras.layers.Activation("relu")(x)
    return keras.layers.Dropout(0.4)(x)


inputs = keras.Input((9,))
h = block(block(inputs, 24), 12)
model = keras.Model(inputs, keras.layers.Dense(1, activation="sigmoid")(h))
model.compile("adam", "binary_crossentropy", metrics=["accuracy"], jit_compile=True)
x, y = tabular()
model.fit(x, y, epochs=3, batch_size=32, verbose=0)
noisy_a = model(x[:8], training=True)
noisy_b = model(x[:8], training=True)
steady = model.predict(x[:8], verbose=0)
print("training outputs differ between calls:", bool(np.abs(noisy_a - noisy_b).max() > 0))
print("training and inference differ:", bool(np.abs(noisy_a - steady).max() > 0))
np.testing.assert_allclose(steady, model(x[:8], training=False), atol=1e-5)
print("inference agrees with eager")
