"""Day-ahead price forecast from a CSV export of the trading desk."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
from io import StringIO

import numpy as np
import pandas as pd
import keras
from keras import layers

rows = ["date,load_mw,wind_mw,price"]
gen = np.random.default_rng(8)
for day in range(160):
    load = int(gen.normal(940, 40))
    wind = int(gen.uniform(50, 700))
    price = 0.06 * load - 0.03 * wind + gen.normal(0, 2)
    load_text = f'"{load:,}"'
    rows.append(f"2023-{1 + day // 28:02d}-{1 + day % 28:02d},{load_text},{wind},{price:.2f}")
csv_text = "\n".join(rows)

table = pd.read_csv(StringIO(csv_text), index_col="date")
print(table.head(3))

features, target = table[["load_mw", "wind_mw"]], table["price"]
cut = int(0.8 * len(table))
train_x, test_x = features.iloc[:cut], features.iloc[cut:]
train_y, test_y = target.iloc[:cut], target.iloc[cut:]

forecaster = keras.Sequential([
    keras.Input(shape=(2,)),
    layers.Rescaling(1 / 1000),
    layers.Dense(16, activation="relu"),
    layers.Dense(1),
])
forecaster.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")
forecaster.fit(train_x.to_numpy(), train_y.to_numpy(), epochs=5, batch_size=32, verbose=0)
print("test mse", forecaster.evaluate(test_x.to_numpy(), test_y.to_numpy(), verbose=0))
