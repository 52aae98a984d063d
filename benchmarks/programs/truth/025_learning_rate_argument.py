"""Gradient descent on Rosenbrock with a decaying step size."""
import numpy as np
import tensorflow as tf


def rosenbrock(p):
    return (1.0 - p[0]) ** 2 + 20.0 * (p[1] - p[0] ** 2) ** 2


@tf.function
def step(p, lr):
    with tf.GradientTape() as tape:
        tape.watch(p)
        value = rosenbrock(p)
    return p - lr * tape.gradient(value, p), value


def schedule(base, decay, steps):
    for i in range(steps):
        yield base / (1.0 + decay * i)


def optimise(start, steps=40):
    p = tf.constant(start)
    trace = []
    for lr in schedule(0.004, 0.01, steps):
        p, value = step(p, lr)
        trace.append(float(value))
    return p.numpy(), trace


if __name__ == "__main__":
    point, trace = optimise([-0.5, 0.5])
    print("start", round(trace[0], 4), "end", round(trace[-1], 4))
    print("point", np.round(point, 3))
