"""Customer-churn model with a short report for the weekly meeting.

usage: churn_report.py [--seeds 2] [--epochs 3] [--positive-weight 3.0]
"""
import argparse
import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras

NUMERIC = ["tenure_months", "monthly_fee", "tickets", "data_gb"]
PLANS = ["basic", "family", "pro"]


def customers(n, seed=0):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "tenure_months": rng.integers(1, 72, n),
        "monthly_fee": rng.uniform(8, 60, n).round(2),
        "tickets": rng.poisson(1.2, n),
        "data_gb": rng.gamma(2, 6, n),
        "plan": rng.choice(PLANS, n, p=[0.5, 0.3, 0.2]),
    })
    z = -1.2 - 0.03 * df.tenure_months + 0.5 * df.tickets + 0.02 * df.monthly_fee - 0.4 * (df.plan == "pro")
    df["churned"] = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    return df


def frame_to_inputs(df):
    return {"numeric": df[NUMERIC].to_numpy("float32"), "plan": df["plan"].map(PLANS.index).to_numpy("int32")}


def build(train_inputs):
    numeric = keras.Input((len(NUMERIC),), name="numeric")
    plan = keras.Input((), dtype="int32", name="plan")
    norm = keras.layers.Normalization()
    norm.adapt(train_inputs["numeric"])
    one_hot = keras.layers.CategoryEncoding(len(PLANS), output_mode="one_hot")(plan)
    h = keras.layers.Concatenate()([norm(numeric), one_hot])
    h = keras.layers.Dense(16, activation="relu")(h)
    return keras.Model([numeric, plan], keras.layers.Dense(1, activation="sigmoid")(h))


def train_once(seed, args, train, val):
    keras.utils.set_random_seed(seed)
    inputs = frame_to_inputs(train)
    model = build(inputs)
    model.compile(
        optimizer=keras.optimizers.Adam(2e-3),
        loss="binary_crossentropy",
        metrics=[keras.metrics.AUC(), keras.metrics.Recall(name="recall")],
    )
    history = model.fit(
        inputs, train.churned.to_numpy("float32"),
        validation_data=(frame_to_inputs(val), val.churned.to_numpy("float32")),
        class_weight={0: 1.0, 1: args.positive_weight},
        batch_size=128, epochs=args.epochs, verbose=0,
    )
    return history.history


def report(histories):
    """Last value of every score, mean over the seeds."""
    table = {}
    for name in ("loss", "auc", "recall"):
        last = [h[f"val_{name}"][-1] for h in histories]
        table[name] = {"mean": float(np.mean(last)), "spread": float(np.ptp(last))}
    return table


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seeds", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--positive-weight", type=float, default=3.0)
    args = ap.parse_args()

    df = customers(3000)
    train, val = df.iloc[:2400], df.iloc[2400:]
    print(f"{len(df)} customers, churn rate {df.churned.mean():.3f}")
    runs = []
    for seed in range(args.seeds):
        runs.append(train_once(seed, args, train, val))
        print("finished seed", seed)
    print(json.dumps(report(runs), indent=1))


if __name__ == "__main__":
    main()
