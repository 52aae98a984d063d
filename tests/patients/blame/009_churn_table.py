import numpy as np
import pandas as pd
from tensorflow import keras
from tensorflow.keras import layers, metrics

keras.utils.set_random_seed(33)
rng = np.random.default_rng(33)

customers = pd.DataFrame({
    "tenure": rng.integers(1, 72, 200),
    "monthly": rng.normal(70, 20, 200),
    "contract": rng.choice(["month", "one_year", "two_year"], 200),
    "paperless": rng.choice([0, 1], 200),
})
customers["churn"] = np.where((customers.tenure < 20) & (customers.monthly > 60), "Yes", "No")

y = (customers.pop("churn") == "Yes").astype("float32").to_frame().values
X = pd.get_dummies(customers, columns=["contract"]).astype("float32")
X[["tenure", "monthly"]] = (X[["tenure", "monthly"]] - X[["tenure", "monthly"]].mean()) / X[["tenure", "monthly"]].std()


def create_model(n_in, hidden=(32, 16)):
    model = keras.Sequential()
    model.add(keras.Input((n_in,)))
    for units in hidden:
        model.add(layers.Dense(units, activation="relu"))
        model.add(layers.Dropout(0.3))
    model.add(layers.Dense(2, activation="softmax"))
    return model


model = create_model(X.shape[1])
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=[metrics.AUC(name="auc")])
weights = {0: 1.0, 1: 3.0}
model.fit(X.values, y, epochs=3, batch_size=32, class_weight=weights, verbose=0)
print(model.evaluate(X.values, y, verbose=0))
