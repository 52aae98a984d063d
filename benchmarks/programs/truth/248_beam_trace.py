"""Ray tracing through a gradient-index rod: positions along the path, gathered in a graph loop."""
import numpy as np
import tensorflow as tf

ROD = {"n0": 1.6, "alpha": 0.35, "length": 6.0, "step": 0.25}


class Medium:
    def __init__(self, n0, alpha):
        self.n0 = tf.constant(n0, tf.float32)
        self.alpha = tf.Variable(alpha, dtype=tf.float32)

    def index(self, r):
        return self.n0 * (1.0 - 0.5 * self.alpha ** 2 * tf.reduce_sum(r * r, -1, keepdims=True))

    def bend(self, r):
        return -self.n0 * self.alpha ** 2 * r / self.index(r)


def launch(rays, seed):
    rng = np.random.default_rng(seed)
    r = rng.uniform(-0.5, 0.5, (rays, 2)).astype("float32")
    v = rng.normal(0, 0.05, (rays, 2)).astype("float32")
    return tf.constant(r), tf.constant(v)


def leapfrog(medium, r, v, h):
    half = v + 0.5 * h * medium.bend(r)
    r = r + h * half
    return r, half + 0.5 * h * medium.bend(r)


def record(path, r):
    return tf.concat([path, r[None]], axis=0)


class Tracer(tf.Module):
    def __init__(self, medium, rod):
        super().__init__()
        self.medium, self.h = medium, rod["step"]
        self.count = int(rod["length"] / rod["step"])

    @tf.function
    def trace(self, r, v):
        path = r[None]

        def more(i, r, v, path):
            return i < self.count

        def advance(i, r, v, path):
            r, v = leapfrog(self.medium, r, v, self.h)
            return i + 1, r, v, record(path, r)

        _, r, v, path = tf.while_loop(more, advance, [tf.constant(0), r, v, path])
        return path


def fit_alpha(tracer, r, v, target, steps):
    optimizer = tf.keras.optimizers.SGD(0.05)
    for s in range(steps):
        with tf.GradientTape() as tape:
            end = tracer.trace(r, v)[-1]
            loss = tf.reduce_mean(tf.square(end - target))
        g = tape.gradient(loss, tracer.medium.alpha)
        optimizer.apply_gradients([(g, tracer.medium.alpha)])
        print(f"step {s}: loss {float(loss):.5f} alpha {float(tracer.medium.alpha):.4f}")


def main():
    r, v = launch(5, seed=2)
    truth = Tracer(Medium(ROD["n0"], 0.4), ROD)
    target = truth.trace(r, v)[-1]
    guess = Tracer(Medium(ROD["n0"], ROD["alpha"]), ROD)
    fit_alpha(guess, r, v, target, 3)


if __name__ == "__main__":
    main()
