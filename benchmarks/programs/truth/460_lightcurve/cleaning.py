import tensorflow as tf

BAD_BITS = 1 | 4 | 128


def good(quality):
    return tf.equal(tf.bitwise.bitwise_and(quality, BAD_BITS), 0)


def clean(flux, quality):
    kept = tf.boolean_mask(flux, good(quality))
    return kept / tf.reduce_mean(kept) - 1.0
