"""Energies of spin lattices, and a relaxation of soft spins, compiled."""
import sys

import lattice
import runtime


def main(profile="fast"):
    tf = runtime.enter(profile)
    energy = lattice.make_energy(tf, coupling=1.0, field=0.1)
    s = tf.constant(lattice.spins(6, 12, seed=1))

    @tf.function(jit_compile=True)
    def relax(soft, rate):
        for _ in range(4):
            with tf.GradientTape() as tape:
                tape.watch(soft)
                total = tf.reduce_sum(energy(tf.tanh(soft)))
            soft = soft - rate * tape.gradient(total, soft)
        return soft, energy(tf.tanh(soft))

    start = energy(s)
    _, end = relax(0.5 * s, tf.constant(0.2))
    print("energy", float(tf.reduce_mean(start)), "relaxed", round(float(tf.reduce_mean(end)), 3))


if __name__ == "__main__":
    main(*sys.argv[1:2])
