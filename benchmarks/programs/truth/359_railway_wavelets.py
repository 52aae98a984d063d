"""Axle-box vibration: a bank of wavelet filters as grouped convolution, exported and reloaded."""
import os
import tempfile

import numpy as np
import tensorflow as tf

RATE = 200
SCALES = (2.0, 3.5, 6.0)
CHANNELS = 2


def wavelet(scale, taps=31):
    t = np.arange(taps) - taps // 2
    w = np.exp(-0.5 * (t / scale) ** 2) * np.cos(5.0 * t / scale)
    return (w / np.abs(w).sum()).astype("float32")


class WaveletBank(tf.Module):
    """Each channel meets each wavelet; output channels are channel-major."""

    def __init__(self):
        super().__init__()
        bank = np.stack([wavelet(s) for s in SCALES], axis=-1)
        self.kernel = tf.Variable(np.tile(bank[:, None, :], [1, 1, CHANNELS]), trainable=False)
        self.level = tf.Variable(tf.ones([CHANNELS, len(SCALES)]))

    @tf.function(input_signature=[tf.TensorSpec([None, None, CHANNELS], tf.float32)])
    def energies(self, signal):
        y = tf.nn.convolution(signal, self.kernel, strides=3, padding="VALID")
        y = tf.reshape(y, [tf.shape(y)[0], -1, CHANNELS, len(SCALES)])
        return tf.reduce_mean(tf.square(y), axis=1) / self.level

    @tf.function(input_signature=[tf.TensorSpec([CHANNELS, len(SCALES)], tf.float32)])
    def calibrate(self, level):
        self.level.assign(level)
        return self.level


def ride(n, seconds, seed, flat_wheel):
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * RATE))
    x = rng.normal(size=(n, len(t), CHANNELS)) * 0.3
    if flat_wheel:
        x[:, ::23, 0] += 4.0
    return x.astype("float32")


def main():
    bank = WaveletBank()
    good = ride(9, 1.0, seed=1, flat_wheel=False)
    bank.calibrate(tf.reduce_mean(bank.energies(good), axis=0))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bank")
        tf.saved_model.save(bank, path)
        loaded = tf.saved_model.load(path)
        for seconds in (0.37, 1.0, 2.05):
            bad = loaded.energies(ride(4, seconds, seed=2, flat_wheel=True))
            print(f"{seconds:.2f} s -> energies {bad.shape}, channel ratio "
                  f"{float(tf.reduce_mean(bad[:, 0]) / tf.reduce_mean(bad[:, 1])):.2f}")
        try:
            loaded.energies(np.zeros((1, 200, 3), "float32"))
        except (ValueError, TypeError) as err:
            print("three axles are not in the signature:", type(err).__name__)
        else:
            raise AssertionError("the signature must refuse three channels")
        assert np.allclose(loaded.energies(good), bank.energies(good), rtol=1e-4)
    print("kernel", bank.kernel.shape, "for input with", CHANNELS, "channels in groups")


if __name__ == "__main__":
    main()
