import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(133)
LATENT = 4

decoder = keras.Sequential([
    keras.Input((LATENT,)),
    keras.layers.Dense(25, activation="relu"),
    keras.layers.Dense(49, activation="sigmoid"),
    keras.layers.Reshape((7, 7)),
])


def segment(a, b, steps):
    w = tf.linspace(0.0, 1.0, steps)[:, None]
    return (1 - w) * a[None] + w * b[None]


def tour(points, steps):
    segments = [segment(a, b, s) for a, b, s in zip(points[:-1], points[1:], steps)]
    walk = tf.concat(segments, axis=1)
    return walk


corners = tf.constant(np.random.default_rng(133).normal(size=(4, LATENT)), tf.float32)
path = tour(tf.unstack(corners), steps=[6, 9, 4])
frames = decoder.predict(path, verbose=0)
canvas = np.concatenate(list(frames[:5]), axis=1)
print("frames", frames.shape, "canvas", canvas.shape)
