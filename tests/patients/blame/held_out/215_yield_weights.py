import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import pandas as pd
import keras

# --- field trial table -------------------------------------------------
rnd = np.random.RandomState(17)
n = 150
trial = pd.DataFrame({
    "year": rnd.randint(2008, 2024, n),
    "rain_mm": rnd.gamma(8, 60, n),
    "degree_days": rnd.normal(1800, 150, n),
    "n_kg_ha": rnd.choice([0, 60, 120, 180], n),
    "variety": rnd.choice(list("ABC"), n),
})
trial["yield_t"] = (
    2 + 0.004 * trial.rain_mm + 0.012 * trial.n_kg_ha + rnd.normal(0, 0.4, n)
)
trial.loc[rnd.choice(n, 14, replace=False), "rain_mm"] = np.nan

# --- cleaning ----------------------------------------------------------
clean = trial.dropna().reset_index(drop=True)
X = pd.get_dummies(clean.drop(columns=["yield_t", "year"]), columns=["variety"]).astype("float32")
X = (X - X.mean()) / X.std()
y = clean["yield_t"].astype("float32")

# recent seasons count more
age = trial["year"].max() - trial["year"]
weight = np.power(0.9, age).to_numpy("float32")

# --- model -------------------------------------------------------------
net = keras.Sequential(
    [
        keras.layers.Input((X.shape[1],)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(1),
    ],
    name="yield_net",
)
net.compile(optimizer="adam", loss="mae", weighted_metrics=["mse"])
h = net.fit(
    X.to_numpy(),
    y.to_numpy(),
    sample_weight=weight,
    epochs=3,
    batch_size=16,
    verbose=0,
)
print(h.history["loss"])
