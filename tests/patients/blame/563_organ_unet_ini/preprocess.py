import numpy as np
import tensorflow as tf


def center_crop(a, size):
    top = (a.shape[1] - size) // 2
    left = (a.shape[2] - size) // 2
    return a[:, top:top + size, left:left + size]


def zscore(x):
    mean = x.mean(axis=(1, 2), keepdims=True)
    std = x.std(axis=(1, 2), keepdims=True)
    return (x - mean) / (std + 1e-6)


def prepare(images, masks, crop):
    x = zscore(center_crop(images, crop))[..., None].astype("float32")
    y = center_crop(masks, crop)[..., None].astype("float32")
    return x, y


def flip(x, y):
    both = tf.image.random_flip_left_right(tf.concat([x, y], axis=-1))
    return both[..., :1], both[..., 1:]


def to_dataset(x, y, batch, training, seed=0):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if training:
        ds = ds.shuffle(len(x), seed=seed).map(flip)
    return ds.batch(batch)
