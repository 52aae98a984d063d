"""Snow stability from wind and temperature histories.

usage: 454_avalanche_stack.py [--hours 1000]
"""
import argparse

import numpy as np
import tensorflow as tf


def weather(hours, seed):
    rng = np.random.default_rng(seed)
    temp = -6 + 4 * np.sin(np.arange(hours) / 24 * 2 * np.pi) + rng.normal(0, 1, hours)
    wind = np.abs(rng.normal(5, 3, hours))
    snow = rng.gamma(0.3, 1.0, hours) * (temp < 0)
    return np.stack([temp, wind, snow], axis=1).astype(np.float32)


class History:
    def __init__(self, data, span, hop):
        self.data, self.span, self.hop = data, span, hop

    def __len__(self):
        return len(self.data) // self.hop

    def __getitem__(self, i):
        if i >= len(self):
            raise IndexError(i)
        start = i * self.hop
        return self.data[start:start + self.span]


def label(window):
    load = window[:, 2].sum() + 0.3 * window[:, 1].clip(8).sum() / len(window)
    return np.float32(load > 30.0)


def gather(history):
    xs = [w for w in history]
    ys = [label(w) for w in xs]
    return xs, ys


def model(n_features):
    return tf.keras.Sequential([
        tf.keras.Input((None, n_features)),
        tf.keras.layers.Conv1D(8, 5, activation="relu", padding="causal"),
        tf.keras.layers.GlobalMaxPooling1D(),
        tf.keras.layers.Dense(1),
    ])


def train(net, xs, ys, steps):
    opt = tf.keras.optimizers.SGD(0.01)
    bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    x = tf.stack(xs)
    y = tf.reshape(tf.stack(ys), [-1, 1])
    for i in range(steps):
        with tf.GradientTape() as tape:
            loss = bce(y, net(x, training=True))
        opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return float(loss)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--hours", type=int, default=1000)
    ap.add_argument("--span", type=int, default=72)
    ap.add_argument("--hop", type=int, default=24)
    a = ap.parse_args()
    tf.keras.utils.set_random_seed(3)
    xs, ys = gather(History(weather(a.hours, 5), a.span, a.hop))
    print(len(xs), "windows, dangerous:", int(sum(ys)))
    print("loss %.4f" % train(model(3), xs, ys, 20))
