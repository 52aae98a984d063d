"""Sepsis early warning: build features, split by patient, train, report."""
import hashlib

import numpy as np
import pandas as pd
from tensorflow import keras

VITALS = ["hr", "resp", "temp", "map"]
TEST_SHARE = 0.25


class LeakError(ValueError):
    pass


def monitors(seed=17, patients=120):
    rng = np.random.default_rng(seed)
    rows = []
    for pid in range(patients):
        severity = rng.normal()
        for stay in range(int(rng.integers(1, 4))):
            vit = rng.normal(severity * np.array([1, 0.8, 0.5, -0.9]), 1.0)
            # the ward system pads numbers, the ICU's does not
            ident = f"{pid:06d}" if rng.random() < 0.3 else str(pid)
            rows.append((ident, stay, *vit, int(severity + rng.normal(0, 0.4) > 0.6)))
    return pd.DataFrame(rows, columns=["patient", "stay", *VITALS, "sepsis"])


def bucket(ident: str) -> float:
    """Stable pseudo-random number in [0, 1) of a patient."""
    return int(hashlib.md5(ident.encode()).hexdigest()[:8], 16) / 2**32


def split(df):
    in_test = df["patient"].map(bucket) < TEST_SHARE
    return df[~in_test], df[in_test]


def verify(train, test):
    a = set(train["patient"].astype(int))
    b = set(test["patient"].astype(int))
    if a & b:
        raise LeakError(f"{len(a & b)} patients stand in both parts, e.g. {sorted(a & b)[:3]}")
    share = len(test) / (len(train) + len(test))
    if not 0.15 < share < 0.35:
        raise ValueError(f"test share is {share:.2f}")


def build():
    keras.utils.set_random_seed(1)
    m = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1, "sigmoid")])
    m.compile("adam", "binary_crossentropy", metrics=[keras.metrics.AUC(name="auc")])
    return m


def xy(df):
    return df[VITALS].to_numpy("float32"), df["sepsis"].to_numpy("float32")


def main():
    df = monitors()
    print("stays", len(df), "positive", round(df.sepsis.mean(), 2))
    train, test = split(df)
    model = build()
    model.fit(*xy(train), epochs=4, verbose=0)
    verify(train, test)
    loss, auc = model.evaluate(*xy(test), verbose=0)
    print(f"test loss {loss:.3f} auc {auc:.3f}")


if __name__ == "__main__":
    main()
