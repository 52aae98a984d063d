import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse
import tempfile

import keras
import numpy as np

from promoter import encode, fasta, folds, network, pwm


def run(args):
    keras.utils.set_random_seed(args.seed)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "promoters.fa")
        fasta.simulate(path, n=args.n, length=args.length, seed=args.seed)
        records = fasta.read(path)
    x, y = encode.encode_records(records, args.length)
    half = len(records) // 2
    print(f"PWM baseline accuracy {pwm.accuracy(records[:half], records[half:]):.3f}")
    acc = []
    for train, test in folds.stratified(y, args.folds, args.seed):
        model = network.build(args.length)
        model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
        model.fit(x[train], y[train], epochs=args.epochs, batch_size=16, verbose=0)
        acc.append(model.evaluate(x[test], y[test], verbose=0)[1])
        print(f"fold {len(acc)}: accuracy {acc[-1]:.3f}  motif {network.motif_logo(model)}")
    print(f"mean accuracy {np.mean(acc):.3f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=120)
    p.add_argument("--length", type=int, default=60)
    p.add_argument("--folds", type=int, default=2)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--seed", type=int, default=0)
    run(p.parse_args())
