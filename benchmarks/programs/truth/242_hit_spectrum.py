"""Online monitor of a drift chamber: per event, the pulse-height spectrum of wires above threshold."""
import numpy as np
import tensorflow as tf

WIRES = 48
SAMPLES = 4
THRESHOLD = 2.5


class Calibration(tf.Module):
    """Pedestal and gain per wire, read from the last calibration run."""

    def __init__(self, rng):
        super().__init__()
        self.pedestal = tf.Variable(rng.normal(0.4, 0.05, [WIRES, 1]), dtype=tf.float32)
        self.gain = tf.Variable(rng.normal(1.0, 0.02, [WIRES, 1]), dtype=tf.float32)

    def __call__(self, raw):
        return (raw - self.pedestal) / self.gain


def select(charge):
    peak = tf.reduce_max(charge, axis=1)
    return tf.boolean_mask(peak, peak > THRESHOLD)


def centred(values):
    return values - tf.reduce_mean(values)


def spectrum(values):
    z = tf.signal.fft(tf.cast(values, tf.complex64))
    return tf.math.real(z * tf.math.conj(z))


class Monitor(tf.Module):
    def __init__(self, calibration):
        super().__init__()
        self.calibration = calibration
        self.events = tf.Variable(0, trainable=False)
        self.power = tf.Variable(0.0, trainable=False)

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([WIRES, SAMPLES], tf.float32)])
    def update(self, raw):
        hits = select(self.calibration(raw))
        power = tf.reduce_mean(spectrum(centred(hits)))
        self.events.assign_add(1)
        self.power.assign(0.9 * self.power + 0.1 * power)
        return power


def read_out(rng, events):
    for _ in range(events):
        noise = rng.normal(0.4, 0.1, [WIRES, SAMPLES])
        fired = rng.random(WIRES) < 0.4
        noise[fired] += rng.gamma(4.0, 1.0, [int(fired.sum()), 1])
        yield noise.astype("float32")


if __name__ == "__main__":
    rng = np.random.default_rng(11)
    monitor = Monitor(Calibration(rng))
    for event, raw in enumerate(read_out(rng, 5)):
        value = monitor.update(raw)
        print(f"event {event}: power {float(value):.3f} running {float(monitor.power):.3f}")
