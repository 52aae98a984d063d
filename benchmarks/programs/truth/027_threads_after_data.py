"""Configure the runtime from a config object, then train."""
from dataclasses import dataclass
import numpy as np
import tensorflow as tf


@dataclass
class Runtime:
    inter: int = 2
    intra: int = 2
    soft_placement: bool = True

    def apply(self):
        tf.config.set_soft_device_placement(self.soft_placement)
        tf.config.threading.set_intra_op_parallelism_threads(self.intra)
        tf.config.threading.set_inter_op_parallelism_threads(self.inter)


def load(n=128):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 6)).astype("float32")
    return tf.constant(x), tf.constant(np.sign(x[:, :1]))


def main():
    x, y = load()
    Runtime().apply()
    model = tf.keras.Sequential([tf.keras.Input((6,)), tf.keras.layers.Dense(1, "tanh")])
    model.compile("sgd", "hinge")
    model.fit(x, y, epochs=1, verbose=0)
    print("weights", model.get_weights()[0].ravel().round(2))


if __name__ == "__main__":
    main()
