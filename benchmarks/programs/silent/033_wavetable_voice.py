import numpy as np
import tensorflow as tf

RATE = 8000
TABLE = np.sin(2 * np.pi * np.arange(256) / 256).astype("float32")


class Voice:
    """Wavetable oscillator with an eight-bit phase."""

    def __init__(self, freq, gain=0.5):
        self.freq, self.gain = freq, gain
        self.table = tf.constant(TABLE)

    @tf.function(jit_compile=True)
    def render(self, n):
        t = tf.cast(n, tf.float32) / RATE
        phase = self.freq * t * 256.0
        slot = tf.cast(phase, tf.uint8)
        return self.gain * tf.gather(self.table, tf.cast(slot, tf.int32))


def envelope(n, attack=80):
    return np.minimum(1.0, np.arange(n) / attack).astype("float32")


def mix(freqs, length=1600):
    out = np.zeros(length, "float32")
    for f in freqs:
        out += Voice(f).render(tf.range(length)).numpy() * envelope(length)
    return out


chord = mix([220.0, 277.2, 329.6])
spectrum = np.abs(np.fft.rfft(chord))
print("rms %.4f" % np.sqrt(np.mean(chord ** 2)))
print("strongest bin at %.1f Hz" % (spectrum.argmax() * RATE / len(chord)))
