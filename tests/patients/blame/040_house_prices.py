import numpy as np
import pandas as pd
import keras

keras.utils.set_random_seed(68)


def houses_frame(n=150):
    rng = np.random.default_rng(68)
    area = rng.uniform(40, 220, n)
    df = pd.DataFrame({
        "area": area,
        "rooms": (area / 30).round(),
        "age": rng.integers(0, 90, n),
        "distance": rng.exponential(4, n),
        "garden": rng.integers(0, 2, n),
    })
    df["price"] = 2.5 * area - df.age - 5 * df.distance + 20 * df.garden
    return df


houses = houses_frame()
n_features = houses.shape[1]
print("columns:", list(houses.columns))

target = houses.pop("price")
train = houses.sample(frac=0.8, random_state=0)
test = houses.drop(train.index)
mean, std = train.mean(), train.std()
x_train = ((train - mean) / std).to_numpy("float32")
x_test = ((test - mean) / std).to_numpy("float32")
y_train, y_test = target[train.index].to_numpy("float32"), target[test.index].to_numpy("float32")

reg = keras.Sequential(name="prices")
reg.add(keras.layers.Input((n_features,)))
for units in (32, 16):
    reg.add(keras.layers.Dense(units, kernel_initializer="he_normal"))
    reg.add(keras.layers.LeakyReLU())
reg.add(keras.layers.Dense(1))
reg.compile(keras.optimizers.RMSprop(1e-2), loss="mae")

reg.fit(x_train, y_train, validation_data=(x_test, y_test), epochs=2, verbose=0)
print("MAE", reg.evaluate(x_test, y_test, verbose=0))
