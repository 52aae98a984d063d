"""Deep ensemble for uncertainty: members differ in width and seed."""
import numpy as np
import keras

MEMBERS = [
    {"seed": 1, "width": 8, "heads": 2},
    {"seed": 2, "width": 12, "heads": 3},
    {"seed": 3, "width": 16, "heads": 5},
    {"seed": 4, "width": 20, "heads": 4},
]


def data(n=90):
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (n, 1)).astype("float32")
    return x, np.sin(2 * x) + 0.1 * rng.normal(size=x.shape).astype("float32")


def member(seed, width, heads):
    keras.utils.set_random_seed(seed)
    inputs = keras.Input((1,))
    h = keras.layers.Dense(width, activation="tanh")(inputs)
    h = keras.layers.Reshape((heads, width // heads))(h)
    h = keras.layers.LayerNormalization()(h)
    h = keras.layers.Flatten()(h)
    return keras.Model(inputs, keras.layers.Dense(1)(h), name=f"member_{seed}")


x, y = data()
predictions = []
for spec in MEMBERS:
    net = member(**spec)
    net.compile("adam", "mse")
    net.fit(x, y, epochs=1, verbose=0)
    predictions.append(net.predict(x, verbose=0))
    print(net.name, "done")
print("spread", np.std(predictions, axis=0).mean())
