"""Forecast the levels of connected water tanks, all hours at once."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import argparse
import numpy as np
import pandas as pd
import tensorflow as tf

ap = argparse.ArgumentParser()
ap.add_argument("--history", type=int, default=24)
ap.add_argument("--ahead", type=int, default=6)
ap.add_argument("--units", type=int, default=20)
ap.add_argument("--batch", type=int, default=16)
args = ap.parse_args([])

TARGETS = ["upper", "lower"]


def simulate(hours=300):
    t = np.arange(hours)
    g = np.random.default_rng(2)
    rain = g.gamma(0.4, 2.0, hours)
    upper = 3 + np.sin(2 * np.pi * t / 24) + 0.1 * np.convolve(rain, np.ones(5), "same")
    lower = 0.7 * np.roll(upper, 3) + g.normal(0, 0.05, hours)
    return pd.DataFrame(
        {"upper": upper, "lower": lower, "rain": rain, "pump": (t % 12 < 4).astype(float)}
    )


def windows(df):
    values = df.to_numpy("float32")
    wanted = [df.columns.get_loc(c) for c in TARGETS]
    span = args.history + args.ahead

    def cut(chunk):
        past = chunk[:, :args.history]
        future = tf.gather(chunk[:, args.history:], wanted, axis=2)
        return past, future

    ds = tf.keras.utils.timeseries_dataset_from_array(
        values, targets=None, sequence_length=span, batch_size=args.batch, shuffle=True, seed=4
    )
    return ds.map(cut)


frame = simulate()
frame = (frame - frame.mean()) / frame.std()
train, test = frame.iloc[:220], frame.iloc[220:]

net = tf.keras.Sequential()
net.add(tf.keras.layers.LSTM(args.units, return_sequences=True))
net.add(tf.keras.layers.LSTM(args.units))
net.add(tf.keras.layers.Dropout(0.1))
net.add(tf.keras.layers.Dense(args.ahead * frame.shape[1]))
net.add(tf.keras.layers.Reshape((args.ahead, len(TARGETS))))

net.compile(optimizer="rmsprop", loss="mse")
net.fit(windows(train), epochs=1, verbose=0)
print("test mse", net.evaluate(windows(test), verbose=0))
