import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(0)


def conv_stack(filters):
    stack = []
    for f in filters:
        stack += [
            layers.Conv2D(f, 3, activation="relu"),
            layers.MaxPooling2D(),
        ]
    return stack


def build(filters=(8, 16), hidden=32, classes=10):
    convs = conv_stack(filters)
    body = (
        convs + [layers.Dropout(0.25)]
    )
    head = [
        layers.Dense(hidden, activation="relu"),
        layers.Dense(classes, activation="softmax"),
    ]
    return keras.Sequential([layers.Input((20, 20, 1))] + body + head)


rng = np.random.default_rng(0)
digits = rng.integers(0, 10, 50)
images = rng.random((50, 20, 20, 1)).astype("float32")
images += digits[:, None, None, None] / 10.0

cnn = build()
cnn.compile(
    optimizer="adam",
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=["accuracy"],
)
cnn.fit(images, digits, epochs=1, batch_size=10, verbose=0)
loss, acc = cnn.evaluate(images, digits, verbose=0)
print(f"accuracy {acc:.2f}")
