"""Default-risk model on tabular loan data; reports the Gini coefficient used by the risk desk."""
import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras

SETTINGS = {
    "rows": 640,
    "hidden": (32, 16),
    "dropout": 0.1,
    "batch_size": 64,
    "epochs": 2,
    "compile": {"jit_compile": True, "steps_per_execution": 1},
}


def loans(rows, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": rng.lognormal(10.3, 0.4, rows),
            "debt": rng.lognormal(8.9, 0.8, rows),
            "age": rng.integers(19, 75, rows),
            "late_payments": rng.poisson(0.6, rows),
            "tenure": rng.exponential(4.0, rows),
        }
    )
    ratio = frame["debt"] / frame["income"]
    logit = -2.2 + 3.0 * ratio + 0.7 * frame["late_payments"] - 0.05 * frame["tenure"]
    frame["default"] = (rng.uniform(size=rows) < 1 / (1 + np.exp(-logit))).astype("float32")
    return frame


def gini_by_rank(y_true, y_score):
    """Two times the area under the ROC curve minus one, by the rank formula."""
    y_true = np.asarray(y_true).ravel()
    order = pd.Series(np.asarray(y_score).ravel()).rank().to_numpy()
    pos = y_true > 0.5
    n_pos, n_neg = pos.sum(), (~pos).sum()
    if n_pos == 0 or n_neg == 0:
        return np.float32(0.0)
    auc = (order[pos].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)
    return np.float32(2 * auc - 1)


def gini(y_true, y_pred):
    value = tf.numpy_function(gini_by_rank, [y_true, y_pred], tf.float32)
    value.set_shape([])
    return value


def standardise(train, *others):
    mean, std = train.mean(0), train.std(0) + 1e-6
    return [((a - mean) / std).astype("float32") for a in (train, *others)]


def network(n_features, cfg):
    inputs = keras.Input((n_features,), name="features")
    h = inputs
    for units in cfg["hidden"]:
        h = keras.layers.Dense(units, activation="selu", kernel_initializer="lecun_normal")(h)
        h = keras.layers.AlphaDropout(cfg["dropout"])(h)
    return keras.Model(inputs, keras.layers.Dense(1, activation="sigmoid")(h), name="risk")


def main(cfg):
    keras.utils.set_random_seed(1)
    frame = loans(cfg["rows"], seed=1)
    columns = [c for c in frame.columns if c != "default"]
    split = int(0.8 * len(frame))
    values, target = frame[columns].to_numpy(), frame[["default"]].to_numpy()
    x_train, x_test = standardise(values[:split], values[split:])
    y_train, y_test = target[:split], target[split:]
    print("default rate", y_train.mean().round(3), "features", columns)

    model = network(len(columns), cfg)
    model.compile(
        optimizer=keras.optimizers.AdamW(2e-3),
        loss="binary_crossentropy",
        metrics=[gini],
        **cfg["compile"],
    )
    history = model.fit(
        x_train, y_train,
        validation_data=(x_test, y_test),
        batch_size=cfg["batch_size"], epochs=cfg["epochs"], verbose=2,
    )
    print("validation gini", history.history["val_gini"])


if __name__ == "__main__":
    main(SETTINGS)
