"""Next glucose reading from a strip of past ones, with a guarded training step."""
from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf


@dataclass
class Plan:
    past: int = 16
    ahead: int = 3
    batch: int = 25
    rate: float = 1e-3
    epochs: int = 3


def patients(count, length, seed):
    rng = np.random.default_rng(seed)
    base = rng.uniform(4.5, 9.0, (count, 1))
    walk = np.cumsum(0.2 * rng.normal(size=(count, length)), axis=1)
    return (base + walk).astype("float32")


def strips(readings, plan):
    xs, ys = [], []
    for row in readings:
        for s in range(len(row) - plan.past - plan.ahead + 1):
            xs.append(row[s:s + plan.past])
            ys.append(row[s + plan.past + plan.ahead - 1])
    return np.stack(xs)[..., None], np.array(ys)[:, None]


def standard(x):
    mean = x.mean(axis=-1, keepdims=True)
    spread = x.std(axis=-1, keepdims=True)
    return (x - mean) / spread


def build(plan):
    return keras.Sequential([
        keras.Input((plan.past, 1)),
        keras.layers.Conv1D(8, 3, padding="causal", activation="relu"),
        keras.layers.LSTM(12),
        keras.layers.Dense(1),
    ])


def make_step(net, opt):
    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(net(x, training=True) - y))
            loss = tf.debugging.check_numerics(loss, "loss of the step")
        grads = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(grads, net.trainable_variables))
        return loss
    return step


def main():
    keras.utils.set_random_seed(6)
    plan = Plan()
    x, y = strips(patients(12, 60, seed=2), plan)
    x = standard(x)
    net = build(plan)
    step = make_step(net, keras.optimizers.Adam(plan.rate))
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x), seed=0).batch(plan.batch)
    for epoch in range(plan.epochs):
        losses = [float(step(a, b)) for a, b in ds]
        print("epoch", epoch, "mae", round(float(np.mean(losses)), 4))


if __name__ == "__main__":
    main()
