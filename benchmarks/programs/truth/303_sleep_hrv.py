"""Sleep-stage hints from heart-beat intervals: spectral features for each five-minute window, then a small network."""
import numpy as np
import tensorflow as tf

BEATS = 256
BANDS = {"vlf": (0.003, 0.04), "lf": (0.04, 0.15), "hf": (0.15, 0.4)}


def nights(n, seed):
    """Windows of beat-to-beat intervals [s] with artefacts (missed and doubled beats)."""
    rng = np.random.default_rng(seed)
    deep = rng.random(n) < 0.45
    t = np.arange(BEATS)
    rr = np.empty((n, BEATS))
    for i in range(n):
        lf, hf = (0.015, 0.05) if deep[i] else (0.05, 0.02)
        rr[i] = 0.95 + lf * np.sin(2 * np.pi * 0.1 * t + rng.uniform(0, 6)) + hf * np.sin(2 * np.pi * 0.25 * t + rng.uniform(0, 6))
        rr[i] += rng.normal(0, 0.02, BEATS)
    missed = rng.random(rr.shape) < 0.03
    rr = np.where(missed, rr * 2.0, rr)
    return rr.astype("float32"), deep.astype("float32")


def plausible(rr):
    middle = tf.reduce_mean(rr)
    return tf.abs(rr - middle) < 0.35


def band_power(power, freq, band):
    lo, hi = BANDS[band]
    inside = tf.cast((freq >= lo) & (freq < hi), power.dtype)
    return tf.reduce_sum(power * inside)


def spectrum(x):
    x = x - tf.reduce_mean(x)
    n = tf.shape(x)[0]
    power = tf.square(tf.abs(tf.signal.fft(tf.cast(x, tf.complex64))))
    freq = tf.cast(tf.range(n), tf.float32) / tf.cast(n, tf.float32)
    return power / tf.cast(n, tf.float32), freq


@tf.function(jit_compile=True)
def window_features(rr):
    clean = tf.boolean_mask(rr, plausible(rr))
    power, freq = spectrum(clean)
    vlf, lf, hf = [band_power(power, freq, b) for b in BANDS]
    rmssd = tf.sqrt(tf.reduce_mean(tf.square(clean[1:] - clean[:-1])))
    return tf.stack([tf.math.log(vlf + 1e-6), tf.math.log(lf + 1e-6), tf.math.log(hf + 1e-6),
                     lf / (lf + hf), 20.0 * rmssd, tf.reduce_mean(clean)])


def table(rr):
    return np.stack([window_features(tf.constant(row)).numpy() for row in rr])


def classifier(train_x):
    norm = tf.keras.layers.Normalization()
    norm.adapt(train_x)
    model = tf.keras.Sequential([
        tf.keras.Input((train_x.shape[1],)),
        norm,
        tf.keras.layers.Dense(12, activation="relu"),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def main():
    tf.keras.utils.set_random_seed(2)
    rr, deep = nights(300, seed=0)
    print(f"{len(rr)} windows, {deep.mean():.0%} deep sleep")
    x = table(rr)
    model = classifier(x[:240])
    model.fit(x[:240], deep[:240], epochs=8, batch_size=24, verbose=0)
    loss, acc = model.evaluate(x[240:], deep[240:], verbose=0)
    print(f"held-out windows: loss {loss:.3f} accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
