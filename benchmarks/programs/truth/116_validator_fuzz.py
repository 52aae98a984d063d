"""Fuzz a shape validator: most random inputs must be rejected."""
import numpy as np
import tensorflow as tf


class ContractError(ValueError):
    pass


def validated(images, masks):
    if images.shape.rank != 4 or masks.shape.rank != 3:
        raise ContractError(f"rank mismatch: {images.shape.rank} and {masks.shape.rank}")
    if images.shape[:3] != masks.shape:
        raise ContractError(f"shape mismatch: images {images.shape}, masks {masks.shape}")
    return tf.reduce_mean(images, axis=3) * masks


def random_shape(rng, rank):
    return rng.integers(1, 4, rank).tolist()


def campaign(n, seed):
    rng = np.random.default_rng(seed)
    tally = {"accepted": 0, "rejected": 0, "unexpected": 0}
    for case in range(n):
        image_shape = random_shape(rng, rng.integers(3, 5))
        mask_shape = image_shape[:3] if rng.random() < 0.2 else random_shape(rng, 3)
        try:
            out = validated(tf.ones(image_shape), tf.ones(mask_shape))
            assert out.shape == mask_shape
            tally["accepted"] += 1
        except ContractError as error:
            tally["rejected"] += 1
            if case % 20 == 0:
                print(f"case {case}: ERROR {error}")
        except tf.errors.OpError:
            tally["unexpected"] += 1
    return tally


tally = campaign(120, seed=44)
print(tally)
assert tally["unexpected"] == 0 and tally["accepted"] > 5
