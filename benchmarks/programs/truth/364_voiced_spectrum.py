"""Mean spectrum of the voiced part of an utterance."""
from dataclasses import dataclass
from typing import Optional

import numpy as np
import tensorflow as tf


@dataclass
class Analysis:
    rate: int = 8000
    floor: float = 0.15
    n_fft: Optional[int] = None
    bands: int = 24
    compress: float = 0.33


class VoicedSpectrum(tf.Module):
    def __init__(self, analysis):
        super().__init__()
        self.a = analysis
        self.kernel = tf.constant(np.hanning(65) / np.hanning(65).sum(), tf.float32)

    def envelope(self, wave):
        power = tf.square(wave)[None, :, None]
        smooth = tf.nn.conv1d(power, self.kernel[:, None, None], 1, "SAME")
        return tf.sqrt(smooth[0, :, 0] + 1e-9)

    def voiced(self, wave):
        env = self.envelope(wave)
        return tf.boolean_mask(wave, env > self.a.floor * tf.reduce_max(env))

    def spectrum(self, wave):
        length = None if self.a.n_fft is None else [self.a.n_fft]
        z = tf.signal.rfft(wave, fft_length=length)
        return tf.pow(tf.abs(z), self.a.compress)

    @tf.function(jit_compile=True)
    def __call__(self, wave):
        spec = self.spectrum(self.voiced(wave))
        return tf.reduce_mean(spec), tf.reduce_max(spec)


def utterance(rng, seconds, rate):
    t = np.arange(int(seconds * rate)) / rate
    gate = (np.sin(2 * np.pi * 1.5 * t) > 0).astype(float)
    pitch = rng.uniform(90, 220)
    wave = sum(np.sin(2 * np.pi * pitch * k * t) / k for k in (1, 2, 3))
    return (gate * wave + 0.01 * rng.normal(size=t.size)).astype("float32")


def main():
    rng = np.random.default_rng(8)
    analysis = Analysis()
    measure = VoicedSpectrum(analysis)
    rows = []
    for _ in range(3):
        wave = tf.constant(utterance(rng, 1.0, analysis.rate))
        mean, peak = measure(wave)
        rows.append((float(mean), float(peak)))
    print("mean and peak", np.round(rows, 3).tolist())


if __name__ == "__main__":
    main()
