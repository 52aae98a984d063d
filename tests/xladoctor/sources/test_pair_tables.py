"""All pairs of two things, reshaped to a table: the order of the pairs and that of the table."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.rows import row_faults
from xladoctor.sources.slips.pair_tables import pair_tables

BY_SIZE = """
import numpy as np
from itertools import product
net = keras.Model({"drug": drug, "cell": cell}, score)
DRUGS, CELLS = 45, 30
def table():
    {pairs}
    found = {call}
    return found.reshape({sizes})
table()
"""
TILED = "d, c = np.tile(np.arange(DRUGS), CELLS), np.repeat(np.arange(CELLS), DRUGS)"
MESH = "d, c = np.meshgrid(np.arange(DRUGS), np.arange(CELLS))"
BOTH = 'net.predict({"drug": d, "cell": c}, verbose=0)'
FLAT = "net.predict([d.ravel(), c.reshape(-1)])[:, 0]"
PRODUCT = "pairs = np.array(list(product(range(DRUGS), range(CELLS))))"
LISTED = "pairs = np.array([(d, c) for c in range(CELLS) for d in range(DRUGS)])"
ROWS = "net.predict(pairs)"


@pytest.mark.parametrize(
    ("pairs", "call", "wrong", "right"),
    [
        (TILED, BOTH, "DRUGS, CELLS", "CELLS, DRUGS"),
        (MESH, FLAT, "DRUGS, CELLS", "CELLS, DRUGS"),
        (MESH.replace("CELLS))", 'CELLS), indexing="ij")'), FLAT, "CELLS, -1", "DRUGS, -1"),
        (PRODUCT, ROWS, "CELLS, DRUGS", "DRUGS, CELLS"),
        (LISTED, ROWS, "DRUGS, CELLS", "CELLS, DRUGS"),
    ],
)
def test_pairs_whose_sizes_are_known(pairs, call, wrong, right):
    source = BY_SIZE.replace("{pairs}", pairs).replace("{call}", call)
    [fault] = row_faults({"a.py": ast.parse(source.replace("{sizes}", wrong))})
    assert (fault.kind, fault.line) == ("grid-by-reshape", 9)
    assert row_faults({"a.py": ast.parse(source.replace("{sizes}", right))}) == []


WRONG = {
    "users and titles": """
def shelf(net, users, titles):
    u = np.tile(users, len(titles))
    t = np.repeat(titles, len(users))
    flat = net.predict([u, t], verbose=0)
    return flat.reshape(len(users), len(titles))  # wrong
""",
    "counts with names": """
def scan(net, table):
    plants, days = table["plant"].unique(), np.sort(table["day"].unique())
    n, m = 1, 2
    n_plants = len(plants)
    n_days = days.size
    pairs = tf.stack([tf.repeat(plants, n_days), tf.tile(days, [n_plants])], axis=1)
    growth = net(pairs)
    return tf.reshape(growth, (n_days, n_plants))  # wrong
""",
    "a grid of a method": """
class Field:
    def values(self, xs, ys):
        gx, gy = np.meshgrid(xs, ys)
        points = np.column_stack([gx.ravel(), gy.ravel()])
        return self.net.predict(points)[:, 0].reshape(len(xs), len(ys))  # wrong
""",
    "a product": """
def affinity(net, acids, bases):
    pairs = np.array(list(itertools.product(acids, bases)))
    k = net.predict(pairs)
    return np.reshape(k, (-1, acids.shape[0]))  # wrong
""",
}
HEALTHY = {
    "as they lie": """
def shelf(net, users, titles):
    u = np.repeat(users, len(titles))
    t = np.tile(titles, len(users))
    return net.predict([u, t]).reshape(len(users), len(titles))
""",
    "transposed then": """
def values(net, xs, ys):
    gx, gy = np.meshgrid(xs, ys)
    return net(np.c_[gx.ravel(), gy.ravel()]).numpy().reshape(len(ys), len(xs)).T
""",
    "by rows of the grid": """
def values(net, xs, ys):
    gx, gy = np.meshgrid(xs, ys, indexing="ij")
    return net(np.c_[gx.ravel(), gy.ravel()]).numpy().reshape(len(xs), len(ys))
""",
    "something else of this size": """
def values(net, xs, ys, prior):
    gx, gy = np.meshgrid(xs, ys)
    z = net(np.c_[gx.ravel(), gy.ravel()])
    return z, prior.reshape(len(xs), len(ys))
""",
    "both orders": """
def values(net, xs, ys):
    a = np.array([(x, y) for x in xs for y in ys])
    b = np.array([(x, y) for y in ys for x in xs])
    return net(a).reshape(len(xs), len(ys)) - net(b).reshape(len(ys), len(xs)).T
""",
    "sorted first": """
def values(net, xs, ys):
    pairs = np.array([(x, y) for x in xs for y in ys])
    pairs = pairs[np.lexsort(pairs.T)]
    return net(pairs).reshape(len(ys), len(xs))
""",
    "points of two columns": """
def values(xs, ys):
    pairs = np.array([(x, y) for x in xs for y in ys])
    return pairs.reshape(-1, 2)
""",
    "repeats of samples": """
def draws(net, rows, k):
    many = np.repeat(rows, k, axis=0)
    noise = np.tile(levels, len(rows))
    return net.predict([many, noise]).reshape(len(rows), k)
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_pairs_that_are_known_by_names(name):
    marked = [n for n, line in enumerate(WRONG[name].splitlines(), 1) if line.endswith("# wrong")]
    assert [s.line for s in pair_tables(ast.parse(WRONG[name]))] == marked


@pytest.mark.parametrize("name", HEALTHY)
def test_pairs_in_the_order_of_their_table(name):
    assert list(pair_tables(ast.parse(HEALTHY[name]))) == []
