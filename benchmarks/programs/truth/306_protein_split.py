"""Secondary-structure prediction from sequences. Families must not be shared between training and test."""
import hashlib
import os
import sys

os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

AMINO = "ACDEFGHIKLMNPQRSTVWY"
STATES = "HEC"
LENGTH = 40


class Protein:
    __slots__ = ("name", "family", "seq", "ss")

    def __init__(self, name, family, seq, ss):
        self.name, self.family, self.seq, self.ss = name, family, seq, ss


def make_proteins(families=60, members=8, seed=0):
    rng = np.random.default_rng(seed)
    bias = {"H": "AELMQKRH", "E": "VIYCWFT", "C": "GNPSD"}
    out = []
    for f in range(families):
        ss = "".join(rng.choice(list(STATES), LENGTH // 5).repeat(5))
        for m in range(members):
            seq = "".join(
                rng.choice(list(bias[s])) if rng.random() < 0.7 else rng.choice(list(AMINO)) for s in ss
            )
            out.append(Protein(f"fam{f:03d}_{m}", f"FAM{f:03d}" if m else f"fam{f:03d}", seq, ss))
    rng.shuffle(out)
    return out


def bucket(family, buckets=10):
    return int(hashlib.sha1(family.encode()).hexdigest(), 16) % buckets


def split(proteins, test_buckets=(0, 1)):
    train, test = [], []
    for p in proteins:
        (test if bucket(p.family) in test_buckets else train).append(p)
    return train, test


def check_split(train, test):
    a = {p.family.lower() for p in train}
    b = {p.family.lower() for p in test}
    assert train and test, "a part of the split is empty"
    assert not a & b, f"{len(a & b)} families are in both parts, e.g. {sorted(a & b)[:3]}"


def encode(proteins):
    x = np.array([[AMINO.index(c) for c in p.seq] for p in proteins], "int32")
    y = np.array([[STATES.index(c) for c in p.ss] for p in proteins], "int32")
    return x, y


def build(width=24):
    inp = tf.keras.Input((LENGTH,), dtype="int32")
    h = layers.Embedding(len(AMINO), 8)(inp)
    h = layers.Conv1D(width, 7, padding="same", activation="relu")(h)
    h = layers.Bidirectional(layers.GRU(12, return_sequences=True))(h)
    h = layers.Dropout(0.2)(h)
    return tf.keras.Model(inp, layers.Dense(len(STATES))(h))


def main():
    tf.keras.utils.set_random_seed(3)
    proteins = make_proteins()
    train, test = split(proteins)
    print(f"{len(train)} training and {len(test)} test proteins", file=sys.stderr)
    check_split(train, test)

    model = build()
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"],
                  jit_compile=False)
    model.fit(*encode(train), batch_size=32, epochs=3, verbose=2)
    print("Q3 on new families:", round(model.evaluate(*encode(test), verbose=0)[1], 3))


if __name__ == "__main__":
    main()
