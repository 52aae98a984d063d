"""Whitening of connectivity matrices before a linear probe."""
import numpy as np
import tensorflow as tf

CONFIG = {
    "regions": 12,
    "subjects": 30,
    "shrink": 0.1,
    "root": "schur",
    "probe": {"rate": 0.1, "steps": 25},
}


def root_schur(c):
    return tf.linalg.sqrtm(c)


def root_eigen(c):
    w, v = tf.linalg.eigh(c)
    return tf.matmul(v * tf.sqrt(tf.maximum(w, 0.0))[..., None, :], v, adjoint_b=True)


def root_cholesky(c):
    return tf.linalg.cholesky(c)


ROOTS = {"schur": root_schur, "eigen": root_eigen, "cholesky": root_cholesky}


def covariance(x, shrink):
    x = x - tf.reduce_mean(x, axis=1, keepdims=True)
    c = tf.matmul(x, x, transpose_a=True) / tf.cast(tf.shape(x)[1], x.dtype)
    return (1.0 - shrink) * c + shrink * tf.eye(x.shape[-1])


def make_features(cfg):
    root = ROOTS[cfg["root"]]

    @tf.function(jit_compile=True)
    def features(x):
        c = covariance(x, cfg["shrink"])
        mean = tf.reduce_mean(c, axis=0, keepdims=True)
        r = root(mean)
        white = tf.linalg.solve(tf.tile(r, [x.shape[0], 1, 1]), c)
        upper = tf.linalg.band_part(white, 0, -1)
        return tf.reshape(upper, [x.shape[0], -1])

    return features


def probe(f, y, rate, steps):
    w = tf.Variable(tf.zeros([f.shape[1], 1]))
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, f @ w))
        w.assign_sub(rate * tape.gradient(loss, w))
    return float(loss)


def scans(cfg, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, cfg["subjects"])
    x = rng.normal(size=(cfg["subjects"], 90, cfg["regions"]))
    x[y == 1, :, 0] += x[y == 1, :, 1]
    return tf.constant(x, tf.float32), tf.constant(y[:, None], tf.float32)


def main():
    x, y = scans(CONFIG, seed=17)
    f = make_features(CONFIG)(x)
    print("features", f.shape)
    print("probe loss", round(probe(f, y, **CONFIG["probe"]), 4))


if __name__ == "__main__":
    main()
