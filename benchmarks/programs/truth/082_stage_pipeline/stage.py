"""One stage of the pipeline."""
import argparse
import numpy as np
import tensorflow as tf


def matrix(rows, cols):
    return tf.constant(np.random.default_rng(rows + cols).normal(size=(rows, cols)), tf.float32)


def prepare(rows, cols):
    print("condition", float(tf.linalg.norm(matrix(rows, cols))))


def solve(rows, cols):
    basis = matrix(rows, 5)
    mixing = matrix(cols, cols)
    coefficients = tf.matmul(basis, mixing)
    print("solved", coefficients.shape)


p = argparse.ArgumentParser()
p.add_argument("name")
p.add_argument("--rows", type=int)
p.add_argument("--cols", type=int)
args = p.parse_args()
{"prepare": prepare, "solve": solve}[args.name](args.rows, args.cols)
