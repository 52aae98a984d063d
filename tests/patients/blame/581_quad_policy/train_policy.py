import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

import keras
import numpy as np
import tensorflow as tf

from quad.optimise import PolicySearch
from quad.plant import Plant
from quad.policy import Policy
from quad.rollout import Cost, disturbed

SPREAD = np.array([0.5, 0.5, 0.1, 0.2, 0.2, 0.1], "float32")


def initial_states(n, seed):
    return tf.constant(np.random.default_rng(seed).normal(size=(n, 6)).astype("float32") * SPREAD)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--iterations", type=int, default=60)
    p.add_argument("--horizon", type=int, default=15)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--mass", type=float, default=0.8)
    a = p.parse_args()
    keras.utils.set_random_seed(3)
    plant = Plant(mass=a.mass)
    policy = Policy(plant.n_input, limits=[4.0, 0.05])
    cost = Cost(q=[1, 1, 0.5, 0.1, 0.1, 0.05], r=[0.01, 1.0])
    search = PolicySearch(plant, policy, cost, a.horizon, 5e-3)
    for k in range(a.iterations):
        j = search.update(initial_states(a.batch, k))
        if (k + 1) % 20 == 0:
            print(f"iteration {k + 1}: cost {float(j):.4f}")
    trace = disturbed(plant, policy, initial_states(20, 999), 40, 0.01, 1)
    print(f"rms position error under gusts {float(tf.sqrt(tf.reduce_mean(trace[:, -10:] ** 2))):.3f} m")


if __name__ == "__main__":
    main()
