"""Snow-grain shapes: signed distance fields, autograph control flow and a forced retrace."""
import argparse
import sys

import numpy as np
import tensorflow as tf

tf.config.optimizer.set_jit(False)


def parse(argv):
    p = argparse.ArgumentParser()
    p.add_argument("--grains", type=int, default=3)
    p.add_argument("--side", type=int, default=25)
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--tolerance", type=float, default=2e-3)
    return p.parse_args(argv)


def grains(n, side, seed):
    rng = np.random.default_rng(seed)
    ax = np.linspace(-1, 1, side)
    u, v = np.meshgrid(ax, ax)
    out = []
    for _ in range(n):
        arms = rng.integers(4, 8)
        radius = 0.5 + 0.2 * np.cos(arms * np.arctan2(v, u))
        out.append(np.hypot(u, v) - radius)
    return np.stack(out).astype("float32")


class Curvature(tf.Module):
    """Level-set evolution by mean curvature; rounds off the arms."""

    def __init__(self, tolerance):
        super().__init__()
        self.tolerance = tolerance

    @staticmethod
    def gradient(phi, axis):
        ahead = tf.roll(phi, -1, axis)
        behind = tf.roll(phi, 1, axis)
        return (ahead - behind) / 2

    def speed(self, phi):
        gx, gy = self.gradient(phi, 1), self.gradient(phi, 2)
        norm = tf.sqrt(gx * gx + gy * gy + 1e-6)
        return norm * (self.gradient(gx / norm, 1) + self.gradient(gy / norm, 2))

    @tf.function
    def evolve(self, phi, rounds):
        used = 0
        for i in tf.range(rounds):
            move = 0.2 * self.speed(phi)
            phi = phi + move
            used = i + 1
            if tf.reduce_max(tf.abs(tf.reduce_mean(move, axis=[1, 2]))) < self.tolerance:
                tf.print("settled after", used, "rounds", output_stream=sys.stderr)
                break
        return phi, used


def perimeter(phi):
    inside = tf.cast(phi < 0, tf.float32)
    return tf.reduce_sum(tf.abs(inside[:, 1:] - inside[:, :-1]), axis=[1, 2]) + \
        tf.reduce_sum(tf.abs(inside[:, :, 1:] - inside[:, :, :-1]), axis=[1, 2])


def main(argv=None):
    args = parse(argv)
    curv = Curvature(args.tolerance)
    phi = tf.constant(grains(args.grains, args.side, seed=0))
    print("level sets", phi.shape, "auto-jit:", tf.config.optimizer.get_jit() or "off")
    before = perimeter(phi)
    after, used = curv.evolve(phi, tf.constant(args.rounds))
    print("perimeter", before.numpy().tolist(), "->", perimeter(after).numpy().tolist(),
          "in", int(used), "rounds")
    half, _ = curv.evolve(phi[:, ::2, ::2], tf.constant(args.rounds))
    print("coarse grid", half.shape, "- another shape, another trace:",
          curv.evolve.experimental_get_tracing_count())
    assert np.isfinite(after).all() and np.isfinite(half).all()


if __name__ == "__main__":
    main()
