# Multi-step forecast, single shot CNN (after the TF time series tutorial)
import numpy as np
import pandas as pd
import tensorflow as tf

OUT_STEPS = 6
CONV_WIDTH = 3

idx = pd.date_range("2020-01-01", periods=300, freq="h")
rng = np.random.default_rng(0)
df = pd.DataFrame({
    "load": np.sin(np.arange(300) / 24 * 2 * np.pi) + rng.normal(0, .1, 300),
    "temp": rng.normal(15, 5, 300),
    "wind": rng.gamma(2., 2., 300),
}, index=idx)
df["hour_sin"] = np.sin(idx.hour / 24 * 2 * np.pi)
df["month"] = idx.month

train_df = df.iloc[:220]
val_df = df.iloc[220:]
num_features = df.shape[1]
train_df = train_df.drop(columns=["month"])
val_df = val_df.drop(columns=["month"])
mean, std = train_df.mean(), train_df.std()
train_df = (train_df - mean) / std
val_df = (val_df - mean) / std


def make_windows(frame, width=24, batch_size=16):
    data = frame.to_numpy(dtype="float32")
    ds = tf.keras.utils.timeseries_dataset_from_array(
        data, targets=None, sequence_length=width + OUT_STEPS,
        sequence_stride=4, shuffle=False, batch_size=batch_size)
    return ds.map(lambda w: (w[:, :width, :], w[:, width:, :]))


multi_conv_model = tf.keras.Sequential([
    tf.keras.layers.Lambda(lambda x: x[:, -CONV_WIDTH:, :]),
    tf.keras.layers.Conv1D(32, activation="relu", kernel_size=CONV_WIDTH),
    tf.keras.layers.Dense(OUT_STEPS * num_features, kernel_initializer="zeros"),
    tf.keras.layers.Reshape([OUT_STEPS, num_features]),
])
multi_conv_model.compile(loss="mse", optimizer="adam", metrics=["mae"])
multi_conv_model.fit(make_windows(train_df), epochs=1, verbose=2,
                     validation_data=make_windows(val_df))
