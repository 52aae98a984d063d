"""Denoise short seismograms with a mask in the time-frequency plane."""
import argparse
import math

import numpy as np
import tensorflow as tf

CFG = {
    "rate": 100,
    "seconds": 12.3,
    "win": 64,
    "hop": 16,
    "fft": 64,
    "hidden": 24,
    "batch": 8,
}


def n_samples(cfg):
    return int(round(cfg["rate"] * cfg["seconds"]))


def n_frames(cfg):
    # the recorder writes whole windows only
    return 1 + (n_samples(cfg) - cfg["win"]) // cfg["hop"]


def synth(rng, n, cfg):
    """Noise with one wave packet per trace, and when it arrived."""
    t = np.arange(n_samples(cfg)) / cfg["rate"]
    onset = rng.uniform(2.0, 9.0, size=(n, 1))
    env = np.exp(-np.maximum(t - onset, 0.0)) * (t > onset)
    wave = env * np.sin(2 * np.pi * rng.uniform(3, 12, (n, 1)) * t)
    noisy = wave + 0.3 * rng.normal(size=wave.shape)
    return noisy.astype("float32"), wave.astype("float32"), onset[:, 0]


def arrival_mask(onset, cfg):
    """1 for the frames after the arrival, 0 before it."""
    hops = np.arange(n_frames(cfg)) * cfg["hop"] / cfg["rate"]
    return (hops[None, :] >= onset[:, None]).astype("float32")


def spectrum(x, cfg):
    s = tf.signal.stft(x, cfg["win"], cfg["hop"], cfg["fft"], pad_end=True)
    return tf.abs(s)


class MaskNet(tf.keras.Model):
    def __init__(self, cfg):
        super().__init__()
        self.gru = tf.keras.layers.GRU(cfg["hidden"], return_sequences=True)
        self.out = tf.keras.layers.Dense(cfg["fft"] // 2 + 1, activation="sigmoid")

    def call(self, mag):
        return self.out(self.gru(tf.math.log1p(mag)))


def make_dataset(cfg, n, seed):
    rng = np.random.default_rng(seed)
    noisy, clean, onset = synth(rng, n, cfg)
    ds = tf.data.Dataset.from_tensor_slices((noisy, clean, arrival_mask(onset, cfg)))
    return ds.shuffle(n, seed=seed).batch(cfg["batch"])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--eager", action="store_true")
    args = ap.parse_args()
    tf.random.set_seed(3)
    tf.config.run_functions_eagerly(args.eager)

    net = MaskNet(CFG)
    opt = tf.keras.optimizers.Adam(2e-3)

    @tf.function
    def step(noisy, clean, weight):
        target = spectrum(clean, CFG)
        mag = spectrum(noisy, CFG)
        with tf.GradientTape() as tape:
            err = tf.square(net(mag) * mag - target)
            per_frame = tf.reduce_mean(err, axis=-1)
            loss = tf.reduce_sum(per_frame * (0.2 + weight)) / tf.reduce_sum(0.2 + weight)
        grads = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(grads, net.trainable_variables))
        return loss

    train = make_dataset(CFG, 48, seed=0)
    print("traces", 48, "samples", n_samples(CFG), "updates/epoch", math.ceil(48 / CFG["batch"]))
    for epoch in range(args.epochs):
        losses = [float(step(*b)) for b in train]
        print(f"epoch {epoch} loss {np.mean(losses):.5f}")


if __name__ == "__main__":
    main()
