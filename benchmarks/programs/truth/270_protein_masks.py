"""Residue-level secondary-structure labels from padded protein batches, with a compiled step."""
import numpy as np
import tensorflow as tf

AMINO = "ACDEFGHIKLMNPQRSTVWY"
STATES = 3
PADDED = 40


def proteins(n, rng):
    """Random chains with runs of helix, sheet and coil; helix formers are enriched in helices."""
    ids = np.zeros((n, PADDED), "int32")
    states = np.zeros((n, PADDED), "int32")
    lengths = rng.integers(12, PADDED, n).astype("int32")
    for i, length in enumerate(lengths):
        at = 0
        while at < length:
            run, s = rng.integers(3, 9), rng.integers(0, STATES)
            stop = min(at + run, length)
            states[i, at:stop] = s
            ids[i, at:stop] = 1 + (rng.integers(0, 7, stop - at) + 6 * s) % len(AMINO)
            at = stop
    return ids, states, lengths


class Labeller(tf.Module):
    def __init__(self, width):
        super().__init__()
        g = tf.random.Generator.from_seed(8)
        self.table = tf.Variable(g.normal([len(AMINO) + 1, width], stddev=0.3))
        self.conv = tf.Variable(g.normal([7, width, width], stddev=0.1))
        self.head = tf.Variable(g.normal([width, STATES], stddev=0.2))

    def __call__(self, ids, keep):
        h = tf.gather(self.table, ids) * keep[..., tf.newaxis]
        h = h + tf.nn.relu(tf.nn.conv1d(h, self.conv, 1, "SAME"))
        return tf.einsum("btd,ds->bts", h, self.head)


def trim(ids, states, lengths):
    """Shows the model a prefix of varying length and says which residues are real."""
    width = tf.random.uniform([], 12, PADDED + 1, dtype=tf.int32)
    keep = tf.sequence_mask(lengths, width, dtype=tf.float32)
    return ids[:, :width], states[:, :width], keep


def masked_loss(logits, states, keep):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=states, logits=logits)
    return tf.reduce_sum(each * keep) / tf.reduce_sum(keep)


class Loop:
    def __init__(self, model, lr, momentum):
        self.model = model
        self.lr, self.momentum = lr, momentum
        self.velocity = [tf.Variable(tf.zeros_like(v)) for v in model.trainable_variables]

    def step(self, ids, states, lengths):
        with tf.GradientTape() as tape:
            ids, states, keep = trim(ids, states, lengths)
            loss = masked_loss(self.model(ids, keep), states, keep)
        grads = tape.gradient(loss, self.model.trainable_variables)
        for v, m, g in zip(self.model.trainable_variables, self.velocity, grads):
            m.assign(self.momentum * m + tf.convert_to_tensor(g))
            v.assign_sub(self.lr * m)
        return loss


def main():
    rng = np.random.default_rng(15)
    ids, states, lengths = proteins(96, rng)
    print("chains", ids.shape, "longest", lengths.max(), "mean length", lengths.mean().round(1))
    loop = Loop(Labeller(12), lr=0.2, momentum=0.8)
    before = float(loop.step(*map(tf.constant, (ids[:8], states[:8], lengths[:8]))))
    print(f"eager dry run: loss {before:.3f}")
    step = tf.function(loop.step, jit_compile=True)
    ds = tf.data.Dataset.from_tensor_slices((ids, states, lengths)).batch(24, drop_remainder=True)
    for epoch in range(3):
        total = [float(step(*batch)) for batch in ds]
        print(f"epoch {epoch}: loss {np.mean(total):.3f}")


if __name__ == "__main__":
    main()
