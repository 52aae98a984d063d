"""Denoise seismograms with a learned time-frequency mask."""
import numpy as np
import tensorflow as tf

FS = 100
CFG = {
    "frame_length": 64,
    "frame_step": 16,
    "fft_length": None,
    "mask_bins": 32,
}


def synth_events(n, seconds, rng):
    t = np.arange(seconds * FS) / FS
    onset = rng.uniform(1.0, seconds - 2.0, size=(n, 1))
    env = np.where(t > onset, np.exp(-(t - onset) * 2.0), 0.0)
    clean = env * np.sin(2 * np.pi * rng.uniform(4, 12, size=(n, 1)) * t)
    noisy = clean + 0.3 * rng.normal(size=clean.shape)
    return noisy.astype("float32"), clean.astype("float32")


class MaskNet(tf.keras.Model):
    def __init__(self, bins):
        super().__init__()
        self.conv = tf.keras.layers.Conv1D(24, 5, padding="same", activation="relu")
        self.rnn = tf.keras.layers.Bidirectional(
            tf.keras.layers.GRU(16, return_sequences=True))
        self.head = tf.keras.layers.Dense(bins, activation="sigmoid")

    def call(self, mag):
        return self.head(self.rnn(self.conv(mag)))


class SpectralDenoiser(tf.keras.Model):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.net = MaskNet(cfg["mask_bins"])

    def spectrum(self, wave):
        return tf.signal.stft(wave, self.cfg["frame_length"], self.cfg["frame_step"],
                              fft_length=self.cfg["fft_length"], pad_end=True)

    def call(self, wave):
        spec = self.spectrum(wave)
        mag = tf.math.log1p(tf.abs(spec))
        mask = self.net(mag)
        masked = tf.cast(mask, tf.complex64) * spec
        out = tf.signal.inverse_stft(
            masked, self.cfg["frame_length"], self.cfg["frame_step"],
            window_fn=tf.signal.inverse_stft_window_fn(self.cfg["frame_step"]))
        return out[:, : tf.shape(wave)[1]]


def main():
    rng = np.random.default_rng(4)
    noisy, clean = synth_events(12, 6, rng)
    model = SpectralDenoiser(CFG)
    opt = tf.keras.optimizers.Adam(1e-3)
    for step in range(3):
        with tf.GradientTape() as tape:
            est = model(noisy)
            loss = tf.reduce_mean(tf.square(est - clean))
        grads = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        print(f"step {step} loss {float(loss):.4f}")


if __name__ == "__main__":
    main()
