"""Dose-response curves on 96-well plates; fit by Levenberg-style updates under XLA."""
import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("always")


def make_plate(rng, rows=8, cols=12):
    dose = np.logspace(-3, 2, cols).astype("float32")
    top = rng.uniform(0.8, 1.2, size=(rows, 1))
    ec50 = rng.uniform(0.05, 5.0, size=(rows, 1))
    hill = rng.uniform(0.7, 1.6, size=(rows, 1))
    resp = top / (1 + (ec50 / dose[None, :]) ** hill)
    resp += 0.02 * rng.normal(size=resp.shape)
    resp[3, 7] = np.nan
    return dose, resp.astype("float32")


def curve(theta, log_dose):
    top, log_ec50, log_hill = tf.unstack(theta[:, :, None], axis=1)
    return top * tf.sigmoid(tf.exp(log_hill) * (log_dose[None, :] - log_ec50))


@tf.function(jit_compile=True)
def lm_step(theta, log_dose, resp, valid, damping):
    with tf.GradientTape() as tape:
        tape.watch(theta)
        pred = curve(theta, log_dose)
    jac = tape.batch_jacobian(pred, theta, experimental_use_pfor=True)
    resid = tf.where(valid, resp - pred, 0.0)
    jac = tf.where(valid[:, :, None], jac, 0.0)
    jtj = tf.matmul(jac, jac, transpose_a=True)
    rhs = tf.matmul(jac, resid[:, :, None], transpose_a=True)
    eye = tf.eye(3, batch_shape=[theta.shape[0]])
    chol = tf.linalg.cholesky(jtj + damping * eye)
    step = tf.linalg.cholesky_solve(chol, rhs)
    return theta + step[:, :, 0], tf.reduce_sum(resid ** 2, axis=1)


def main():
    rng = np.random.default_rng(96)
    dose, resp = make_plate(rng)
    valid = np.isfinite(resp)
    if not valid.all():
        warnings.warn(f"{(~valid).sum()} of {valid.size} wells are NaN and are masked")
    theta = tf.tile(tf.constant([[1.0, 0.0, 0.0]]), [8, 1])
    log_dose = tf.math.log(tf.constant(dose))
    resp_t = tf.constant(np.nan_to_num(resp))
    for damping in np.float32([1.0, 0.3, 0.1, 0.03, 0.01, 0.01]):
        theta, sse = lm_step(theta, log_dose, resp_t, tf.constant(valid),
                             tf.constant(damping))
    print("theta", theta.shape, "sse", sse.shape, "nan left:", bool(np.isnan(sse).any()))
    print("ec50", np.exp(theta[:, 1]).round(3).tolist())
    print("traces", lm_step.experimental_get_tracing_count())


if __name__ == "__main__":
    main()
