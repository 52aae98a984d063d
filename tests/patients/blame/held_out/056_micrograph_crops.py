import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(86)
IMAGE, CROP = 64, 12


def micrograph(rng, n):
    image = rng.normal(0, .1, (IMAGE, IMAGE))
    centres = rng.integers(0, IMAGE, size=(n, 2))
    for r, c in centres:
        image[max(r - 2, 0):r + 2, max(c - 2, 0):c + 2] += 1.0
    return image, centres


def crop(image, centre):
    r, c = centre - CROP // 2
    return image[max(r, 0):r + CROP, max(c, 0):c + CROP]


def collect(n_images, per_image):
    rng = np.random.default_rng(86)
    crops, sizes = [], []
    for _ in range(n_images):
        image, centres = micrograph(rng, per_image)
        for centre in centres:
            crops.append(crop(image, centre))
            sizes.append(crops[-1].sum())
    return np.stack(crops)[..., None].astype("float32"), np.array(sizes, "float32")


crops, sizes = collect(6, 8)
net = keras.Sequential([
    layers.Input((CROP, CROP, 1)),
    layers.Conv2D(6, 3, activation="relu"),
    layers.Flatten(),
    layers.Dense(1),
])
net.compile("adam", "mse")
net.fit(crops, sizes, epochs=1, verbose=0)
print(net.evaluate(crops, sizes, verbose=0))
