"""Grows a fern frond by repeated substitution: each generation appends the children
of the current tips to the list of points."""
import numpy as np
import tensorflow as tf

GENERATIONS = 6


class Grammar:
    angle = 0.42
    shrink = 0.62
    branches = 2

    def children(self, tip):
        """tip: [2, 2] point and direction."""
        out = []
        for k in range(self.branches):
            a = self.angle * (2 * k - 1)
            rot = tf.constant([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]], tf.float32)
            d = self.shrink * tf.linalg.matvec(rot, tip[1])
            out.append(tf.stack([tip[0] + d, d]))
        return tf.stack(out)


def grow(grammar, seed_tip, generations):
    def more(i, tip, points):
        return i < generations

    def body(i, tip, points):
        kids = grammar.children(tip)
        points = tf.concat([points, kids[:, 0]], axis=0)
        lead = tf.where(tf.equal(i % 2, 0), kids[0], kids[1])
        return i + 1, lead, points

    start = (tf.constant(0), seed_tip, seed_tip[:1])
    free = (tf.TensorShape([]), tf.TensorShape([2, 2]), tf.TensorShape([None, 2]))
    return tf.while_loop(more, body, start, shape_invariants=free)[2]


compiled = tf.function(lambda tip, n: grow(Grammar(), tip, n), jit_compile=True)


def extent(points):
    return tf.reduce_max(points, axis=0) - tf.reduce_min(points, axis=0)


def main():
    for scale in (0.5, 1.0):
        tip = tf.constant([[0.0, 0.0], [0.0, scale]])
        pts = compiled(tip, tf.constant(GENERATIONS))
        w, h = extent(pts).numpy()
        print(f"scale {scale}: {pts.shape[0]} points, {w:.3f} wide, {h:.3f} high")


if __name__ == "__main__":
    main()
