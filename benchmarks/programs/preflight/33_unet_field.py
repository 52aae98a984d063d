"""Segment field images of any size with a small U-Net."""
import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(33)


def block(x, filters):
    x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return layers.BatchNormalization()(x)


def unet():
    inputs = keras.Input((None, None, 1))
    d1 = block(inputs, 6)
    d2 = block(layers.MaxPooling2D()(d1), 12)
    bottom = block(layers.MaxPooling2D()(d2), 24)
    u2 = layers.concatenate([layers.UpSampling2D()(bottom), d2])
    u1 = layers.concatenate([layers.UpSampling2D()(block(u2, 12)), d1])
    return keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(block(u1, 6)))


def fields(n, height, width, seed):
    rng = np.random.default_rng(seed)
    rows, cols = np.mgrid[:height, :width]
    cut = rng.uniform(0.3, 0.7, (n, 1, 1)) * width
    mask = (cols[None] + 3 * np.sin(rows[None] / 4) > cut).astype("float32")
    image = mask * 0.6 + rng.normal(0, 0.2, mask.shape)
    return image[..., None].astype("float32"), mask[..., None]


model = unet()
model.compile("adam", "binary_crossentropy", metrics=[keras.metrics.BinaryIoU()])
x, y = fields(60, 32, 32, 1)
model.fit(x, y, batch_size=8, epochs=2, validation_split=0.1, verbose=2)
print("on tiles:", model.evaluate(x, y, verbose=0, return_dict=True))

# the camera's own format
full, _ = fields(2, 50, 66, 2)
mask = model.predict(full, verbose=0)
print("covered:", (mask > 0.5).mean())
