import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

from volcast.config import Config
from volcast.experiment import Experiment

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int)
parser.add_argument("--horizon", type=int)
parser.add_argument("--lookback", type=int)


if __name__ == "__main__":
    a = parser.parse_args()
    cfg = Config()
    if a.epochs is not None:
        cfg.epochs = a.epochs
    for key in ("horizon", "lookback"):
        if getattr(a, key) is not None:
            setattr(cfg.model, key, getattr(a, key))
    print(Experiment(cfg).run().round(3).to_string())
