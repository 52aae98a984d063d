"""Incremental job that stops early when its result is up to date."""
import hashlib
import sys
import numpy as np
import tensorflow as tf

KNOWN = {}


def fingerprint(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:12]


def compute(data):
    return tf.linalg.svd(tf.constant(data), compute_uv=False).numpy()


def job(name, data):
    key = fingerprint(data)
    if KNOWN.get(name) == key:
        print(f"{name}: up to date ({key}), aborting the rest of the run")
        sys.exit(0)
    KNOWN[name] = key
    print(name, compute(data).round(3))


matrices = [np.diag([3.0, 2.0, 1.0]), np.ones((3, 3)), np.ones((3, 3)), np.full((3, 3), np.nan)]
for data in matrices:
    job("spectrum", data)
raise RuntimeError("every matrix was new")
