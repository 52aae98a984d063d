"""Monitor a fleet of pumps; alarms are logged at level ERROR."""
import logging
import sys
import numpy as np
import tensorflow as tf

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
alarm = logging.getLogger("plant.alarm")
system = logging.getLogger("plant.system")


def pressures(pumps=5, n=50):
    rng = np.random.default_rng(20)
    p = rng.normal(4.0, 0.2, (pumps, n))
    p[3, 30:] += 2.5
    return tf.constant(p, tf.float32)


@tf.function
def z_scores(values):
    mean, variance = tf.nn.moments(values[:, :25], axes=[1], keepdims=True)
    return (values - mean) / tf.sqrt(variance)


values = pressures()
z = z_scores(values)
for pump, row in enumerate(z.numpy()):
    if np.abs(row).max() > 6:
        alarm.error("pump %d: pressure out of range, shape mismatch between valve and seat suspected", pump)
        alarm.critical("pump %d: fatal overpressure, aborting pump cycle", pump)
    else:
        system.info("pump %d ok", pump)
system.info("report written, exit")
