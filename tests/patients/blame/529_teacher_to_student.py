"""Export job: copy trained weights into the serving graph."""
import numpy as np
import tensorflow as tf

TRAINING = {
    "features": 14,
    "hidden": (64, 32),
    "dropout": 0.3,
    "out": 1,
}
SERVING = {
    "features": 14,
    "hidden": (48, 32),
    "dropout": 0.0,
    "out": 1,
}


def build(cfg, name):
    layers = [tf.keras.Input((cfg["features"],))]
    for i, units in enumerate(cfg["hidden"]):
        layers.append(tf.keras.layers.Dense(units, activation="relu", name=f"{name}_h{i}"))
        if cfg["dropout"] > 0:
            layers.append(tf.keras.layers.Dropout(cfg["dropout"]))
    layers.append(tf.keras.layers.Dense(cfg["out"], name=f"{name}_out"))
    return tf.keras.Sequential(layers, name=name)


def train():
    rng = np.random.default_rng(8)
    x = rng.normal(size=(64, TRAINING["features"])).astype("float32")
    y = x @ rng.normal(size=(TRAINING["features"], 1)).astype("float32")
    m = build(TRAINING, "train")
    m.compile("adam", "mse")
    m.fit(x, y, epochs=1, verbose=0)
    return m, x


def copy_weights(src, dst):
    dense = lambda m: [l for l in m.layers if isinstance(l, tf.keras.layers.Dense)]
    for a, b in zip(dense(src), dense(dst)):
        b.set_weights(a.get_weights())


def max_abs_difference(a, b, x):
    return float(tf.reduce_max(tf.abs(a(x, training=False) - b(x, training=False))))


if __name__ == "__main__":
    trained, sample = train()
    serving = build(SERVING, "serve")
    copy_weights(trained, serving)
    print("difference", max_abs_difference(trained, serving, sample))
