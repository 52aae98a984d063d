"""Customer churn: the features are one-hot coded from the table of each quarter."""
import numpy as np
import pandas as pd
import keras

keras.utils.set_random_seed(55)


def quarter(n, plans, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "months": rng.integers(1, 60, n),
            "calls": rng.poisson(2, n),
            "plan": rng.choice(plans, n),
            "region": rng.choice(["n", "e", "s", "w"], n),
        }
    )
    frame["churn"] = (rng.random(n) < 1 / (1 + np.exp(0.05 * frame["months"] - 0.4 * frame["calls"]))).astype(int)
    return frame


def features(frame):
    coded = pd.get_dummies(frame.drop(columns="churn"), columns=["plan", "region"])
    return coded.to_numpy("float32"), frame["churn"].to_numpy("float32")


x, y = features(quarter(600, ["basic", "plus", "pro"], 1))
x_next, y_next = features(quarter(200, ["basic", "plus", "pro", "family"], 2))

model = keras.Sequential(
    [
        keras.Input((x.shape[1],)),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(x, y, epochs=3, batch_size=64, validation_split=0.2, verbose=2)
print("this quarter:", model.evaluate(x, y, verbose=0))
print("next quarter:", model.evaluate(x_next, y_next, verbose=0))
