"""Promoter scores for sequencing reads of any length: ragged batches, padded to a few lengths for a compiled step."""
import numpy as np
import tensorflow as tf

BUCKETS = (16, 32, 48)
BASES = "ACGT"
PADDING = 4


def reads(n, seed):
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for _ in range(n):
        seq = rng.integers(0, 4, rng.integers(6, 49))
        label = int(rng.random() < 0.5)
        if label:
            at = rng.integers(0, len(seq) - 5)
            seq[at:at + 6] = [3, 0, 3, 0, 0, 3][: len(seq) - at]
        rows.append(seq.tolist())
        labels.append(label)
    return tf.ragged.constant(rows, dtype=tf.int32), np.array(labels, "float32")


def bucket(length):
    return next(b for b in BUCKETS if length <= b)


def batches(rows, labels, size):
    order = np.argsort(rows.row_lengths().numpy(), kind="stable")
    for start in range(0, len(order), size):
        pick = order[start:start + size]
        part = tf.gather(rows, pick)
        width = bucket(int(tf.reduce_max(part.row_lengths())))
        dense = part.to_tensor(default_value=PADDING, shape=[None, width])
        spare = size - len(pick)
        dense = tf.pad(dense, [[0, spare], [0, 0]], constant_values=PADDING)
        weight = np.r_[np.ones(len(pick)), np.zeros(spare)].astype("float32")
        target = np.r_[labels[pick], np.zeros(spare)].astype("float32")
        yield dense, tf.constant(target), tf.constant(weight)


class Motif(tf.Module):
    def __init__(self, width=6, filters=8):
        super().__init__()
        g = tf.random.Generator.from_seed(9)
        self.kernel = tf.Variable(g.normal([width, 4, filters]) * 0.3)
        self.mix = tf.Variable(g.normal([filters, 1]) * 0.3)
        self.bias = tf.Variable([0.0])
        self.traces = []

    def logits(self, ids):
        x = tf.one_hot(ids, 4)
        h = tf.nn.relu(tf.nn.conv1d(x, self.kernel, 1, "SAME"))
        real = tf.cast(ids != PADDING, tf.float32)[..., None]
        return (tf.reduce_max(h * real, axis=1) @ self.mix + self.bias)[:, 0]

    @tf.function(jit_compile=True)
    def step(self, ids, target, weight, rate):
        self.traces.append(ids.shape)
        weights = [self.kernel, self.mix, self.bias]
        with tf.GradientTape() as tape:
            each = tf.nn.sigmoid_cross_entropy_with_logits(target, self.logits(ids))
            loss = tf.reduce_sum(each * weight) / tf.reduce_sum(weight)
        for v, g in zip(weights, tape.gradient(loss, weights)):
            v.assign_sub(rate * g)
        return loss


def main():
    rows, labels = reads(90, 4)
    print("rows", rows.shape, "lengths", int(tf.reduce_min(rows.row_lengths())), "to",
          int(tf.reduce_max(rows.row_lengths())))
    model = Motif()
    for epoch in range(3):
        losses = [float(model.step(*b, tf.constant(0.3))) for b in batches(rows, labels, 16)]
        print(f"epoch {epoch}: {len(losses)} batches, loss {np.mean(losses):.4f}, retraced {len(model.traces)} times")
    for shape in model.traces:
        print("  traced for", tuple(shape))
    assert len(model.traces) <= len(BUCKETS)
    line = "".join(BASES[i] for i in rows[0].numpy())
    print(line[:20], float(model.logits(rows[:1].to_tensor())[0]) > 0)


if __name__ == "__main__":
    main()
