import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

import keras

from gestures.engine import Engine
from gestures.loader import Loader
from gestures.net import GestureNet
from gestures.recorder import GESTURES, campaign
from gestures.transforms import Compose, Crop, Standardize


def main():
    ap = argparse.ArgumentParser(description="leave-subjects-out gesture recognition")
    ap.add_argument("--subjects", type=int, default=6)
    ap.add_argument("--per-subject", type=int, default=20)
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--limit", type=int, default=48)
    ap.add_argument("--batch", type=int, default=16)
    a = ap.parse_args()

    keras.utils.set_random_seed(5)
    recs = campaign(a.subjects, a.per_subject, seed=5)
    held = a.subjects - 2
    train = [r for r in recs if r.subject < held]
    test = [r for r in recs if r.subject >= held]
    transform = Compose(Crop(a.limit), Standardize().fit(train))
    train_loader = Loader(train, transform, a.batch, shuffle=True)
    test_loader = Loader(test, transform, a.batch)
    engine = Engine(GestureNet(len(GESTURES)), 5e-3)
    for k in range(a.epochs):
        print(f"epoch {k + 1} loss {engine.epoch(train_loader):.3f}")
    print(f"accuracy on {len(test)} recordings of unseen subjects {engine.accuracy(test_loader):.3f}")


if __name__ == "__main__":
    main()
