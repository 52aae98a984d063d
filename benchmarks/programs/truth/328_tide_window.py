"""Tide-gauge windows with tf.signal.frame, ragged tails kept, padded batches printed."""
import numpy as np
import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE


def gauge(rng, hours):
    t = np.arange(hours)
    level = np.cos(2 * np.pi * t / 12.42) + 0.3 * np.cos(2 * np.pi * t / 24.07)
    return (level + 0.05 * rng.normal(size=hours)).astype("float32")


def station_stream(lengths, seed):
    def gen():
        rng = np.random.default_rng(seed)
        for i, n in enumerate(lengths):
            yield np.int32(i), gauge(rng, n)
    return tf.data.Dataset.from_generator(
        gen, output_signature=(tf.TensorSpec([], tf.int32),
                               tf.TensorSpec([None], tf.float32)))


def to_windows(station, level):
    win = tf.signal.frame(level, 25, 25, pad_end=True, pad_value=np.nan)
    mask = tf.math.is_finite(win)
    return station, tf.where(mask, win, 0.0), mask


def harmonic_fit(win, mask):
    t = tf.range(25, dtype=tf.float32)
    basis = tf.stack([tf.ones_like(t),
                      tf.cos(2 * np.pi * t / 12.42), tf.sin(2 * np.pi * t / 12.42),
                      tf.cos(2 * np.pi * t / 24.07), tf.sin(2 * np.pi * t / 24.07)], axis=1)
    w = tf.cast(mask, tf.float32)[..., None]
    a = w * basis
    return tf.linalg.lstsq(a, win[..., None], l2_regularizer=1e-2)[..., 0]


def main():
    lengths = [100, 131, 26, 250, 75]
    ds = station_stream(lengths, 12).map(to_windows, num_parallel_calls=AUTOTUNE)
    ds = ds.padded_batch(2, padding_values=(np.int32(-1), 0.0, False),
                         padded_shapes=([], [None, 25], [None, 25]))
    seen = 0
    for stations, win, mask in ds:
        coef = harmonic_fit(win, mask)
        full = tf.reduce_any(mask, axis=-1)
        seen += int(tf.reduce_sum(tf.cast(full, tf.int32)))
        amp = tf.sqrt(coef[..., 1] ** 2 + coef[..., 2] ** 2)
        print("stations", stations.numpy().tolist(), "windows", win.shape,
              "coef", coef.shape, "M2", float(tf.reduce_mean(tf.boolean_mask(amp, full))))
    want = sum(-(-n // 25) for n in lengths)
    print("windows with data", seen, "of", want)
    assert seen == want
    try:
        harmonic_fit(win[:, :, :24], mask[:, :, :24])
    except tf.errors.InvalidArgumentError as err:
        print("a short window is refused, as it must be:", err.message.split("[Op")[0][:60])


if __name__ == "__main__":
    main()
