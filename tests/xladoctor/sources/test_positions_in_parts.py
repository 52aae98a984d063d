"""Positions that count within a part of the rows: what they may index, and what not."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.rows import row_faults

HEAD = """
import numpy as np
import pandas as pd
rng = np.random.default_rng(3)
N = 400
vectors = rng.normal(size=(N, 8)).astype("float32")
ages = rng.gamma(2.0, 3.0, N)
alive = rng.random(N) < 0.5
net = keras.Sequential([keras.layers.Dense(1)])
table = pd.read_csv("plots.csv")
"""
WRONG = {
    "neighbours": """
near = NearestNeighbors(n_neighbors=3).fit(net.predict(vectors[alive]))
_, at = near.kneighbors(net.predict(vectors[~alive]))
print(ages[at].mean())  # wrong
""",
    "neighbours that are fitted later": """
nn = NearestNeighbors(3)
nn.fit(vectors[alive])
at = nn.kneighbors(new, return_distance=False)
print(np.take(ages, at))  # wrong
""",
    "a tree": """
tree = cKDTree(vectors[np.flatnonzero(alive)])
distance, at = tree.query(new, k=1)
print(ages[at])  # wrong
""",
    "one row": """
kept = np.flatnonzero(alive)
best = np.argmax(net.predict(vectors[kept])[:, 0])
print(ages[best])  # wrong
""",
    "a product": """
alike = new @ vectors[alive].T
at = np.argmax(alike, axis=1)
print(ages[at])  # wrong
""",
    "top of the last rows": """
late = vectors[300:]
_, top = tf.math.top_k(net.predict(late)[:, 0], 5)
print(tf.gather(ages, top))  # wrong
""",
    "an index": """
class Index:
    def __init__(self, net, vectors, ages, on):
        self.net, self.ages = net, ages
        self.ids = np.flatnonzero(on)
        self.keys = net.predict(vectors[self.ids])
    def nearest(self, new):
        alike = tf.matmul(self.net(new), self.keys, transpose_b=True)
        return tf.math.top_k(alike, k=3).indices
    def ages_of(self, new):
        return tf.gather(self.ages, self.nearest(new))  # wrong
Index(net, vectors, ages, alive).ages_of(new)
""",
    "a model of the program's own": """
class Encoder(keras.Model):
    def call(self, x):
        return self.dense(x)
class Search:
    def __init__(self):
        self.encode = Encoder()
        self.keys = self.encode(vectors[alive])
    def ask(self, new):
        return np.argmin(cdist(self.encode(new), self.keys), axis=1)
print(ages[Search().ask(new)])  # wrong
""",
    "a table": """
dry = table[table["rain"] < 2]
top = np.argsort(net.predict(dry[["a", "b"]].to_numpy())[:, 0])
print(table.iloc[top])  # wrong
""",
    "a column": """
dry = table[table["rain"] < 2].reset_index(drop=True)
top = np.argsort(net.predict(dry[["a", "b"]].to_numpy())[:, 0])[-5:]
print(table["name"].values[top])  # wrong
""",
    "labels": """
dry = table[table["rain"] < 2]
top = np.argsort(net.predict(dry[["a", "b"]].to_numpy())[:, 0])
print(dry.loc[top])  # wrong
""",
}
HEALTHY = {
    "by the part": """
near = NearestNeighbors(n_neighbors=3).fit(vectors[alive])
_, at = near.kneighbors(new)
print(ages[alive][at], ages[np.flatnonzero(alive)[at]])
""",
    "moved on": """
_, top = tf.math.top_k(net.predict(vectors[300:])[:, 0], 5)
print(ages[300:][top], ages[300 + top])
""",
    "differences of neighbours": """
steps = vectors[1:, 0] - vectors[:-1, 0]
print(ages[np.argmax(steps)], ages[np.argsort(steps)[-3:]])
""",
    "classes": """
names = np.array([f"class {k}" for k in range(N)])
print(names[net.predict(vectors[alive]).argmax(axis=1)], names[np.argmax(net.predict(vectors[alive]), -1)])
""",
    "all rows": """
near = NearestNeighbors(n_neighbors=3).fit(vectors)
at = near.kneighbors(vectors[alive], return_distance=False)
print(ages[at], ages[np.argmax(net.predict(vectors)[:, 0])])
""",
    "a palette of another size": """
colours = rng.random((7, 3))
groups = np.argmin(cdist(vectors, vectors[rng.choice(N, 7, replace=False)]), axis=1)
print(colours[groups])
""",
    "its own table": """
dry = table[table["rain"] < 2]
top = np.argsort(net.predict(dry[["a", "b"]].to_numpy())[:, 0])
print(dry.iloc[top], dry.loc[dry.index[top]], table.loc[dry.index[top]])
""",
    "labels counted anew": """
dry = table[table["rain"] < 2].reset_index(drop=True)
top = np.argsort(net.predict(dry[["a", "b"]].to_numpy())[:, 0])
print(dry.loc[top])
""",
    "sorted with labels counted anew": """
wet = table.sort_values("rain", ignore_index=True)
top = np.argsort(net.predict(wet[["a", "b"]].to_numpy())[:, 0])
print(wet.loc[top])
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_positions_of_a_part_that_index_the_whole(name):
    source = HEAD + WRONG[name]
    marked = [n for n, line in enumerate(source.splitlines(), 1) if line.endswith("# wrong")]
    kind = "positions-as-labels" if name == "labels" else "foreign-positions"
    assert [(f.kind, f.line) for f in row_faults({"a.py": ast.parse(source)})] == [(kind, line) for line in marked]


@pytest.mark.parametrize("name", HEALTHY)
def test_positions_that_index_what_they_count(name):
    assert row_faults({"a.py": ast.parse(HEAD + HEALTHY[name])}) == []
