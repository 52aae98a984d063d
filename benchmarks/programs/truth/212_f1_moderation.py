import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras

EPS = 1e-7


def soft_counts(y_true, y_pred):
    flagged = tf.cast(y_pred > 0.5, tf.float32)
    tp = tf.reduce_sum(y_true * flagged)
    fp = tf.reduce_sum((1 - y_true) * flagged)
    fn = tf.reduce_sum(y_true * (1 - flagged))
    return tp, fp, fn


def f1_loss(y_true, y_pred):
    y_true = tf.cast(tf.reshape(y_true, [-1, 1]), tf.float32)
    tp, fp, fn = soft_counts(y_true, y_pred)
    return 1 - (2 * tp + EPS) / (2 * tp + fp + fn + EPS)


def comments(n, seed):
    rs = np.random.RandomState(seed)
    toxic = rs.rand(n) < 0.2
    counts = rs.poisson(np.where(toxic[:, None], 1.4, 0.6), (n, 30))
    return counts.astype("float32"), toxic.astype("float32")


x, y = comments(512, 0)
moderator = keras.Sequential(
    [keras.Input((30,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1, "sigmoid")],
    name="moderator")
moderator.compile(optimizer="rmsprop", loss=f1_loss, jit_compile=True)
moderator.fit(x, y, batch_size=64, epochs=3, verbose=2)

pred = moderator.predict(*comments(128, 1)[:1], verbose=0)
print("flagged", int((pred > 0.5).sum()), "of", len(pred))
