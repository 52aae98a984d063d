"""Fixed Sobel filters as the first stage of a texture descriptor."""
import numpy as np
import tensorflow as tf

SOBEL_X = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], "float32")


def filter_bank(channels):
    pair = np.stack([SOBEL_X, SOBEL_X.T], axis=-1)
    return tf.constant(np.repeat(pair[:, :, None, :], channels, axis=2))


def checkerboard(size, tile):
    yy, xx = np.indices((size, size))
    return (((yy // tile) + (xx // tile)) % 2).astype("float32")


@tf.function
def energy(images, bank):
    maps = tf.nn.conv2d(images, bank, strides=1, padding="SAME")
    return tf.reduce_mean(tf.square(maps), axis=[1, 2])


gray = np.stack([checkerboard(24, t) for t in (2, 3, 4, 6)])
rgb = np.repeat(gray[..., None], 3, axis=-1)
rgb *= np.array([1.0, 0.8, 0.6], "float32")
bank = filter_bank(channels=1)
bank = tf.concat([bank, bank], axis=2)
print("bank", bank.shape)
features = energy(tf.constant(rgb), bank)
print(np.round(features.numpy(), 3))
