from dataclasses import dataclass, field
from typing import Dict

import numpy as np
import tensorflow as tf


@dataclass
class SensorSpec:
    channels: int
    width: int


@dataclass
class FusionConfig:
    sensors: Dict[str, SensorSpec] = field(default_factory=lambda: {
        "accel": SensorSpec(3, 12),
        "gyro": SensorSpec(3, 12),
        "pressure": SensorSpec(1, 6),
    })
    steps: int = 20
    classes: int = 4
    batch: int = 16


class Fusion(tf.keras.Model):
    def __init__(self, cfg):
        super().__init__()
        self.names = sorted(cfg.sensors)
        self.encoders = [tf.keras.layers.GRU(cfg.sensors[n].width) for n in self.names]
        self.head = tf.keras.layers.Dense(cfg.classes)

    def call(self, inputs):
        parts = [enc(inputs[n]) for n, enc in zip(self.names, self.encoders)]
        z = tf.concat(parts, axis=0)
        return self.head(z)


def recordings(cfg, n=32):
    rng = np.random.default_rng(6)
    x = {k: rng.normal(size=(n, cfg.steps, s.channels)).astype("float32")
         for k, s in cfg.sensors.items()}
    return x, rng.integers(0, cfg.classes, n)


if __name__ == "__main__":
    cfg = FusionConfig()
    x, y = recordings(cfg)
    model = Fusion(cfg)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y, batch_size=cfg.batch, epochs=1, verbose=2)
