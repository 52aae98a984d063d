"""Segments cell walls in frames of 45 by 59 pixels; the decoder is cropped to its skips."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


class CropLike(layers.Layer):
    """Cuts the first input to the height and width of the second."""

    def call(self, pair):
        big, ref = pair
        return big[:, : ref.shape[1], : ref.shape[2], :]


def block(x, filters):
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.ReLU()(x)


def unet(height, width, filters=(6, 10, 14)):
    inp = keras.Input((height, width, 1))
    x, skips = inp, []
    for f in filters[:-1]:
        x = block(x, f)
        skips.append(x)
        x = layers.MaxPooling2D(2, padding="same")(x)
    x = block(x, filters[-1])
    for f, skip in zip(reversed(filters[:-1]), reversed(skips)):
        up = layers.UpSampling2D(2)(x)
        print("skip", skip.shape[1:3], "decoder", up.shape[1:3])
        x = block(layers.Concatenate()([CropLike()([up, skip]), skip]), f)
    return keras.Model(inp, layers.Conv2D(1, 1)(x))


def dice(y, z):
    p = tf.sigmoid(z)
    top = 2.0 * tf.reduce_sum(p * y, axis=[1, 2, 3]) + 1.0
    return 1.0 - top / (tf.reduce_sum(p + y, axis=[1, 2, 3]) + 1.0)


def frames(count, h, w, seed):
    rng = np.random.default_rng(seed)
    r, c = np.mgrid[:h, :w]
    phase = rng.uniform(0, 6, (count, 1, 1))
    wall = (np.sin(r / 4 + phase) * np.cos(c / 5) > 0.3).astype("float32")
    return (wall + 0.2 * rng.normal(size=wall.shape)).astype("float32")[..., None], wall[..., None]


def main():
    keras.utils.set_random_seed(2)
    x, y = frames(24, 45, 59, seed=0)
    net = unet(45, 59)
    net.compile(keras.optimizers.Adam(0.01), dice)
    hist = net.fit(x, y, batch_size=7, epochs=3, verbose=0)
    out = net.predict(x[:5], verbose=0)
    print("output", out.shape, "dice loss", np.round(hist.history["loss"], 3).tolist())
    assert out.shape == (5, 45, 59, 1)


if __name__ == "__main__":
    main()
