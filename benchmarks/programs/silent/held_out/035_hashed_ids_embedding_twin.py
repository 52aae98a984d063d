import numpy as np
import pandas as pd
import keras
from keras import layers, ops

KNOWN = 40
RESERVED = 0


class ProductLookup(layers.Layer):
    def __init__(self, dim=6, **kw):
        super().__init__(**kw)
        self.emb = layers.Embedding(KNOWN, dim)

    def call(self, ids):
        ids = ops.where(ids < KNOWN, ids, RESERVED)
        return self.emb(ids)


def orders(n=300, seed=0):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({"product": rng.integers(1, 60, n), "quantity": rng.integers(1, 9, n)})
    df["returned"] = ((df["product"] % 7 == 0) | (df.quantity > 7)).astype("float32")
    return df


def build():
    pid = keras.Input((), dtype="int32", name="product")
    qty = keras.Input((1,), name="quantity")
    h = layers.Concatenate()([ProductLookup()(pid), qty])
    h = layers.Dense(16, activation="relu")(h)
    return keras.Model([pid, qty], layers.Dense(1, activation="sigmoid")(h))


keras.utils.set_random_seed(35)
df = orders()
x = [df["product"].to_numpy("int32"), df.quantity.to_numpy("float32")[:, None] / 8]
y = df.returned.to_numpy("float32")[:, None]
model = build()
model.compile(optimizer=keras.optimizers.Adam(0.02), loss="binary_crossentropy", jit_compile=True)
hist = model.fit(x, y, epochs=6, batch_size=50, verbose=0)
print("loss %.4f" % hist.history["loss"][-1])
print("mean return risk %.3f" % model.predict(x, batch_size=50, verbose=0).mean())
