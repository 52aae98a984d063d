"""Dose-response fit with a finite-difference gradient check and a bootstrap interval."""
import warnings

import numpy as np
import tensorflow as tf

tf.keras.backend.set_floatx("float64")
warnings.filterwarnings("once", category=RuntimeWarning)


def assay(rng, n=60):
    dose = 10 ** rng.uniform(-3, 2, n)
    effect = 0.05 + 0.9 / (1 + (0.4 / dose) ** 1.3)
    return np.log10(dose), effect + rng.normal(0, 0.03, n)


@tf.function
def curve(theta, logdose):
    bottom, top, mid, slope = tf.unstack(theta)
    return bottom + (top - bottom) * tf.sigmoid(slope * (logdose - mid) * np.log(10.0))


@tf.function
def sse(theta, x, y):
    return tf.reduce_sum((curve(theta, x) - y) ** 2)


@tf.function
def value_and_grad(theta, x, y):
    with tf.GradientTape() as tape:
        tape.watch(theta)
        v = sse(theta, x, y)
    return v, tape.gradient(v, theta)


def check_gradient(theta, x, y, steps=(1e-2, 1e-4, 1e-6, 1e-12, 1e-17)):
    """Central differences; too large and too small steps are wrong on purpose (truncation, cancellation)."""
    _, g = value_and_grad(theta, x, y)
    best = np.inf
    for h in steps:
        num = np.empty(4)
        for i in range(4):
            e = tf.one_hot(i, 4, dtype=tf.float64) * h
            num[i] = (sse(theta + e, x, y) - sse(theta - e, x, y)) / (2 * h)
        err = np.max(np.abs(num - g.numpy()) / (1e-12 + np.abs(g.numpy())))
        flag = "FAIL" if err > 1e-5 else "ok"
        print(f"  h={h:.0e} relative error {err:.2e} {flag}")
        best = min(best, err)
    assert best < 1e-5, best
    return best


def fit(x, y, start=(0.1, 0.8, 0.0, 1.0), steps=400):
    theta = tf.constant(start, tf.float64)
    m = v = tf.zeros_like(theta)
    for t in range(1, steps + 1):
        _, g = value_and_grad(theta, x, y)
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        theta = theta - 0.05 * (m / (1 - 0.9 ** t)) / (tf.sqrt(v / (1 - 0.99 ** t)) + 1e-9)
    return theta


def bootstrap(rng, x, y, rounds=12):
    """Rows are drawn with replacement: repeated rows, missing rows, and another pairing order are the point."""
    mids = []
    n = len(x)
    for _ in range(rounds):
        idx = rng.integers(0, n, n)
        th = fit(tf.gather(x, idx), tf.gather(y, idx), steps=150)
        mids.append(float(th[2]))
    out = np.setdiff1d(np.arange(n), idx)
    print(f"last resample left out {len(out)} of {n} rows")
    return np.percentile(mids, [5, 95])


def main():
    rng = np.random.default_rng(8)
    lx, ly = assay(rng)
    x, y = tf.constant(lx), tf.constant(ly)
    theta0 = tf.constant([0.1, 0.8, 0.0, 1.0], tf.float64)
    print("gradient check")
    check_gradient(theta0, x, y)
    theta = fit(x, y)
    lo, hi = bootstrap(rng, x, y)
    print("theta", np.round(theta.numpy(), 3), "90% interval of the mid point", round(lo, 3), round(hi, 3))
    # the plate's blank wells have no dose: log10(0) is -inf and the curve there is its bottom
    with np.errstate(divide="ignore"):
        blank = curve(theta, tf.constant(np.log10(np.zeros(3))))
    print("blanks", blank.numpy())
    assert np.allclose(blank, theta[0])


if __name__ == "__main__":
    main()
