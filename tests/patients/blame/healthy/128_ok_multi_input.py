import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(74)
photo = keras.Input((12, 12, 3), name="photo")
table = keras.Input((6,), name="table")
p = layers.GlobalAveragePooling2D()(layers.Conv2D(6, 3, activation="relu")(photo))
t = layers.Dense(6, activation="relu")(table)
h = layers.Add()([p, t])
price = layers.Dense(1, name="price")(h)
kind = layers.Dense(4, activation="softmax", name="kind")(h)
model = keras.Model({"photo": photo, "table": table}, {"price": price, "kind": kind})
model.compile("adam", loss={"price": "mae", "kind": "sparse_categorical_crossentropy"})

rng = np.random.default_rng(74)
x = {"table": rng.normal(size=(25, 6)).astype("float32"),
     "photo": rng.random((25, 12, 12, 3)).astype("float32")}
y = {"kind": rng.integers(0, 4, 25), "price": rng.random((25, 1)).astype("float32")}
model.fit(x, y, batch_size=10, epochs=1, verbose=0)
print({k: v.shape for k, v in model.predict(x, verbose=0).items()})
