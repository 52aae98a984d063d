import keras
import numpy as np

from . import confusion
from .prepare import features, targets
from .tempcnn import tempcnn
from .timeseries import sample


class Pipeline:
    def __init__(self, params):
        self.p = params
        keras.utils.set_random_seed(params["random_state"])

    def data(self, seed):
        x, y = sample(self.p, seed)
        return features(x), y

    def run(self):
        p, k = self.p, len(self.p["classes"])
        x, y = self.data(p["random_state"])
        self.model = tempcnn(p["dates"], x.shape[-1], k, p["filters"], p["dropout"])
        self.model.get_layer("scale").adapt(x)
        self.model.compile(keras.optimizers.Adam(p["learning_rate"]), loss=p["loss"], metrics=p["metrics"])
        t = targets(y, k, p["label_smoothing"])
        self.model.fit(x, t, batch_size=p["batch_size"], epochs=p["epochs"], verbose=2)
        return self

    def report(self):
        x, y = self.data(self.p["random_state"] + 1)
        pred = self.model.predict(x, verbose=0).argmax(axis=1)
        for c, name in enumerate(self.p["classes"]):
            sel = y == c
            print(f"{name:>8s}: producer's accuracy {np.mean(pred[sel] == c):.2f} ({sel.sum()} pixels)")
        cm = confusion.matrix(y, pred, len(self.p["classes"]))
        print(f"overall accuracy {np.mean(pred == y):.3f}, kappa {confusion.kappa(cm):.3f}")
        print(confusion.worst_pair(cm, self.p["classes"]))
