"""Beats cut out of long ECG recordings, streamed into a classifier."""
import numpy as np
import tensorflow as tf

RATE = 100
BEFORE, AFTER = 30, 50
BATCH = 16


class Recording:
    def __init__(self, ident, seconds, rng):
        self.ident = ident
        n = seconds * RATE
        gaps = rng.normal(0.8, 0.05, int(seconds / 0.8) + 2).clip(0.5)
        self.peaks = (np.cumsum(gaps) * RATE).astype(int)
        self.peaks = self.peaks[self.peaks < n]
        self.signal = rng.normal(0, 0.03, n)
        self.labels = rng.integers(0, 3, len(self.peaks))
        for p, kind in zip(self.peaks, self.labels):
            t = np.arange(n) - p
            near = np.abs(t) < 60
            self.signal[near] += np.exp(-(t[near] / (3.0 + 2 * kind)) ** 2)


def archive(count):
    rng = np.random.default_rng(33)
    return [Recording(f"r{i:02d}", int(rng.integers(20, 30)), rng) for i in range(count)]


def window(signal, peak):
    start = max(0, peak - BEFORE)
    return signal[start:peak + AFTER]


def beats(recordings):
    for rec in recordings:
        usable = [(p, k) for p, k in zip(rec.peaks, rec.labels) if p >= BEFORE]
        for peak, kind in usable:
            cut = window(rec.signal, peak)
            yield ((cut - cut.mean()) / cut.std()).astype("float32"), int(kind)


def stream(recordings, training):
    ds = tf.data.Dataset.from_generator(
        lambda: beats(recordings),
        output_signature=(tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)),
    )
    if training:
        ds = ds.cache().shuffle(256, seed=4)
    return ds.map(lambda s, k: (s[:, None], k)).batch(BATCH).prefetch(1)


class BeatNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.convs = [tf.keras.layers.Conv1D(8, 5, strides=2, activation="relu") for _ in range(2)]
        self.pool = tf.keras.layers.GlobalAveragePooling1D()
        self.out = tf.keras.layers.Dense(3)

    def call(self, x):
        for conv in self.convs:
            x = conv(x)
        return self.out(self.pool(x))


def main():
    records = archive(6)
    train, valid = records[:4], records[4:]
    model = BeatNet()
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(3e-3)
    for epoch in range(2):
        seen, total = 0, 0.0
        for x, y in stream(train, True):
            with tf.GradientTape() as tape:
                loss = loss_fn(y, model(x, training=True))
            optimizer.apply_gradients(
                zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
            seen += len(y)
            total += float(loss) * len(y)
        print(f"epoch {epoch}: {seen} beats, loss {total / seen:.4f}")
    right = sum(int(tf.reduce_sum(tf.cast(tf.argmax(model(x), -1, tf.int32) == y, tf.int32)))
                for x, y in stream(valid, False))
    print("valid, right:", right)


if __name__ == "__main__":
    main()
