import numpy as np
import pandas as pd
import keras
from keras import layers

keras.utils.set_random_seed(3)
rng = np.random.default_rng(3)
df = pd.DataFrame(rng.normal(size=(90, 4)), columns=["sl", "sw", "pl", "pw"])
df["species"] = rng.choice(["a", "b", "c"], 90)
y = pd.get_dummies(df.pop("species")).to_numpy("float32")
x = df.to_numpy("float32")

model = keras.Sequential([
    layers.Input((4,)),
    layers.Dense(12, activation="relu"),
    layers.Dense(y.shape[1], activation="softmax"),
])
model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, validation_split=0.15, epochs=2, batch_size=16, verbose=0)
print(model.evaluate(x, y, verbose=0))
