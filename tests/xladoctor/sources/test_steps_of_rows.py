"""Steps of predictions over repeated datasets, and steps that leave rows out."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.backward import Backward
from xladoctor.sources.held import Held, View
from xladoctor.sources.slips import steps_of_rows

HELD = {
    ("<module>", "SIZE"): Held("number", value=32),
    ("<module>", "plots"): Held("array", (500, 4), "float32"),
    ("score", "x"): Held("array", (500, 4), "float32"),
    ("even", "x"): Held("array", (512, 4), "float32"),
}
WRONG = {
    "a helper for training and prediction": ("rows-again", """
def batches(x):
    return tf.data.Dataset.from_tensor_slices(x).shuffle(9).repeat().batch(SIZE).prefetch(1)
def score(net, x):
    steps = math.ceil(len(x) / SIZE)
    return net.predict(batches(x), steps=steps)[:, 0]  # wrong
"""),
    "step by step, rounded up by hand": ("rows-again", """
rows = tf.data.Dataset.from_tensor_slices(plots)
rows = rows.repeat(3)
rows = rows.batch(32)
loss = net.evaluate(rows, steps=(len(plots) + SIZE - 1) // SIZE)  # wrong
"""),
    "a written number of steps": ("rows-again", """
rows = tf.data.Dataset.from_tensor_slices((plots, yields)).repeat().map(scaled).batch(SIZE)
guess = net.predict(rows, steps=16)  # wrong
"""),
    "one step more": ("rows-again", """
class Scorer:
    def rows(self, x):
        return tf.data.Dataset.from_tensor_slices(x).repeat().batch(SIZE)
    def run(self, net):
        guess = net.predict(self.rows(plots), steps=len(plots) // SIZE + 1)  # wrong
        return guess.mean()
"""),
    "a loop of the program": ("rows-again", """
def score(net, x):
    rows = tf.data.Dataset.from_tensor_slices(x).repeat().batch(SIZE)
    found = []
    for part in rows.take(math.ceil(len(x) / SIZE)):  # wrong
        found.append(net(part, training=False).numpy())
    return np.concatenate(found)
"""),
    "islice": ("rows-again", """
def score(net, x):
    rows = tf.data.Dataset.from_tensor_slices(x).repeat().batch(SIZE)
    steps = -(-len(x) // SIZE)
    return np.concatenate([net(part) for part in itertools.islice(rows, steps)])  # wrong
"""),
    "whole batches only": ("batches-left-out", """
rows = tf.data.Dataset.from_tensor_slices(plots).batch(SIZE)
guess = net.predict(rows, steps=len(plots) // SIZE)  # wrong
"""),
}  # fmt: skip
HEALTHY = {
    "repeated after the batches": """
rows = tf.data.Dataset.from_tensor_slices(plots).batch(SIZE).repeat()
guess = net.predict(rows, steps=math.ceil(len(plots) / SIZE))
""",
    "not repeated": """
rows = tf.data.Dataset.from_tensor_slices(plots).batch(SIZE)
guess = net.predict(rows, steps=math.ceil(len(plots) / SIZE))
""",
    "cut to the rows": """
rows = tf.data.Dataset.from_tensor_slices(plots).repeat().batch(SIZE)
guess = net.predict(rows, steps=math.ceil(len(plots) / SIZE))[:len(plots)]
""",
    "cut later": """
def score(net, x):
    rows = tf.data.Dataset.from_tensor_slices(x).repeat().batch(SIZE)
    return net.predict(rows, steps=-(-len(x) // SIZE))
guess = score(net, plots)
print(guess[:500].mean())
""",
    "whole batches are all": """
def even(net, x):
    rows = tf.data.Dataset.from_tensor_slices(x).repeat().batch(SIZE)
    return net.predict(rows, steps=math.ceil(len(x) / SIZE))
""",
    "repeated for training alone": """
def batches(x, training):
    rows = tf.data.Dataset.from_tensor_slices(x)
    if training:
        rows = rows.shuffle(9).repeat()
    return rows.batch(SIZE)
def score(net, x):
    return net.predict(batches(x, False), steps=math.ceil(len(x) / SIZE))
""",
    "most rows are scored": """
rows = tf.data.Dataset.from_tensor_slices(plots).batch(SIZE)
loss = net.evaluate(rows, steps=len(plots) // SIZE)
""",
    "a loop whose results are cut": """
def score(net, x):
    rows = tf.data.Dataset.from_tensor_slices(x).repeat().batch(SIZE)
    found = [net(part) for part in rows.take(math.ceil(len(x) / SIZE))]
    return np.concatenate(found)[:len(x)]
""",
    "a loop that trains": """
rows = tf.data.Dataset.from_tensor_slices(plots).repeat().batch(SIZE)
losses = []
for part in rows.take(math.ceil(len(plots) / SIZE)):
    losses.append(net.train_on_batch(part, part))
""",
    "several rounds of augmented rows": """
rows = tf.data.Dataset.from_tensor_slices(plots).repeat().map(changed).batch(SIZE)
loss = net.evaluate(rows, steps=4 * len(plots) // SIZE)
""",
    "a training": """
rows = tf.data.Dataset.from_tensor_slices(plots).repeat().batch(SIZE)
net.fit(rows, steps_per_epoch=math.ceil(len(plots) / SIZE))
""",
}


def slips(text):
    trees = {"main.py": ast.parse(f"SIZE = 32; plots = np.load('plots.npy'){text}")}
    return [(s.kind, s.line) for s in steps_of_rows.faults(View("main.py", trees["main.py"], Backward(trees), HELD))]


@pytest.mark.parametrize(("kind", "text"), WRONG.values(), ids=WRONG.keys())
def test_rows_that_come_twice_or_not_at_all(kind, text):
    assert slips(text) == [(kind, n) for n, line in enumerate(text.splitlines(), 1) if "# wrong" in line]


@pytest.mark.parametrize("text", HEALTHY.values(), ids=HEALTHY.keys())
def test_steps_that_fit(text):
    assert slips(text) == []
