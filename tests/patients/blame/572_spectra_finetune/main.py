"""Two stage experiment.  Usage: main.py pretrain.json finetune.json [--scratch]"""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from stages import Finetune, Pretrain


def read(path):
    return json.loads(Path(path).read_text())


def store(weights, path):
    np.savez(path, *weights)


def restore(path):
    with np.load(path) as f:
        return [f[k] for k in f.files]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("pretrain")
    p.add_argument("finetune")
    p.add_argument("--scratch", action="store_true", help="skip the first stage")
    a = p.parse_args()
    weights = None
    if not a.scratch:
        with tempfile.TemporaryDirectory() as tmp:
            path = os.path.join(tmp, "encoder.npz")
            store(Pretrain(read(a.pretrain)).run(), path)
            weights = restore(path)
        print(f"restored {len(weights)} arrays")
    acc = Finetune(read(a.finetune)).run(weights)
    print(f"accuracy after fine tuning {acc:.3f}")


if __name__ == "__main__":
    main()
