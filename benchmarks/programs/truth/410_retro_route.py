"""Greedy decoding of delivery routes with a pointer network."""
import numpy as np
import tensorflow as tf

N_STOPS = 9
DIM = 16


class Pointer(tf.keras.layers.Layer):
    """Additive attention over the stops that are still open."""

    def __init__(self, dim):
        super().__init__()
        self.q = tf.keras.layers.Dense(dim, use_bias=False)
        self.k = tf.keras.layers.Dense(dim, use_bias=False)
        self.v = tf.keras.layers.Dense(1, use_bias=False)

    def call(self, query, keys, closed):
        s = self.v(tf.tanh(self.q(query)[:, None, :] + self.k(keys)))[..., 0]
        return s - 1e9 * closed


class Router(tf.keras.Model):
    def __init__(self, dim=DIM):
        super().__init__()
        self.embed = tf.keras.layers.Dense(dim, activation="relu")
        self.cell = tf.keras.layers.GRUCell(dim)
        self.pointer = Pointer(dim)

    @tf.function(input_signature=[tf.TensorSpec([None, N_STOPS, 2], tf.float32)])
    def decode(self, xy):
        keys = self.embed(xy)
        b = tf.shape(xy)[0]
        state = tf.reduce_mean(keys, axis=1)
        current = tf.zeros((b, DIM))
        closed = tf.zeros((b, N_STOPS))
        tour = tf.zeros((b, 1), tf.int32)
        length = tf.zeros((b,))
        here = xy[:, 0]
        for _ in tf.range(N_STOPS):
            _, state = self.cell(current, state)
            logits = self.pointer(state, keys, closed)
            nxt = tf.argmax(logits, axis=1, output_type=tf.int32)
            closed = tf.maximum(closed, tf.one_hot(nxt, N_STOPS))
            there = tf.gather(xy, nxt, batch_dims=1)
            length += tf.norm(there - here, axis=1)
            here = there
            current = tf.gather(keys, nxt, batch_dims=1)
            tour = tf.concat([tour, nxt[:, None]], axis=1)
        return tour[:, 1:], length


def depots(n, seed):
    rng = np.random.default_rng(seed)
    centre = rng.uniform(0, 1, (n, 1, 2))
    return (centre + rng.normal(0, 0.15, (n, N_STOPS, 2))).astype("float32")


def two_opt_gain(xy, tour):
    """How much one pass of 2-opt would still take off, averaged over the routes."""
    gain = []
    for pts, order in zip(xy, tour):
        p = pts[order]
        base = np.linalg.norm(np.diff(p, axis=0), axis=1).sum()
        best = base
        for i in range(1, len(p) - 1):
            for j in range(i + 1, len(p)):
                q = np.concatenate([p[:i], p[i:j][::-1], p[j:]])
                best = min(best, np.linalg.norm(np.diff(q, axis=0), axis=1).sum())
        gain.append(base - best)
    return float(np.mean(gain))


def main():
    tf.keras.utils.set_random_seed(6)
    router = Router()
    xy = depots(20, 1)
    print("depots", xy.shape[0], "stops", N_STOPS)
    tour, length = router.decode(tf.constant(xy))
    print("mean length", round(float(tf.reduce_mean(length)), 3))
    print("2-opt would gain", round(two_opt_gain(xy, tour.numpy()), 3))
    assert all(sorted(t) == list(range(N_STOPS)) for t in tour.numpy())


if __name__ == "__main__":
    main()
