"""Vital signs with gaps: a GRU with imputation indicators, loss and statistics over observed values."""
import numpy as np
import tensorflow as tf

SIGNALS = ["heart rate", "systolic", "oxygen", "temperature"]
STEPS = 18


def ward(patients, missing, seed):
    rng = np.random.default_rng(seed)
    centre = np.array([80, 120, 96, 37.0])
    spread = np.array([12, 15, 2, 0.5])
    drift = np.cumsum(rng.normal(0, 0.3, (patients, STEPS + 1, 4)), axis=1)
    values = (centre + spread * drift).astype("float32")
    values[rng.random(values.shape) < missing] = np.nan
    values[0, :, 3] = np.nan
    return values


def statistics(values):
    return np.nanmean(values, (0, 1)), np.nanstd(values, (0, 1))


def masked(values, mean, std):
    seen = tf.math.is_finite(values)
    filled = tf.where(seen, values, tf.zeros_like(values) + mean)
    return (filled - mean) / std, tf.cast(seen, tf.float32)


class Forecaster(tf.keras.Model):
    def __init__(self, units):
        super().__init__()
        self.gru = tf.keras.layers.GRU(units, return_sequences=True)
        self.head = tf.keras.layers.Dense(len(SIGNALS))

    def call(self, inputs):
        z, seen = inputs
        return z + self.head(self.gru(tf.concat([z, seen], -1)))


def observed_error(target, seen, guess):
    gap = tf.where(seen > 0, tf.square(target - guess), 0.0)
    return tf.math.divide_no_nan(tf.reduce_sum(gap, 1), tf.reduce_sum(seen, 1))


@tf.function
def train(model, optimizer, now, nxt, mean, std):
    z, seen = masked(now, mean, std)
    target, wanted = masked(nxt, mean, std)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(observed_error(target, wanted, model([z, seen])))
    grads = tape.gradient(loss, model.trainable_variables)
    norm = tf.linalg.global_norm(grads)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss, norm


def main():
    tf.keras.utils.set_random_seed(6)
    values = ward(patients=50, missing=0.3, seed=6)
    print(f"NaN in the input: {np.isnan(values).sum()} of {values.size}")
    print("patients without any temperature (all NaN):", int(np.isnan(values[:, :, 3]).all(1).sum()))
    mean, std = (tf.constant(a, tf.float32) for a in statistics(values))
    model = Forecaster(12)
    optimizer = tf.keras.optimizers.Adam(1e-2)
    pairs = tf.data.Dataset.from_tensor_slices((values[:, :-1], values[:, 1:])).batch(16)
    for epoch in range(3):
        losses = []
        for now, nxt in pairs:
            loss, norm = train(model, optimizer, now, nxt, mean, std)
            losses.append(float(loss))
        print(f"epoch {epoch} loss {np.mean(losses):.4f} gradient norm {float(norm):.3f} "
              f"last batch of {now.shape[0]}")
    z, seen = masked(tf.constant(values[:1, :-1]), mean, std)
    guess = model([z, seen])[0, -1] * std + mean
    for name, value, raw in zip(SIGNALS, guess.numpy(), values[0, -1]):
        print(f"{name:12s} forecast {value:7.2f} measured {raw}")


if __name__ == "__main__":
    main()
