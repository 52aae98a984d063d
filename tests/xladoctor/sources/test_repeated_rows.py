"""Rows that are repeated and reshaped: the copies of a row, and copies of all rows."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.repeated_rows import repeated_rows

WRONG = {
    "passes of a net with dropout": """
def spread(net, rows):
    many = np.repeat(rows, DRAWS, axis=0)
    score = net(many, training=True)[:, 0]
    score = tf.reshape(score, (DRAWS, -1))  # wrong
    return tf.math.reduce_std(score, axis=0)
""",
    "a tile that is taken for a repeat": """
class Ensemble:
    def vote(self, leaves):
        n = len(leaves)
        big = np.tile(leaves, (self.views, 1, 1, 1))
        p = self.net.predict(self.turn(big), verbose=0)
        return p.reshape(n, self.views, 5).mean(axis=1)  # wrong
""",
    "classes of each copy": """
def jittered(net, batch, k=8):
    copies = tf.repeat(batch, repeats=k, axis=0)
    copies = copies + tf.random.normal(tf.shape(copies), stddev=0.1)
    probs = net(copies)
    return tf.reduce_mean(tf.reshape(probs, [k, -1, 3]), axis=0)  # wrong
""",
    "all at once": """
def paths(net, x, n):
    return net(ops.repeat(x, n, axis=0)).numpy().squeeze(-1).reshape(n, x.shape[0])  # wrong
""",
}
HEALTHY = {
    "as they lie": """
def spread(net, rows):
    many = np.repeat(rows, DRAWS, axis=0)
    return net(many)[:, 0].reshape(-1, DRAWS).std(axis=1)
""",
    "blocks of all rows": """
def spread(net, rows):
    many = tf.tile(rows, [DRAWS, 1])
    return tf.reshape(net(many), [DRAWS, -1, 3])
""",
    "copies of one row": """
def spread(net, rows):
    row = rows[None]
    many = np.repeat(row, DRAWS, axis=0)
    return net(many)[:, 0].reshape(DRAWS, -1)
""",
    "one row by its call": """
def maps(net, x, k):
    many = tf.repeat(x, k, axis=0)
    return tf.reshape(net(many), [k, -1])
for scan in scans:
    print(maps(net, scan[np.newaxis], 9))
""",
    "noise of this size": """
def noise(rows, k):
    many = np.repeat(rows, k, axis=0)
    eps = np.random.normal(size=len(many))
    return many, eps.reshape(k, -1)
""",
    "sums of the copies": """
def spread(net, rows, k):
    many = np.repeat(rows, k, axis=0)
    flat = net(many)[:, 0].reshape(-1, k)
    means = flat.mean(axis=1)
    return means.reshape(k, -1)
""",
    "rows and partners": """
def pairs(net, rows, others, k):
    left = np.repeat(rows, k, axis=0)
    right = np.tile(others, (k, 1))
    return net([left, right]).reshape(k, len(rows))
""",
    "pixels of a picture": """
def flat(picture, bands):
    planes = np.repeat(picture, bands, axis=0)
    return planes.reshape(bands, -1)
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_reshapes_of_the_other_kind_of_copies(name):
    marked = [n for n, line in enumerate(WRONG[name].splitlines(), 1) if line.endswith("# wrong")]
    assert [(s.kind, s.line) for s in repeated_rows(ast.parse(WRONG[name]))] == [("pairs-turned", n) for n in marked]


@pytest.mark.parametrize("name", HEALTHY)
def test_reshapes_that_fit(name):
    assert list(repeated_rows(ast.parse(HEALTHY[name]))) == []
