#!/usr/bin/env python
"""Land-cover classifier on 16x16 satellite tiles that are kept in shards on disk."""
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

CLASSES = ["water", "forest", "crop", "urban"]
SHARD_ROWS = 64


def write_shards(root: Path, shards: int, seed=0):
    rng = np.random.default_rng(seed)
    root.mkdir(parents=True, exist_ok=True)
    entries = []
    for k in range(shards):
        y = rng.integers(0, len(CLASSES), SHARD_ROWS)
        x = rng.normal(0, 0.3, (SHARD_ROWS, 16, 16, 4)) + y[:, None, None, None] * 0.4
        name = f"tiles-{k:05d}-of-{shards:05d}.npz"
        np.savez(root / name, x=x.astype("float32"), y=y.astype("int32"))
        entries.append({"file": name, "rows": SHARD_ROWS, "split": "val" if k % 4 == 3 else "train"})
    (root / "manifest.json").write_text(json.dumps({"version": 2, "shards": entries}, indent=1))


class Inventory:
    def __init__(self, root):
        self.root = Path(root)
        self.meta = json.loads((self.root / "manifest.json").read_text())

    def select(self, split):
        return [e["file"] for e in self.meta["shards"] if e["split"] == split]

    def rows(self, split):
        return sum(e["rows"] for e in self.meta["shards"] if e["split"] == split)


def load(files):
    xs, ys = [], []
    for f in files:
        with np.load(f) as z:
            xs.append(z["x"])
            ys.append(z["y"])
    return np.concatenate(xs), np.concatenate(ys)


def cnn():
    return tf.keras.Sequential([
        tf.keras.Input((16, 16, 4)),
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Conv2D(16, 3, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(len(CLASSES)),
    ])


def main():
    with tempfile.TemporaryDirectory(prefix="tiles_") as tmp:
        root = Path(tmp) / "landcover"
        write_shards(root, shards=8)
        inv = Inventory(root)
        print("train rows", inv.rows("train"), "val rows", inv.rows("val"))

        x, y = load(inv.select("train"))
        vx, vy = load(inv.select("val"))

        model = cnn()
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                      metrics=["accuracy"], jit_compile=True)
        model.fit(x, y, validation_data=(vx, vy), batch_size=64, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
