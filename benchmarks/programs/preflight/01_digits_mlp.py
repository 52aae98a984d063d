"""Train a small MLP on synthetic 8x8 digits."""
import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(7)
rng = np.random.default_rng(7)

# ten prototypes + noise
prototypes = rng.uniform(0, 1, size=(10, 64)).astype("float32")
y = rng.integers(0, 10, size=1000)
x = prototypes[y] + rng.normal(0, 0.2, size=(1000, 64)).astype("float32")
x_test = prototypes + 0.1

model = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(48, activation="relu"),
        layers.Dropout(0.2),
        layers.Dense(10, activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.summary()

history = model.fit(x, y, epochs=4, validation_split=0.1, verbose=2)
print("final val accuracy", history.history["val_accuracy"][-1])

pred = model.predict(x_test, verbose=0).argmax(-1)
print("prototypes recognised:", int((pred == np.arange(10)).sum()), "of 10")
