"""Command line of a trainer; called without arguments it shows its help."""
import argparse
import sys
import tensorflow as tf


def parser():
    p = argparse.ArgumentParser(prog="trainer", description="Train or abort a model; errors go to stderr.")
    p.add_argument("--epochs", type=int, default=3, help="number of epochs (0: fail fast)")
    p.add_argument("--on-error", choices=["abort", "skip"], default="abort", help="what to do with an InvalidArgumentError")
    p.add_argument("--jit", action="store_true", help="compile with XLA")
    p.add_argument("data", help="CSV file")
    return p


def train(args):
    step = tf.function(lambda x: tf.reduce_sum(x ** 2), jit_compile=args.jit)
    for epoch in range(args.epochs):
        print(epoch, float(step(tf.ones([4]))))


def main(argv):
    args = parser().parse_args(argv or ["--help"])
    train(args)
    raise SystemExit("training needs a data file that exists")


if __name__ == "__main__":
    main(sys.argv[1:])
