import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

import keras

from icu.cohort import dataset, stays
from icu.earlywarning import points
from icu.models import RiskModel
from icu.scores import auroc, bootstrap


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--mode", default="both")
    p.add_argument("--hours", type=int, default=24)
    p.add_argument("--patients", type=int, default=300)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch", type=int, default=32)
    return p.parse_args()


def main(a):
    keras.utils.set_random_seed(6)
    x, y = stays(a.patients, a.hours, 0)
    xt, yt = stays(a.patients // 2, a.hours, 1)
    model = RiskModel(mode=a.mode)
    model.compile(keras.optimizers.Adam(1e-2), "binary_crossentropy")
    model.fit(dataset(x, y, a.batch, True), epochs=a.epochs, verbose=2)
    p = model.predict(xt, verbose=0).ravel()
    print(f"early warning score: AUROC {auroc(yt.ravel(), points(xt['vitals'])):.3f}")
    lo, hi = bootstrap(yt.ravel(), p, auroc)
    print(f"{a.mode} fusion: AUROC {auroc(yt.ravel(), p):.3f} (95 % CI {lo:.3f} - {hi:.3f})")


if __name__ == "__main__":
    main(parse())
