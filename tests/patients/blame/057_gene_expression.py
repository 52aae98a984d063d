import numpy as np
import keras

keras.utils.set_random_seed(87)
AXIS = 1


class Standardizer:
    def __init__(self, axis):
        self.axis = axis

    def fit(self, x):
        self.mean = x.mean(axis=self.axis)
        self.std = x.std(axis=self.axis) + 1e-7
        return self

    def __call__(self, x):
        return (x - self.mean) / self.std


def gene_expression(n, genes=18):
    rng = np.random.default_rng(87)
    subtype = rng.integers(0, 2, n)
    x = rng.lognormal(size=(n, genes))
    x[:, :4] += subtype[:, None]
    return x.astype("float32"), subtype.astype("float32")


x, subtype = gene_expression(100)
train, test = slice(0, 70), slice(70, 100)
scaler = Standardizer(AXIS).fit(x[train])
x_train = scaler(x[train])
x_test = scaler(x[test])

model = keras.Sequential([
    keras.Input((18,)),
    keras.layers.Dense(8, activation="relu", kernel_regularizer="l2"),
    keras.layers.Dense(1, activation="sigmoid"),
])
model.compile("adam", "binary_crossentropy")
model.fit(x_train, subtype[train], epochs=2, verbose=0)
print(model.evaluate(x_test, subtype[test], verbose=0))
