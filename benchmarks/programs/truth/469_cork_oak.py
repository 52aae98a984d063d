"""Cork thickness from tree measurements: gradient descent against the normal equations."""
import numpy as np
import tensorflow as tf

FEATURES = ["girth", "height", "age", "rain", "slope"]


class Forest:
    def __init__(self, trees=120, seed=41):
        rng = np.random.default_rng(seed)
        self.x = rng.standard_normal((trees, len(FEATURES))).astype("float32")
        coef = np.array([1.2, 0.4, 2.0, 0.7, -0.9], "float32")
        self.y = self.x @ coef + 6.0 + 0.2 * rng.standard_normal(trees).astype("float32")

    def split(self, k):
        return (self.x[:k], self.y[:k]), (self.x[k:], self.y[k:])


class Linear(tf.Module):
    def __init__(self, n):
        super().__init__()
        self.w = tf.Variable(tf.zeros([n, 1]))
        self.b = tf.Variable(tf.zeros([1]))

    def __call__(self, x):
        return x @ self.w + self.b


def mse(pred, truth):
    return tf.reduce_mean(tf.square(pred - truth))


def descend(model, x, y, steps=400, rate=0.1):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = mse(model(x), y)
        dw, db = tape.gradient(loss, [model.w, model.b])
        model.w.assign_sub(rate * dw)
        model.b.assign_sub(rate * db)
    return float(loss)


def r2(pred, truth):
    pred = np.asarray(pred).reshape(-1)
    return 1 - ((pred - truth) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()


def main():
    (x, y), (xt, yt) = Forest().split(90)
    model = Linear(len(FEATURES))
    loss = descend(model, tf.constant(x), tf.constant(y))
    print("training loss %.4f" % loss)
    design = np.c_[x, np.ones(len(x))]
    c, *_ = np.linalg.lstsq(design, y, rcond=None)
    print("predictions", model(xt).shape, "targets", yt.shape)
    print("R2 on the test trees: descent %.3f, normal equations %.3f"
          % (r2(model(xt), yt), r2(np.c_[xt, np.ones(len(xt))] @ c, yt)))
    print("weights", np.round(model.w.numpy().ravel(), 2), "against", np.round(c[:-1], 2))


if __name__ == "__main__":
    main()
