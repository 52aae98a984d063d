import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(2)
rng = np.random.default_rng(2)


def strokes(n):
    images = np.zeros((n, 28, 28, 1), "float32")
    for img in images:
        r, c = rng.integers(4, 20, 2)
        img[r:r + 3, 4:24] = 1.0
        img[4:24, c:c + 3] = 1.0
    return images


clean = strokes(40)
noisy = np.clip(clean + 0.3 * rng.normal(size=clean.shape), 0, 1).astype("float32")

inp = keras.Input((28, 28, 1))
x = layers.Conv2D(16, 3, activation="relu", padding="same")(inp)
x = layers.MaxPooling2D(2, padding="same")(x)
x = layers.Conv2D(8, 3, activation="relu", padding="same")(x)
x = layers.MaxPooling2D(2, padding="same")(x)
x = layers.Conv2D(8, 3, activation="relu", padding="same")(x)
encoded = layers.MaxPooling2D(2, padding="same", name="code")(x)

x = layers.Conv2D(8, 3, activation="relu", padding="same")(encoded)
x = layers.UpSampling2D(2)(x)
x = layers.Conv2D(8, 3, activation="relu", padding="same")(x)
x = layers.UpSampling2D(2)(x)
x = layers.Conv2D(16, 3, activation="relu", padding="same")(x)
x = layers.UpSampling2D(2)(x)
decoded = layers.Conv2D(1, 3, activation="sigmoid", padding="same")(x)

denoiser = keras.Model(inp, decoded, name="denoiser")
denoiser.compile("adam", "binary_crossentropy")
denoiser.fit(noisy, clean, batch_size=10, epochs=1, shuffle=True, verbose=0)
print("restored", denoiser.predict(noisy[:3], verbose=0).shape)
