"""Cut fixed patches around annotated landmarks."""
import numpy as np
import tensorflow as tf

PATCH = 16


def make_scan(side=64):
    rng = np.random.default_rng(1)
    return tf.constant(rng.random((side, side)), tf.float32)


def landmarks():
    return np.array([[20, 20], [10, 40], [33, 12], [58, 30], [8, 8]])


def cut_patch(scan, center):
    top_left = tf.constant(center - PATCH // 2, tf.int32)
    return tf.slice(scan, top_left, [PATCH, PATCH])


def describe(patches):
    stack = tf.stack(patches)
    return tf.math.reduce_std(stack, axis=[1, 2])


scan = make_scan()
patches = []
for center in landmarks():
    patches.append(cut_patch(scan, center))
print("contrast", describe(patches).numpy().round(3))
