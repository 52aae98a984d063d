import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

import keras

from kws.clips import make_clips
from kws.frontend import dataset
from kws.network import build
from kws.settings import Settings


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.json")
    ap.add_argument("--val-fraction", type=float, default=0.25)
    args = ap.parse_args()

    s = Settings.load(args.config)
    keras.utils.set_random_seed(s.seed)
    waves, labels = make_clips(s)
    n_val = int(len(waves) * args.val_fraction)
    train = dataset(waves[n_val:], labels[n_val:], s, training=True)
    val = dataset(waves[:n_val], labels[:n_val], s, training=False)

    model = build(s)
    model.compile(
        optimizer=keras.optimizers.Adam(s.lr),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    print(f"{model.name}: {model.count_params()} parameters")
    model.fit(train, validation_data=val, epochs=s.epochs, verbose=2)
    loss, acc = model.evaluate(val, verbose=0)
    print(f"validation loss {loss:.3f} accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
