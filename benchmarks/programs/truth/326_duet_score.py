"""Score following: merge ragged note streams of two instruments per bar."""
import numpy as np
import tensorflow as tf


def random_part(rng, bars, low, high, features):
    lengths = rng.integers(low, high, size=bars)
    flat = rng.normal(size=(int(lengths.sum()), features)).astype("float32")
    return tf.RaggedTensor.from_row_lengths(flat, lengths)


class PartEncoder(tf.Module):
    def __init__(self, features, width, seed):
        super().__init__()
        init = np.random.default_rng(seed).normal(size=(features, width)) * 0.3
        self.w = tf.Variable(init.astype("float32"))

    def __call__(self, notes):
        return tf.ragged.map_flat_values(lambda f: tf.nn.tanh(f @ self.w), notes)


class DuetModel(tf.Module):
    def __init__(self, width=10):
        super().__init__()
        self.violin = PartEncoder(4, width, 0)
        self.cello = PartEncoder(4, width, 1)
        self.score = tf.Variable(tf.ones([width, 1]) * 0.1)

    def __call__(self, violin, cello):
        merged = tf.concat([self.violin(violin), self.cello(cello)], axis=1)
        per_bar = tf.reduce_mean(merged, axis=1)
        return tf.squeeze(per_bar @ self.score, axis=-1)


def main():
    rng = np.random.default_rng(440)
    bars = 24
    pickup = 1  # the cello rests during the upbeat
    violin = random_part(rng, bars, 2, 9, 4)
    cello = random_part(rng, bars - pickup, 1, 5, 4)
    print("violin", violin.shape, "notes", int(violin.row_splits[-1]))
    print("cello", cello.shape, "notes", int(cello.row_splits[-1]))
    tempo = rng.uniform(-1, 1, size=bars).astype("float32")

    model = DuetModel()
    opt = tf.keras.optimizers.SGD(0.1)
    for epoch in range(4):
        with tf.GradientTape() as tape:
            pred = model(violin, cello)
            loss = tf.reduce_mean(tf.square(pred - tempo))
        grads = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        print("epoch", epoch, "loss", round(float(loss), 4))
    print("bars scored:", pred.shape[0])


if __name__ == "__main__":
    main()
