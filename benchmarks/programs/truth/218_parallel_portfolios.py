import multiprocessing as mp
import sys

import numpy as np

SECTORS = {"energy": 12, "health": 9, "transport": 7}
FACTORS = 5


def returns_of(sector, n_assets, days=250):
    g = np.random.default_rng(len(sector))
    factors = g.normal(0, 0.01, (days, FACTORS))
    exposure = g.normal(0, 1, (FACTORS, n_assets))
    if sector == "health":
        exposure = exposure.T
    return factors @ exposure + g.normal(0, 0.005, (days, n_assets))


def worker(sector, n_assets, box):
    r = returns_of(sector, n_assets)
    cov = np.cov(r.T)
    w = np.linalg.solve(cov + 1e-6 * np.eye(n_assets), np.ones(n_assets))
    box.put((sector, w / w.sum()))


def rebalance(weights):
    import os
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    import tensorflow as tf
    logits = tf.Variable(tf.zeros([len(weights)]))
    target = tf.constant([float(np.abs(w).sum()) for w in weights.values()])
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.softmax(logits) * target)
        logits.assign_sub(tape.gradient(loss, logits))
    return dict(zip(weights, tf.nn.softmax(logits).numpy().round(3)))


if __name__ == "__main__":
    ctx = mp.get_context("fork")
    box = ctx.Queue()
    jobs = {s: ctx.Process(target=worker, args=(s, n, box), name=f"mv-{s}") for s, n in SECTORS.items()}
    for p in jobs.values():
        p.start()
    for p in jobs.values():
        p.join()
    failed = [s for s, p in jobs.items() if p.exitcode != 0]
    weights = dict(box.get() for _ in range(len(jobs) - len(failed)))
    print("allocation", rebalance(weights))
    if failed:
        print("incomplete:", ", ".join(failed))
        sys.exit(2)
