import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import json
import sys

import keras
import numpy as np
import tensorflow as tf

from operators.burgers import pairs
from operators.data import datasets
from operators.fno import FNO1D


def relative_l2(y, p):
    num = tf.norm(tf.squeeze(y - p, -1), axis=1)
    return tf.reduce_mean(num / tf.norm(tf.squeeze(y, -1), axis=1))


def main(path="burgers.json"):
    cfg = json.load(open(path))
    keras.utils.set_random_seed(cfg["seed"])
    train, test = datasets(*pairs(cfg), cfg)
    model = FNO1D(cfg["width"], cfg["modes"], cfg["blocks"])
    opt = keras.optimizers.Adam(cfg["lr"])
    for epoch in range(cfg["epochs"]):
        errs = []
        for a, b in train:
            with tf.GradientTape() as tape:
                loss = relative_l2(b, model(a, training=True))
            v = model.trainable_variables
            opt.apply_gradients(zip(tape.gradient(loss, v), v))
            errs.append(float(loss))
        print(f"epoch {epoch + 1} relative error {np.mean(errs):.3f}")
    print(f"test relative error {np.mean([float(relative_l2(b, model(a))) for a, b in test]):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
