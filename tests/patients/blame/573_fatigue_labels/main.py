import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse
import tempfile

import numpy as np

from fatigue import curves, table, testbench
from fatigue.classifier import FatigueClassifier


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--csv", help="existing campaign file; simulated when missing")
    p.add_argument("--specimens", type=int, default=240)
    p.add_argument("--epochs", type=int, default=5)
    a = p.parse_args()

    with tempfile.TemporaryDirectory() as tmp:
        path = a.csv or os.path.join(tmp, "campaign.csv")
        if a.csv is None:
            testbench.write(path, a.specimens, seed=6)
        df = table.read(path)
    print(df.groupby("alloy")["failed"].agg(["size", "mean"]).round(2).to_string())
    train, test = table.split(df, 0.25, seed=0)
    design = table.Design(train)
    x, y = design(train)
    model = FatigueClassifier(epochs=a.epochs).fit(x, y)
    xt, _ = design(test)
    print(f"loss {model.history['loss'][-1]:.3f}  Brier score {model.brier(xt, test['failed'].to_numpy()):.3f}")
    for alloy in design.alloys:
        print(f"  {alloy}: 50 % failures at {curves.half_probability(model, design, train, alloy):.2f} of the limit")
    print("predicted failures", int(np.sum(model.probability(xt) > 0.5)), "of", int(test["failed"].sum()))


if __name__ == "__main__":
    main()
