import json
from pathlib import Path

import keras

DEFAULTS = {
    "points": 64,
    "profiles": 160,
    "acceleration": 3,
    "center": 10,
    "filters": 16,
    "unrolls": 2,
    "batch": 16,
    "epochs": 2,
    "lr": 0.002,
    "precision": "mixed_float16",
    "seed": 7,
}


def load(path=None):
    cfg = dict(DEFAULTS)
    if path:
        cfg.update(json.loads(Path(path).read_text()))
    return cfg


def apply(cfg):
    keras.utils.set_random_seed(cfg["seed"])
    keras.mixed_precision.set_global_policy(cfg["precision"])
