import functools
import operator

import tensorflow as tf

from config import RUNS
from sales import daily, lag_matrix


def compose(*fs):
    return functools.reduce(lambda f, g: lambda *a: g(f(*a)), fs)


def predict(w, b, x):
    return tf.matmul(x, w) + b


def fit(cfg, x, y):
    w = tf.Variable(tf.zeros([len(cfg.lags), 1]))
    b = tf.Variable(tf.zeros([1]))
    model = functools.partial(predict, w, b)
    error = compose(model, functools.partial(operator.sub, y), tf.square, tf.reduce_mean)

    @tf.function(jit_compile=True)
    def step(x):
        with tf.GradientTape() as tape:
            loss = error(x)
        gw, gb = tape.gradient(loss, [w, b])
        w.assign_sub(cfg.optim.rate * gw)
        b.assign_sub(cfg.optim.rate * gb)
        return loss

    for _ in range(cfg.optim.steps):
        loss = step(x)
    return float(loss), step.experimental_get_tracing_count()


def main():
    for cfg in RUNS:
        x, y = map(tf.constant, lag_matrix(daily(), cfg.lags))
        loss, traces = fit(cfg, x, y)
        print(f"{cfg.name:10s} lags {cfg.lags} design {tuple(x.shape)} mse {loss:.4f} traces {traces}")


if __name__ == "__main__":
    main()
