import keras
import numpy as np

from encoder import build_encoder, with_classifier, with_decoder
from pixels import scene


class Stage:
    def __init__(self, cfg):
        self.cfg = cfg
        keras.utils.set_random_seed(cfg["seed"])
        self.encoder = build_encoder(cfg["bands"], **cfg["encoder"])

    def compile(self, model, loss, metrics=()):
        model.compile(keras.optimizers.Adam(self.cfg["lr"]), loss=loss, metrics=list(metrics))
        return model


class Pretrain(Stage):
    """Masked band reconstruction on unlabelled pixels."""

    def run(self):
        x, _ = scene(self.cfg["samples"], self.cfg["bands"], seed=self.cfg["seed"])
        rng = np.random.default_rng(self.cfg["seed"])
        keep = rng.random(x.shape) > self.cfg["mask_fraction"]
        model = self.compile(with_decoder(self.encoder, self.cfg["bands"]), "mse")
        h = model.fit(x * keep, x, epochs=self.cfg["epochs"], batch_size=32, verbose=0).history
        print(f"pretraining loss {h['loss'][0]:.4f} -> {h['loss'][-1]:.4f}")
        return self.encoder.get_weights()


class Finetune(Stage):
    def run(self, weights=None):
        if weights is not None:
            self.encoder.set_weights(weights)
        x, y = scene(self.cfg["samples"], self.cfg["bands"], seed=self.cfg["seed"])
        xt, yt = scene(200, self.cfg["bands"], seed=self.cfg["seed"] + 1)
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model = self.compile(with_classifier(self.encoder, self.cfg["classes"]), loss, ["accuracy"])
        model.fit(x, y, epochs=self.cfg["epochs"], batch_size=16, verbose=0)
        return model.evaluate(xt, yt, verbose=0)[1]
