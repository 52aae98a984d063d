"""Coherent dedispersion of a pulsar signal, dispersion measure by gradient search."""
import numpy as np
import tensorflow as tf

K_DM = 4.148808e3
BAND = {"low_mhz": 1200.0, "high_mhz": 1600.0, "samples": 512, "rate_mhz": 0.064}


def pulse_train(samples, rng):
    phase = (np.arange(samples) % 64) / 64.0
    pulse = np.exp(-0.5 * ((phase - 0.5) / 0.03) ** 2)
    noise = rng.normal(size=(2, samples)) * 0.1
    return (pulse + noise[0] + 1j * noise[1]).astype("complex64")


def chirp(freqs, dm):
    """Transfer function of the interstellar medium."""
    f0 = tf.reduce_mean(freqs)
    delta = freqs - f0
    phase = 2 * np.pi * K_DM * 1e3 * dm * delta ** 2 / (f0 ** 2 * (f0 + delta))
    return tf.complex(tf.cos(phase), tf.sin(phase))


def disperse(signal, freqs, dm):
    return tf.signal.ifft(tf.signal.fft(signal) * chirp(freqs, dm))


def fold_contrast(signal, period=64):
    power = tf.abs(signal) ** 2
    profile = tf.reduce_mean(tf.reshape(power, [-1, period]), axis=0)
    return tf.math.reduce_variance(profile) / tf.reduce_mean(profile) ** 2


def search(observed, freqs, start, steps=12):
    dm = tf.Variable(start, dtype=tf.float64)
    opt = tf.keras.optimizers.SGD(0.02)
    for i in range(steps):
        with tf.GradientTape() as tape:
            cleaned = disperse(observed, freqs, -dm)
            loss = -fold_contrast(cleaned)
        opt.apply_gradients([(tape.gradient(loss, dm), dm)])
        if i % 4 == 0:
            print(f"step {i} dm {float(dm):.4f} contrast {-float(loss):.4f}")
    return float(dm)


def main():
    rng = np.random.default_rng(1919)
    freqs = tf.constant(np.linspace(BAND["low_mhz"], BAND["high_mhz"], BAND["samples"]))
    clean = tf.constant(pulse_train(BAND["samples"], rng))
    print("signal", clean.dtype.name, "channels", freqs.dtype.name)
    true_dm = tf.constant(0.5, freqs.dtype)
    observed = disperse(clean, freqs, true_dm)
    found = search(observed, freqs, 0.45)
    print("dispersion measure", round(found, 3))


if __name__ == "__main__":
    main()
