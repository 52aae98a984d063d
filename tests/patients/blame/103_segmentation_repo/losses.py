import tensorflow as tf


def focal(y_true, y_pred, gamma=2.0):
    y_pred = tf.clip_by_value(y_pred, 1e-6, 1 - 1e-6)
    p = y_true * y_pred + (1 - y_true) * (1 - y_pred)
    return tf.reduce_mean(-((1 - p) ** gamma) * tf.math.log(p))
