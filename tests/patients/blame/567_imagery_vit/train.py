import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import json
import sys

import keras
import numpy as np

from baseline import nearest_mean
from classifier import build_classifier
from trials import make_trials, split


class History(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        line = " ".join(f"{k}={v:.3f}" for k, v in (logs or {}).items())
        print(f"[{epoch + 1}/{self.params['epochs']}] {line}")


def main(path):
    with open(path) as f:
        cfg = json.load(f)
    keras.utils.set_random_seed(cfg["seed"])
    x, y = make_trials(**cfg["signal"], seed=cfg["seed"])
    train, test = split(x, y, 0.25, cfg["seed"])
    print(f"band power baseline {nearest_mean(train, test, cfg['signal']['rate']):.3f}")
    model = build_classifier(cfg["signal"], cfg["tokens"], cfg["transformer"])
    o = cfg["optim"]
    model.compile(
        keras.optimizers.AdamW(o["lr"], weight_decay=1e-4),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(*train, batch_size=o["batch"], epochs=o["epochs"], verbose=0, callbacks=[History()])
    pred = model.predict(test[0], verbose=0).argmax(1)
    print(f"test accuracy {np.mean(pred == test[1]):.3f} ({len(pred)} trials)")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "settings.json")
