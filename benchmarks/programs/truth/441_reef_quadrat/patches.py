"""Cutting quadrat photographs into overlapping patches."""
import tensorflow as tf


def patches_per_image(cfg):
    per_side = cfg["image"] // cfg["stride"]
    return per_side * per_side


def cut(images, cfg):
    k, s = cfg["patch"], cfg["stride"]
    return tf.image.extract_patches(
        images,
        sizes=[1, k, k, 1],
        strides=[1, s, s, 1],
        rates=[1, 1, 1, 1],
        padding="VALID",
    )


def flatten(grid, cfg, count):
    n = tf.shape(grid)[0]
    width = cfg["patch"] * cfg["patch"] * cfg["bands"]
    return tf.reshape(grid, [n, count, width])
