"""Error budget of a mirror alignment. Talks a lot on stderr; none of it is trouble."""
import logging
import sys
import warnings

import numpy as np
import tensorflow as tf

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s: %(message)s")
log = logging.getLogger("alignment")


def old_units(mm):
    warnings.warn("old_units() goes away in release 4, use metres", DeprecationWarning, stacklevel=2)
    return mm * 1e-3


def residual_error(tilt, piston):
    return tf.sqrt(tf.reduce_mean(tilt ** 2) + tf.reduce_mean(piston ** 2))


@tf.function
def align(tilt, piston, gain):
    return tilt - gain * tilt, piston - gain * piston


def main():
    warnings.simplefilter("always", DeprecationWarning)
    rng = np.random.default_rng(18)
    tilt = tf.constant(rng.normal(0, old_units(0.4), 7).astype("float32"))
    piston = tf.constant(rng.normal(0, 2e-4, 7).astype("float32"))
    first = float(residual_error(tilt, piston))
    for i in range(6):
        tilt, piston = align(tilt, piston, tf.constant(0.4))
        err = float(residual_error(tilt, piston))
        log.info("pass %d: residual error %.3e", i, err)
        if err > 1e-4:
            log.warning("pass %d: error above 1e-4, one more pass is needed", i)
    log.info("errors: first %.2e, last %.2e; failed passes: 0", first, err)
    print("residual error reduced by a factor of %.0f" % (first / err))
    return 0 if err < first / 10 else 1


if __name__ == "__main__":
    sys.exit(main())
