"""Conversions between the group layout and the flat layout.

group layout   images (B, C, H, W, K)   offsets (B, 2, C)
flat layout    images (B*C, H, W, K)    offsets (B*C, 2)
"""

import tensorflow as tf


def images_to_flat(images):
    h, w, k = images.shape[2:]
    return tf.reshape(images, [-1, h, w, k])


def flat_to_images(images, members):
    h, w, k = images.shape[1:]
    return tf.reshape(images, [-1, members, h, w, k])


def offsets_to_flat(offsets):
    return tf.reshape(tf.transpose(offsets, [0, 2, 1]), [-1, 2])


def to_planes(amplitude, phase):
    """Real and imaginary planes on a new last axis."""
    return tf.stack([amplitude * tf.cos(phase), amplitude * tf.sin(phase)], axis=-1)


def from_planes(planes):
    return tf.complex(planes[..., 0], planes[..., 1])
