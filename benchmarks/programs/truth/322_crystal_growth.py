"""Grow a 1-D crystal by rejection: the lattice gets longer in a compiled loop."""
import argparse

import numpy as np
import tensorflow as tf


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=6)
    p.add_argument("--seed-sites", type=int, default=4)
    p.add_argument("--species", type=int, default=3)
    p.add_argument("--temperature", type=float, default=0.7)
    return p.parse_args()


class CrystalGrower(tf.Module):
    def __init__(self, species, temperature):
        super().__init__()
        rng = np.random.default_rng(0)
        j = rng.normal(size=(species, species)).astype("float32")
        self.coupling = tf.Variable((j + j.T) / 2, name="coupling")
        self.temperature = tf.constant(temperature)
        self.species = species

    def attach_probs(self, edge_site):
        energy = tf.linalg.matvec(self.coupling, edge_site)
        return tf.nn.softmax(-energy / self.temperature)

    @tf.function(jit_compile=True)
    def grow(self, lattice, steps):
        def cond(i, sites, log_p):
            return i < steps

        def body(i, sites, log_p):
            probs = self.attach_probs(sites[-1])
            pick = tf.one_hot(tf.argmax(probs), self.species)
            log_p = log_p + tf.math.log(tf.reduce_sum(probs * pick))
            sites = tf.concat([sites, pick[None, :]], axis=0)
            return i + 1, sites, log_p

        _, sites, log_p = tf.while_loop(
            cond, body, (tf.constant(0), lattice, tf.constant(0.0)),
            shape_invariants=(tf.TensorShape([]),
                              tf.TensorShape([None, self.species]),
                              tf.TensorShape([])))
        return sites, log_p


def main():
    args = parse_args()
    rng = np.random.default_rng(7)
    seed = np.eye(args.species, dtype="float32")[
        rng.integers(0, args.species, size=args.seed_sites)]
    grower = CrystalGrower(args.species, args.temperature)
    print("coupling", grower.coupling.numpy().round(2).tolist())
    print("seed lattice", seed.shape)
    sites, log_p = grower.grow(tf.constant(seed), args.steps)
    print("grown lattice", sites.shape, "log p", float(log_p))
    counts = tf.reduce_sum(sites, axis=0)
    print("composition", (counts / tf.reduce_sum(counts)).numpy().round(3))


if __name__ == "__main__":
    main()
