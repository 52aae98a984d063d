"""Joint estimation of age and smile from face codes."""
import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(4)
rng = np.random.default_rng(4)
CONFIG = {
    "heads": {"age": "mae", "smile": "binary_crossentropy"},
    "weights": {"age": 0.1, "smile": 1.0},
    "epochs": 1,
}


def build_network(dim):
    code = keras.Input((dim,), name="code")
    trunk = layers.Dense(24, activation="swish")(code)
    outputs = {
        "age_years": layers.Dense(1, name="age_years")(trunk),
        "smile": layers.Dense(1, activation="sigmoid", name="smile")(trunk),
    }
    return keras.Model(code, outputs)


def make_targets(codes):
    return {
        "age": 30 + 5 * codes[:, :1],
        "smile": (codes[:, 1:2] > 0).astype("float32"),
    }


codes = rng.normal(size=(96, 10)).astype("float32")
targets = make_targets(codes)
network = build_network(codes.shape[1])
network.compile("adam", loss=CONFIG["heads"], loss_weights=CONFIG["weights"])
network.fit(codes, targets, epochs=CONFIG["epochs"], verbose=0)
print(network.evaluate(codes, targets, verbose=0))
