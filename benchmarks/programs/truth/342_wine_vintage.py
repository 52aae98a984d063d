"""Vintage quality from weather; thread pools are set from a config dictionary."""
import numpy as np
import tensorflow as tf

RUNTIME = {
    "intra_op": 1,
    "inter_op": 1,
    "soft_placement": True,
}
MODEL = {"units": 12, "epochs": 3, "rate": 0.05, "batch": 16}

GRAPES = tf.constant([[1.0, 0.2, 0.1], [0.3, 1.0, 0.2], [0.1, 0.4, 1.0]])


def configure(runtime):
    tf.config.set_soft_device_placement(runtime["soft_placement"])
    tf.config.threading.set_intra_op_parallelism_threads(runtime["intra_op"])
    tf.config.threading.set_inter_op_parallelism_threads(runtime["inter_op"])
    print("threads:", tf.config.threading.get_intra_op_parallelism_threads(),
          tf.config.threading.get_inter_op_parallelism_threads())


def vintages(n, seed):
    rng = np.random.default_rng(seed)
    sun = rng.uniform(0.4, 1.0, size=n)
    rain = rng.uniform(0.0, 0.6, size=n)
    frost = rng.binomial(1, 0.2, size=n)
    x = np.stack([sun, rain, frost], axis=1).astype("float32")
    score = 90 + 8 * sun - 6 * rain - 4 * frost
    return x, (score.astype("float32")[:, None] - 92.0) / 4.0


def mix_grapes(x):
    return tf.matmul(x, GRAPES)


def build(units, rate):
    model = tf.keras.Sequential([
        tf.keras.Input((3,)),
        tf.keras.layers.Lambda(mix_grapes, output_shape=(3,)),
        tf.keras.layers.Dense(units, activation="softplus"),
        tf.keras.layers.Dense(1),
    ])
    model.compile(tf.keras.optimizers.SGD(rate), loss="mae")
    return model


def main():
    configure(RUNTIME)
    x, y = vintages(64, seed=1982)
    model = build(MODEL["units"], MODEL["rate"])
    hist = model.fit(x, y, epochs=MODEL["epochs"], batch_size=MODEL["batch"], verbose=0)
    print("mae", [round(v, 3) for v in hist.history["loss"]])


if __name__ == "__main__":
    main()
