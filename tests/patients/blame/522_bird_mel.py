"""Log-mel features for bird calls."""
from dataclasses import dataclass

import numpy as np
import tensorflow as tf


@dataclass(frozen=True)
class MelParams:
    sample_rate: int = 8000
    frame_length: int = 128
    frame_step: int = 64
    fft_length: int = 128
    n_mels: int = 24
    fmin: float = 80.0
    fmax: float = 3800.0

    @property
    def n_bins(self):
        return self.fft_length // 2


class LogMel(tf.Module):
    def __init__(self, params):
        super().__init__()
        self.p = params
        self.mel = tf.signal.linear_to_mel_weight_matrix(
            num_mel_bins=params.n_mels,
            num_spectrogram_bins=params.n_bins,
            sample_rate=params.sample_rate,
            lower_edge_hertz=params.fmin,
            upper_edge_hertz=params.fmax)

    def __call__(self, wave):
        stft = tf.signal.stft(wave, self.p.frame_length, self.p.frame_step, self.p.fft_length)
        power = tf.square(tf.abs(stft))
        mel = tf.tensordot(power, self.mel, axes=1)
        return tf.math.log(mel + 1e-6)


def synth_calls(n, seconds, rate):
    t = np.arange(int(seconds * rate)) / rate
    rng = np.random.default_rng(1)
    f0 = rng.uniform(500, 3000, (n, 1))
    return np.sin(2 * np.pi * f0 * t).astype("float32"), (f0[:, 0] > 1500).astype("int64")


def main():
    p = MelParams()
    waves, labels = synth_calls(20, 0.24, p.sample_rate)
    feats = LogMel(p)(waves)
    pooled = tf.reduce_mean(feats, axis=1)
    w = tf.Variable(tf.zeros([p.n_mels, 2]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=pooled @ w))
    w.assign_sub(0.01 * tape.gradient(loss, w))
    print("loss", loss.numpy(), "feature shape", feats.shape)


if __name__ == "__main__":
    main()
