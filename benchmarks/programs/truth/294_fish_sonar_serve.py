"""Trains a species classifier on sonar echoes, ships weights + settings, loads them in a 'boat' process."""
import json
import os
import shutil
import tempfile

import numpy as np
import keras
from keras import layers

SPECIES = ("herring", "cod", "mackerel")
BANDS = 20

DEFAULTS = {"hidden": [32, 16], "dropout": 0.2, "activation": "gelu", "norm": True}


def echoes(n, seed):
    rng = np.random.default_rng(seed)
    k = rng.integers(0, len(SPECIES), n)
    f = np.arange(BANDS)
    base = np.exp(-((f[None] - 5 - 4 * k[:, None]) / 4.0) ** 2)
    return (base + rng.normal(0, 0.15, base.shape)).astype("float32"), k.astype("int32")


def build(settings):
    x = inp = keras.Input((BANDS,), name="echo")
    if settings["norm"]:
        x = layers.LayerNormalization(name="ln")(x)
    for i, width in enumerate(settings["hidden"]):
        x = layers.Dense(width, activation=settings["activation"], name=f"fc{i}")(x)
        x = layers.Dropout(settings["dropout"])(x)
    return keras.Model(inp, layers.Dense(len(SPECIES), name="logits")(x))


def settings_from(overrides):
    """Defaults, updated with what a run overrides."""
    merged = dict(DEFAULTS)
    merged.update(overrides)
    return merged


class Bundle:
    """A folder with settings.json and net.weights.h5."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def export(self, model, settings, scores):
        changed = {k: v for k, v in settings.items() if k in ("dropout", "activation", "norm")}
        with open(self.path("settings.json"), "w") as f:
            json.dump({"settings": changed, "scores": scores}, f)
        model.save_weights(self.path("net.weights.h5"))

    def restore(self):
        with open(self.path("settings.json")) as f:
            saved = json.load(f)
        model = build(settings_from(saved["settings"]))
        model.load_weights(self.path("net.weights.h5"))
        return model, saved["scores"]


def train(overrides):
    settings = settings_from(overrides)
    model = build(settings)
    model.compile(
        optimizer=keras.optimizers.AdamW(3e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        jit_compile=True,
    )
    x, y = echoes(1200, 0)
    vx, vy = echoes(300, 1)
    model.fit(x, y, epochs=3, batch_size=60, verbose=0)
    loss, acc = model.evaluate(vx, vy, verbose=0)
    return model, settings, {"loss": float(loss), "accuracy": float(acc)}


def on_boat(folder):
    model, scores = Bundle(folder).restore()
    x, y = echoes(50, 7)
    guess = keras.ops.convert_to_numpy(model(x)).argmax(-1)
    print("shore accuracy", round(scores["accuracy"], 3), "| boat accuracy", (guess == y).mean())


def main():
    keras.utils.set_random_seed(9)
    folder = tempfile.mkdtemp(prefix="bundle_")
    try:
        model, settings, scores = train({"hidden": [48, 16], "dropout": 0.1})
        print("trained:", settings, scores)
        Bundle(folder).export(model, settings, scores)
        on_boat(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
