import numpy as np
import keras

keras.utils.set_random_seed(71)
K = 6


def fit_basis(x):
    mean = x.mean(axis=0)
    _, _, vt = np.linalg.svd(x - mean, full_matrices=False)
    return mean, vt.T


def project(x, basis, k=10):
    return x @ basis[:, :k]


def spectra(n, bands=40):
    rng = np.random.default_rng(71)
    mineral = rng.integers(0, 3, n)
    grid = np.linspace(0, 1, bands)
    peak = np.exp(-((grid[None] - 0.2 - 0.3 * mineral[:, None]) ** 2) / 0.01)
    return (peak + rng.normal(0, .05, (n, bands))).astype("float32"), mineral


x, mineral = spectra(120)
x_train, x_test, y_train, y_test = x[:90], x[90:], mineral[:90], mineral[90:]

mean, basis = fit_basis(x_train)
z_train = project(x_train - mean, basis, k=K)
z_test = project(x_test - mean, basis)
scale = np.abs(z_train).max()

mlp = keras.Sequential([
    keras.Input((K,)),
    keras.layers.Dense(16, activation="relu"),
    keras.layers.Dense(3, activation="softmax"),
])
mlp.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
mlp.fit(z_train / scale, y_train, epochs=3, verbose=0)

test_loss, test_acc = mlp.evaluate(z_test / scale, y_test, verbose=0)
print("accuracy on unseen spectra", test_acc)
