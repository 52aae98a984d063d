"""Next week's demand of a bakery chain; the last week of each shop is the hold-out."""
import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras

PRODUCTS = ["rye", "spelt", "roll", "pretzel"]
LOOKBACK, AHEAD, STRIDE = 28, 7, 7


def sales(shops=6, days=210, seed=43):
    rng = np.random.default_rng(seed)
    day = pd.date_range("2023-01-02", periods=days)
    frames = []
    for s in range(shops):
        week = 1 + 0.4 * np.sin(2 * np.pi * (day.dayofweek.to_numpy()[:, None] + np.arange(4)) / 7)
        trend = 1 + 0.004 * np.arange(days)[:, None]
        qty = rng.poisson(60 * (1 + 0.2 * s) * week * trend)
        f = pd.DataFrame(qty, columns=PRODUCTS, index=day)
        f["shop"] = s
        frames.append(f)
    return pd.concat(frames)


def windows(table):
    """(past, future) pairs of one shop, oldest first."""
    a = (table[PRODUCTS].to_numpy("float32") - 80) / 60
    last = len(a) - LOOKBACK - AHEAD
    starts = range(0, last, STRIDE)
    past = np.stack([a[i:i + LOOKBACK] for i in starts])
    future = np.stack([a[i + LOOKBACK:i + LOOKBACK + AHEAD] for i in starts])
    return past, future, table.index[[i + LOOKBACK for i in starts]]


def split(df):
    parts = {"train": [], "test": []}
    for _, g in df.groupby("shop"):
        p, f, when = windows(g)
        parts["train"].append((p[:-1], f[:-1]))
        parts["test"].append((p[-1:], f[-1:], when[-1]))
    return parts


def build():
    keras.utils.set_random_seed(8)
    m = keras.Sequential([
        keras.Input((LOOKBACK, len(PRODUCTS))),
        keras.layers.Flatten(),
        keras.layers.Dense(64, "relu"),
        keras.layers.Dense(AHEAD * len(PRODUCTS)),
        keras.layers.Reshape((AHEAD, len(PRODUCTS))),
    ])
    m.compile(keras.optimizers.Adam(3e-3), "mse")
    return m


def main():
    df = sales()
    parts = split(df)
    x, y = (np.concatenate(v) for v in zip(*parts["train"]))
    model = build()
    model.fit(x, y, epochs=20, batch_size=32, verbose=0)
    xt = np.concatenate([t[0] for t in parts["test"]])
    p = model.predict(xt, verbose=0)
    order = np.clip(np.round(p * 60 + 80), 0, None)
    truth = df[df.index > df.index.max() - pd.Timedelta(days=AHEAD)]
    truth = truth.groupby("shop")[PRODUCTS].apply(lambda g: g.to_numpy())
    truth = np.stack(truth.to_list())
    wape = np.abs(order - truth).sum() / truth.sum()
    first = {t[2].date().isoformat() for t in parts["test"]}
    print("train windows", x.shape, "orders", order.shape, "for the week of", sorted(first))
    print("last day of the sales", df.index.max().date())
    print(f"wape {wape:.3f}")


if __name__ == "__main__":
    main()
