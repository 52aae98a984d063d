"""Day-ahead load forecast from hourly smart-meter readings."""
import numpy as np
import pandas as pd
import tensorflow as tf

HOURS = 24
FEATURES = 4


def load_readings(days=30, seed=7):
    rng = np.random.default_rng(seed)
    idx = pd.date_range("2024-01-01", periods=days * HOURS, freq="h")
    load = 2.0 + np.sin(np.arange(len(idx)) * 2 * np.pi / HOURS) + 0.1 * rng.normal(size=len(idx))
    return pd.DataFrame({"load": load, "hour": idx.hour / 23.0, "dow": idx.dayofweek / 6.0}, index=idx)


def to_days(frame):
    values = tf.constant(frame.to_numpy(), tf.float32)
    return tf.reshape(values, [-1, HOURS, FEATURES])


def make_pairs(days):
    return days[:-1], days[1:, :, 0]


def main():
    frame = load_readings(days=31)
    days = to_days(frame)
    x, y = make_pairs(days)
    model = tf.keras.Sequential([
        tf.keras.Input((HOURS, x.shape[-1])),
        tf.keras.layers.LSTM(16),
        tf.keras.layers.Dense(HOURS),
    ])
    model.compile("adam", "mse")
    model.fit(x, y, epochs=1, verbose=0)
    print("trained on", x.shape[0], "days")


if __name__ == "__main__":
    main()
