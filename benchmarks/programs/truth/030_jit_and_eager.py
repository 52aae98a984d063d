"""Quick training script with debugging switches in a config."""
import numpy as np
import keras

keras.utils.set_random_seed(10)
CONFIG = dict(
    units=[32, 16],
    lr=3e-3,
    jit_compile=True,
    run_eagerly=True,
    epochs=2,
)


def spiral(n=120):
    rng = np.random.default_rng(10)
    label = rng.integers(0, 2, n)
    r = rng.random(n)
    angle = 4 * r + label * np.pi
    x = np.stack([r * np.cos(angle), r * np.sin(angle)], axis=1)
    return x.astype("float32"), label.astype("float32")[:, None]


def build(cfg):
    model = keras.Sequential([keras.Input((2,))])
    for units in cfg["units"]:
        model.add(keras.layers.Dense(units, activation="relu"))
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile(
        optimizer=keras.optimizers.Adam(cfg["lr"]),
        loss="binary_crossentropy",
        jit_compile=cfg["jit_compile"],
        run_eagerly=cfg["run_eagerly"],
    )
    return model


model = build(CONFIG)
x, y = spiral()
h = model.fit(x, y, epochs=CONFIG["epochs"], verbose=0)
print("losses", [round(v, 3) for v in h.history["loss"]])
