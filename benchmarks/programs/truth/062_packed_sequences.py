"""Pack sequences of different length into one stream for an RNN cell."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(7)


def pack(sequences):
    order = sorted(range(len(sequences)), key=lambda i: -len(sequences[i]))
    sizes = [sum(len(s) > t for s in sequences) for t in range(len(sequences[order[0]]))]
    steps = [np.stack([sequences[i][t] for i in order[:size]]) for t, size in enumerate(sizes)]
    return np.concatenate(steps), sizes, order


def run(cell, data, sizes):
    hidden = tf.zeros([sizes[0], cell.units])
    finished, offset = [], 0
    for size in sizes:
        finished.append(hidden[size:])
        hidden = hidden[:size]
        hidden, _ = cell(data[offset:offset + size], [hidden])
        offset += size
    finished.append(hidden)
    return tf.concat(finished[::-1], axis=0)


rng = np.random.default_rng(7)
lengths = [5, 2, 7, 3]
sequences = [rng.normal(size=(n, 4)).astype("float32") for n in lengths]
data, sizes, order = pack(sequences)
cell = tf.keras.layers.GRUCell(6)
states = run(cell, tf.constant(data), sizes)
for rank, i in enumerate(order):
    h = tf.zeros([1, 6])
    for row in sequences[i]:
        h, _ = cell(row[None], [h])
    np.testing.assert_allclose(states[rank], h[0], atol=1e-5)
print("packed rows", len(data), "step sizes", sizes, "states", states.shape)
