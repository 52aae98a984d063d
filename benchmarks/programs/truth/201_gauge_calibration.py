"""Stage-discharge calibration of a river gauge; readings flagged as ice-affected are left out."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(41)
n_days = 90
stage = rng.gamma(2.0, 0.8, n_days).astype("float32")
discharge = 3.1 * stage ** 1.6 + rng.normal(0, 0.05, n_days).astype("float32")
ice = (np.arange(n_days) % 11 == 0)


def design_matrix(h):
    return tf.stack([tf.ones_like(h), h, h ** 2, h ** 3], axis=1)


def fit_polynomial(h, q, usable):
    A = design_matrix(tf.boolean_mask(h, usable))
    b = tf.boolean_mask(q, usable)[:, tf.newaxis]
    return tf.linalg.lstsq(A, b, l2_regularizer=1e-3)


@tf.function(jit_compile=True)
def calibrate(h, q, usable):
    coef = fit_polynomial(h, q, usable)
    fitted = tf.matmul(design_matrix(h), coef)[:, 0]
    residual = tf.where(usable, q - fitted, 0.0)
    return coef[:, 0], tf.sqrt(tf.reduce_mean(residual ** 2))


coef, rmse = calibrate(tf.constant(stage), tf.constant(discharge), tf.constant(~ice))
print("coefficients", coef.numpy().round(3))
print("rmse", float(rmse))
