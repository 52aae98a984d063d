"""Long training that honours a stop file like Ctrl-C."""
import tempfile
from pathlib import Path
import numpy as np
import keras

keras.utils.set_random_seed(0)
HERE = Path(__file__).resolve().parent


class StopFile(keras.callbacks.Callback):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def on_epoch_end(self, epoch, logs=None):
        if epoch == 1:
            self.path.write_text("stop please")
        if self.path.exists():
            print("stop requested at epoch", epoch, flush=True)
            raise KeyboardInterrupt


def series(n=100):
    t = np.linspace(0, 20, n, dtype="float32")
    x = np.stack([np.sin(t), np.cos(t)], axis=1)
    return x[:-1], x[1:]


x, y = series()
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(12, "tanh"), keras.layers.Dense(2)])
model.compile("adam", "mse")
with tempfile.TemporaryDirectory(dir=HERE) as folder:
    model.fit(x, y, epochs=50, verbose=0, callbacks=[StopFile(Path(folder) / "STOP")])
print("all epochs done")
