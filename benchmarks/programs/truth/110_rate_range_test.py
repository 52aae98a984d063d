"""Learning-rate range test: go up until the loss explodes, then pick a rate."""
import numpy as np
import keras

keras.utils.set_random_seed(100)


class RangeTest(keras.callbacks.Callback):
    def __init__(self, low, high, steps):
        super().__init__()
        self.rates = np.geomspace(low, high, steps)
        self.seen = []

    def on_train_batch_begin(self, batch, logs=None):
        self.model.optimizer.learning_rate = self.rates[len(self.seen)]

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append(logs["loss"])
        if not np.isfinite(logs["loss"]) or len(self.seen) == len(self.rates):
            print("range test ends at batch", batch, "with loss", logs["loss"])
            self.model.stop_training = True


def make():
    model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(1e-4), "mse")
    return model


rng = np.random.default_rng(100)
x = rng.normal(size=(640, 5)).astype("float32")
y = (x ** 2).sum(1, keepdims=True)
test = RangeTest(1e-4, 1e5, 80)
make().fit(x, y, batch_size=8, epochs=1, verbose=0, callbacks=[test, keras.callbacks.TerminateOnNaN()])
losses = np.array(test.seen)
finite = losses[np.isfinite(losses)]
rate = test.rates[int(np.argmin(finite))] / 10
final = make()
final.optimizer.learning_rate = rate
history = final.fit(x, y, epochs=3, verbose=0).history["loss"]
print("exploded:", len(finite) < len(losses), "chosen rate", f"{rate:.1e}", "loss falls:", history[-1] < history[0])
