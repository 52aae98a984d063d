import numpy as np
import pandas as pd
import keras
from keras import layers

keras.utils.set_random_seed(72)


def sales(n=120):
    rng = np.random.default_rng(72)
    df = pd.DataFrame({
        "region": rng.choice(["north", "south", "east", "west"], n),
        "product": rng.choice(["pump", "valve", "pipe"], n),
        "discount": rng.uniform(0, .4, n),
        "units": rng.poisson(20, n).astype(float),
    })
    df.loc[90:, "region"] = rng.choice(["north", "south"], n - 90)
    return df


df = sales()
target = np.log1p(df.pop("units")).to_numpy("float32")
train, test = df.iloc[:90], df.iloc[90:]

X_train = pd.get_dummies(train, columns=["region", "product"])
X_test = pd.get_dummies(test, columns=["region", "product"])
y_train, y_test = target[:90], target[90:]


def regression_net(n_in):
    net = keras.Sequential([layers.Input((n_in,))])
    net.add(layers.BatchNormalization())
    net.add(layers.Dense(16, activation="relu"))
    net.add(layers.Dense(1))
    net.compile("adam", "mse")
    return net


net = regression_net(X_train.shape[1])
net.fit(X_train.to_numpy("float32"), y_train, epochs=2, verbose=0)
print("train", net.evaluate(X_train.to_numpy("float32"), y_train, verbose=0))
print("test", net.evaluate(X_test.to_numpy("float32"), y_test, verbose=0))
