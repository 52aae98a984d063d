"""AIS tracks of different length, padded to the longest; a GRU-free dead reckoning net."""
import os
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"


@dataclass(frozen=True)
class Setup:
    n_ships: int = 80
    longest: int = 40
    batch: int = 16
    rate: float = 0.05


def tracks(setup, seed=33):
    rng = np.random.default_rng(seed)
    lengths = np.sort(rng.integers(12, setup.longest, setup.n_ships))[::-1].copy()
    lengths[:18] = setup.longest
    pos = np.zeros((setup.n_ships, setup.longest, 2), np.float32)
    for i, n in enumerate(lengths):
        course = np.cumsum(rng.normal(0, 0.05, n)) + rng.uniform(0, 6.28)
        pos[i, :n] = np.cumsum(np.stack([np.cos(course), np.sin(course)], 1) * 0.1, axis=0)
    return pos, lengths.astype(np.int32)


def valid_steps(lengths):
    return tf.sequence_mask(lengths, dtype=tf.float32)


def prepare(setup):
    pos, lengths = tracks(setup)
    ds = tf.data.Dataset.from_tensor_slices((pos, lengths)).batch(setup.batch)
    return ds.map(lambda p, n: (p, valid_steps(n)))


class Reckoner(tf.Module):
    def __init__(self):
        super().__init__()
        self.mix = tf.Variable([[0.5, 0.1], [-0.1, 0.5]])

    @tf.function(input_signature=[
        tf.TensorSpec([None, None, 2], tf.float32),
        tf.TensorSpec([None, None], tf.float32),
        tf.TensorSpec([], tf.float32),
    ])
    def train(self, pos, mask, rate):
        with tf.GradientTape() as tape:
            move = (pos[:, 1:] - pos[:, :-1]) * mask[:, 1:, None]
            guess = tf.einsum("btc,cd->btd", move[:, :-1], self.mix)
            err = tf.reduce_sum(tf.square(move[:, 1:] - guess), -1)
            loss = tf.reduce_sum(err) / tf.reduce_sum(mask[:, 2:])
        self.mix.assign_sub(rate * tape.gradient(loss, self.mix))
        return loss


def main(setup=Setup()):
    net = Reckoner()
    for e in range(3):
        for k, (pos, mask) in enumerate(prepare(setup)):
            loss = net.train(pos, mask, setup.rate)
            print(f"epoch {e} batch {k} loss {float(loss):.5f}")


if __name__ == "__main__":
    main()
