"""Bird-call classifier: ragged batches, length buckets, py_function augmentation, gradient accumulation."""
import threading

import numpy as np
import tensorflow as tf

CLASSES, MELS, ACCUM = 5, 12, 4
BOUNDS = [16, 32]
augmented = threading.Lock(), []


def calls(n=120, seed=6):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        k = int(rng.integers(CLASSES))
        length = int(rng.integers(5, 48))
        x = rng.normal(0, 0.5, (length, MELS))
        x[:, 2 * k: 2 * k + 2] += 1.0
        yield x.astype("float32"), k


def stretch(x, y):
    """Drops or doubles frames; the new length is not known before, so its axis stays None."""
    def work(a):
        a = a.numpy()
        rng = np.random.default_rng(len(a))
        keep = np.sort(rng.integers(0, len(a), max(4, int(len(a) * rng.uniform(0.7, 1.3)))))
        with augmented[0]:
            augmented[1].append(len(keep) - len(a))
        return a[keep]

    out = tf.py_function(work, [x], tf.float32)
    out.set_shape((None, MELS))
    return out, y


def bucketed():
    ds = tf.data.Dataset.from_generator(
        calls, output_signature=(tf.TensorSpec((None, MELS), tf.float32), tf.TensorSpec((), tf.int64))
    )
    ds = ds.map(stretch, num_parallel_calls=2)
    return ds.bucket_by_sequence_length(lambda x, y: tf.shape(x)[0], BOUNDS, [12, 8, 5], pad_to_bucket_boundary=False)


class CallNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.proj = tf.keras.layers.Dense(24, "relu")
        self.out = tf.keras.layers.Dense(CLASSES)

    def call(self, x):
        real = tf.cast(tf.reduce_any(tf.not_equal(x, 0.0), -1, keepdims=True), tf.float32)
        h = tf.reduce_sum(self.proj(x) * real, 1) / tf.reduce_sum(real, 1)
        return self.out(h)


class Accumulator:
    def __init__(self, variables):
        self.sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.rows = tf.Variable(0.0, trainable=False)

    def add(self, grads, rows):
        for s, g in zip(self.sums, grads):
            s.assign_add(g)
        self.rows.assign_add(rows)

    def take(self):
        out = [s / self.rows for s in self.sums]
        for s in self.sums:
            s.assign(tf.zeros_like(s))
        self.rows.assign(0.0)
        return out


def main():
    tf.keras.utils.set_random_seed(3)
    net, opt = CallNet(), tf.keras.optimizers.Adam(0.02)
    net(tf.zeros((1, 4, MELS)))
    acc = Accumulator(net.trainable_variables)

    # sum, not mean: the accumulator divides by the rows of all micro batches
    @tf.function(input_signature=[tf.TensorSpec((None, None, MELS)), tf.TensorSpec((None,), tf.int64)])
    def micro(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(y, net(x)))
        n = tf.cast(tf.shape(x)[0], tf.float32)
        acc.add(tape.gradient(loss, net.trainable_variables), n)
        return loss / n

    shapes = set()
    for epoch in range(3):
        losses, updates = [], 0
        for i, (x, y) in enumerate(bucketed(), 1):
            shapes.add(tuple(x.shape))
            losses.append(float(micro(x, y)))
            if i % ACCUM == 0:
                opt.apply_gradients(zip(acc.take(), net.trainable_variables))
                updates += 1
        if float(acc.rows) > 0:
            opt.apply_gradients(zip(acc.take(), net.trainable_variables))
            updates += 1
        print(f"epoch {epoch} micro batches {len(losses)} updates {updates} loss {np.mean(losses):.3f}")
    r = tf.ragged.constant([[1, 2, 3], [], [4]])
    print("ragged rows", r.row_lengths().numpy().tolist(), "->", r.to_tensor().shape)
    print("batch shapes seen", len(shapes), "traces", micro.experimental_get_tracing_count(), "augmented", len(augmented[1]))


if __name__ == "__main__":
    main()
