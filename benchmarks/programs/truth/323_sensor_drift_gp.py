"""Gaussian process regression of sensor drift, hyperparameters by gradient."""
import numpy as np
import tensorflow as tf


def drift_data(n=48, seed=3):
    rng = np.random.default_rng(seed)
    hours = np.sort(rng.uniform(0, 10, size=n))
    drift = 0.4 * np.sin(hours) + 0.05 * hours + 0.05 * rng.normal(size=n)
    return hours[:, None], drift


class DriftGP(tf.Module):
    def __init__(self, jitter=1e-6):
        super().__init__()
        self.log_amp = tf.Variable(0.0, dtype=tf.float64)
        self.log_len = tf.Variable(0.0, dtype=tf.float64)
        self.log_noise = tf.Variable(-3.0, dtype=tf.float64)
        self.jitter = jitter

    def kernel(self, a, b):
        d2 = tf.reduce_sum(tf.square(a[:, None, :] - b[None, :, :]), axis=-1)
        return tf.exp(2 * self.log_amp) * tf.exp(-0.5 * d2 / tf.exp(2 * self.log_len))

    def chol(self, x):
        k = self.kernel(x, x)
        noise = tf.exp(2 * self.log_noise) + self.jitter
        return tf.linalg.cholesky(k + noise * tf.eye(tf.shape(x)[0], dtype=x.dtype))

    def nll(self, x, y):
        chol = self.chol(x)
        alpha = tf.linalg.cholesky_solve(chol, y)
        fit = 0.5 * tf.reduce_sum(y * alpha)
        logdet = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(chol)))
        return fit + logdet

    def predict(self, x, y, x_new):
        chol = self.chol(x)
        ks = self.kernel(x, x_new)
        v = tf.linalg.triangular_solve(chol, ks)
        mean = tf.linalg.matmul(ks, tf.linalg.cholesky_solve(chol, y), transpose_a=True)
        var = tf.exp(2 * self.log_amp) - tf.reduce_sum(v * v, axis=0)
        return mean, var


def main():
    hours, drift = drift_data()
    x = tf.constant(hours)
    y = tf.constant(drift)
    print("inputs", x.shape, "targets", y.shape)
    gp = DriftGP()
    opt = tf.keras.optimizers.Adam(0.05)
    for i in range(20):
        with tf.GradientTape() as tape:
            loss = gp.nll(x, y)
        grads = tape.gradient(loss, gp.trainable_variables)
        opt.apply_gradients(zip(grads, gp.trainable_variables))
    print("final nll", float(loss))
    grid = tf.constant(np.linspace(0, 12, 7)[:, None])
    mean, var = gp.predict(x, y, grid)
    for t, mu, v in zip(grid.numpy()[:, 0], mean.numpy().ravel(), var.numpy()):
        print(f"{t:5.1f} h  {mu:+.3f} +- {np.sqrt(max(v, 0)):.3f}")


if __name__ == "__main__":
    main()
