import sys

import tensorflow as tf

from spectrum import dominant_period
from stars import CADENCES, star

CATALOGUE = {"KIC-a": 16.0, "KIC-b": 21.0, "KIC-c": 9.5}


def main(argv):
    tf.config.set_soft_device_placement(True)
    worst = 0.0
    for i, (name, period) in enumerate(CATALOGUE.items()):
        flux, quality = star(period, seed=50 + i)
        found = dominant_period(tf.constant(flux), tf.constant(quality), CADENCES)
        worst = max(worst, abs(found / period - 1))
        print(f"{name}: true {period:5.1f}  found {found:5.1f}")
    print("worst relative error %.2f" % worst)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
