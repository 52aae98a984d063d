"""Keep the best weights by validation accuracy, by a home-made callback."""
import numpy as np
import keras

keras.utils.set_random_seed(23)


class BestWeights(keras.callbacks.Callback):
    def __init__(self, monitor="val_acc"):
        super().__init__()
        self.monitor = monitor
        self.best = -np.inf
        self.weights = None

    def on_epoch_end(self, epoch, logs=None):
        value = logs[self.monitor]
        if value > self.best:
            self.best, self.weights = value, self.model.get_weights()

    def on_train_end(self, logs=None):
        if self.weights is not None:
            self.model.set_weights(self.weights)


def rings(n=200):
    rng = np.random.default_rng(23)
    radius = rng.choice([1.0, 2.0], n)
    angle = rng.uniform(0, 2 * np.pi, n)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return points.astype("float32"), (radius > 1.5).astype("float32")[:, None]


x, y = rings()
inputs = keras.Input((2,))
hidden = keras.layers.Dense(16, "relu")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, "sigmoid")(hidden))
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
keeper = BestWeights()
model.fit(x, y, validation_split=0.25, epochs=3, verbose=0, callbacks=[keeper])
print("best", keeper.best)
