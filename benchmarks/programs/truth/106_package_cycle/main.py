"""Evaluate a registry of losses."""
import numpy as np
import tensorflow as tf
from registry import LOSSES


def main():
    target = tf.constant([0.0, 1.0, 2.0])
    guess = tf.constant(np.array([0.5, 1.0, 1.0], "float32"))
    for name, loss in LOSSES.items():
        print(name, float(loss(target, guess)))


if __name__ == "__main__":
    main()
