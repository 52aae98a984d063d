from dataclasses import dataclass

import keras
import numpy as np

from .fcn import build
from .scene import Scene
from .threshold import iou
from .tiles import cut, mosaic, scale


@dataclass
class Job:
    bands: int = 4
    height: int = 128
    width: int = 160
    tile: int = 32
    filters: int = 12
    epochs: int = 2
    batch: int = 8
    lr: float = 5e-3
    seed: int = 3

    def train(self):
        keras.utils.set_random_seed(self.seed)
        xs, ys = [], []
        for k in range(2):
            x, y, _ = cut(Scene(self.bands, self.height, self.width, self.seed + k), self.tile)
            xs.append(scale(x))
            ys.append(y.astype("float32"))
        self.net = build(self.bands, self.filters)
        self.net.compile(keras.optimizers.Adam(self.lr), "binary_crossentropy", metrics=["accuracy"])
        self.net.fit(np.concatenate(xs), np.concatenate(ys), batch_size=self.batch, epochs=self.epochs, verbose=2)
        return self

    def apply(self, seed):
        scene = Scene(self.bands, self.height, self.width, seed)
        x, _, wins = cut(scene, self.tile, self.tile // 2)
        p = self.net.predict(scale(x), batch_size=16, verbose=0)
        prob = mosaic(p, wins, self.height, self.width)
        mask = prob > 0.5
        inter = np.sum(mask & scene.cloud)
        return inter / np.sum(mask | scene.cloud), iou(scene), mask.mean()
