"""Multiple-instance graph net: a batch is one flat list of atoms with segment ids.

Molecules have different sizes, so every batch has another number of atoms and bonds; the
signature says so and no batch is traced anew.
"""
import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

import numpy as np
import tensorflow as tf

FEAT = 7


def molecule(rng):
    n = int(rng.integers(1, 14))
    atoms = rng.normal(size=(n, FEAT)).astype("float32")
    # lone atoms have no bonds at all
    bonds = np.array([(i, i + 1) for i in range(n - 1)] + [(i + 1, i) for i in range(n - 1)], "int32").reshape(-1, 2)
    return atoms, bonds, np.float32(atoms[:, 0].max() > 1.0)


def pack(mols):
    atoms, bonds, seg, y = [], [], [], []
    start = 0
    for k, (a, b, t) in enumerate(mols):
        atoms.append(a)
        bonds.append(b + start)
        seg.append(np.full(len(a), k, "int32"))
        y.append(t)
        start += len(a)
    return np.concatenate(atoms), np.concatenate(bonds), np.concatenate(seg), np.array(y)


def stream(count, batch, seed):
    rng = np.random.default_rng(seed)
    while count > 0:
        k = min(batch, count)
        yield pack([molecule(rng) for _ in range(k)])
        count -= k


SPEC = (
    tf.TensorSpec((None, FEAT), tf.float32),
    tf.TensorSpec((None, 2), tf.int32),
    tf.TensorSpec((None,), tf.int32),
    tf.TensorSpec((None,), tf.float32),
)


class BagNet(tf.keras.Model):
    def __init__(self, dim=24, rounds=2):
        super().__init__()
        self.inp = tf.keras.layers.Dense(dim, "relu")
        self.msg = [tf.keras.layers.Dense(dim, "relu") for _ in range(rounds)]
        self.out = tf.keras.layers.Dense(1)

    def call(self, inputs):
        atoms, bonds, seg, bags = inputs
        h = self.inp(atoms)
        for layer in self.msg:
            m = tf.gather(h, bonds[:, 0])
            agg = tf.math.unsorted_segment_sum(m, bonds[:, 1], tf.shape(h)[0])
            h = h + layer(tf.concat([h, agg], -1))
        top = tf.math.unsorted_segment_max(h, seg, bags)
        return self.out(top)[:, 0]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    args, unknown = p.parse_known_args()
    tf.keras.utils.set_random_seed(0)
    net, opt = BagNet(), tf.keras.optimizers.Adam(5e-3)

    @tf.function(input_signature=SPEC, reduce_retracing=True)
    def step(atoms, bonds, seg, y):
        with tf.GradientTape() as tape:
            logit = net((atoms, bonds, seg, tf.size(y)))
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, logit))
        g = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(g, net.trainable_variables))
        return loss

    for e in range(args.epochs):
        sizes, losses = [], []
        # 330 molecules in bags of 32: the last batch has ten
        ds = tf.data.Dataset.from_generator(lambda: stream(330, 32, 1), output_signature=SPEC)
        for b in ds.prefetch(2):
            sizes.append(int(b[0].shape[0]))
            losses.append(float(step(*b)))
        print(f"epoch {e} atoms per batch {min(sizes)}..{max(sizes)} loss {np.mean(losses):.3f}")
    print("traces", step.experimental_get_tracing_count())


if __name__ == "__main__":
    main()
