"""Mood diary: sentences of an entry are a ragged row; the run always leaves a summary file."""
import json
import os
import tempfile

import numpy as np
import tensorflow as tf

EMO = 6
LIMIT = 20


def diary(n=90, seed=33):
    """Flat list of sentence vectors, and how many sentences each entry has."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 9, n)
    flat = rng.normal(size=(int(lengths.sum()), EMO)).astype("float32")
    return flat, lengths


def without_blank(flat, lengths):
    """Entries without a sentence carry no mood and leave; so do near-silent sentences."""
    loud = np.linalg.norm(flat, axis=1) > 1.0
    return flat[loud], lengths[lengths > 0]


class Summary:
    def __init__(self, folder):
        self.path = os.path.join(folder, "summary.json")
        self.values = {}

    def note(self, **kw):
        self.values.update({k: float(v) for k, v in kw.items()})

    def close(self):
        v = self.values
        with open(self.path, "w") as f:
            json.dump({"mean": v["mean"], "spread": v["spread"], "entries": v["entries"]}, f)


def moods(rt):
    """Attention over the sentences of each entry."""
    w = tf.constant(np.linspace(-1, 1, EMO), tf.float32)
    logit = tf.reduce_sum(rt * w, axis=2)
    att = tf.ragged.map_flat_values(tf.exp, logit)
    total = tf.reduce_sum(att, axis=1, keepdims=True)
    att = (att / total).to_tensor(shape=(None, LIMIT))
    vec = rt.to_tensor(shape=(None, LIMIT, EMO))
    return tf.einsum("bs,bse->be", att, vec)


def run(summary):
    flat, lengths = diary()
    print("entries", len(lengths), "sentences", len(flat))
    try:
        flat, lengths = without_blank(flat, lengths)
        rt = tf.RaggedTensor.from_row_lengths(flat, lengths)
        m = moods(rt)
        summary.note(entries=rt.nrows(), mean=tf.reduce_mean(m), spread=tf.math.reduce_std(m))
        print("mood", np.round(tf.reduce_mean(m, 0).numpy(), 3))
    finally:
        summary.close()


def main():
    with tempfile.TemporaryDirectory() as tmp:
        s = Summary(tmp)
        run(s)
        print(open(s.path).read())


if __name__ == "__main__":
    main()
