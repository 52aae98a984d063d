import numpy as np
import tensorflow as tf

rng = np.random.default_rng(12)
SENSORS, RANK = 16, 3


def machines(n, faulty=0):
    basis = np.random.default_rng(0).normal(size=(RANK, SENSORS))
    x = rng.normal(size=(n, RANK)) @ basis + 0.05 * rng.normal(size=(n, SENSORS))
    if faulty:
        x[-faulty:] += rng.normal(size=(faulty, SENSORS))
    return x.astype("float32")


def fit_basis(x):
    _, _, v = np.linalg.svd(x - x.mean(0), full_matrices=False)
    return tf.constant(v[:RANK].T.astype("float32")), tf.constant(x.mean(0))


class Detector:
    def __init__(self, train):
        self.basis, self.mean = fit_basis(train)
        self.threshold = np.percentile(self.score(tf.constant(train)).numpy(), 99)

    @tf.function
    def score(self, x):
        centred = x - self.mean
        recon = centred @ self.basis @ tf.transpose(self.basis)
        return tf.reduce_mean(tf.square(centred - recon), axis=1)

    def alarms(self, x):
        return np.flatnonzero(self.score(tf.constant(x)).numpy() > self.threshold)


det = Detector(machines(200))
fleet = machines(40, faulty=4)
print("threshold %.5f" % det.threshold)
print("alarms raised:", len(det.alarms(fleet)))
