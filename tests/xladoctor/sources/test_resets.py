"""Metrics, meters and sums that go on from one pass over the data to the next."""

from __future__ import annotations

import ast
import textwrap

import pytest

from xladoctor.sources.slips import slips

HEAD = """
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.metrics import Mean
"""
JUDGE = """
class Judge:
    def __init__(self, net):
        self.net = net
        self.depth = keras.metrics.Mean()
        self.recall = keras.metrics.Recall()

    @tf.function
    def step(self, x, y):
        self.recall.update_state(y, self.net(x))

    def measure(self, rows):
        for x, y in rows:
            self.step(x, y)
        return float(self.recall.result())  # never-reset
"""
METER = """
class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum, self.n = 0.0, 0
        self.sum = 0.0
        self.n = 0

    def add(self, value):
        self.sum += value
        self.n += 1

    @property
    def mean(self):
        return self.sum / self.n
"""
CASES = {
    "a judge that is asked in each epoch": (JUDGE + """
    def learn(self, rows, held_out):
        for epoch in range(9):
            self.depth.reset_state()
            for x, y in rows:
                self.train(x, y)
            print(self.measure(held_out))
""", ("    def measure(self, rows):\n", "    def measure(self, rows):\n        self.recall.reset_state()\n")),
    "a judge of two parts": (JUDGE + """
def main(net, near, far):
    judge = Judge(net)
    print(judge.measure(near))
    print(judge.measure(far))
""", ("judge.measure(far)", "Judge(net).measure(far)")),
    "a judge in a while loop": (JUDGE + """
def main(net, rows):
    judge = Judge(net)
    while better:
        train(net)
        better = judge.measure(rows) > 0.5
""", ("    while better:\n", "    while better:\n        judge = Judge(net)\n")),
    "a meter of the program": (METER + """
def learn(step, rows):
    meter = Meter()
    for epoch in range(5):
        for x, y in rows:
            meter.add(step(x, y))
        print(epoch, meter.mean)  # never-reset
""", ("    for epoch in range(5):\n", "    for epoch in range(5):\n        meter.reset()\n")),
    "a sum of an object": ("""
class Learner:
    def __init__(self):
        self.lost = 0.0
        self.seen = 0

    def batch(self, x, y):
        self.lost += float(self.step(x, y))
        self.seen += 1

    def epoch_loss(self):
        return self.lost / max(self.seen, 1)  # never-reset

    def learn(self, rows):
        for epoch in range(5):
            for x, y in rows:
                self.batch(x, y)
            print(self.epoch_loss())
""", ("        for epoch in range(5):\n", "        for epoch in range(5):\n            self.lost = self.seen = 0\n")),
    "a callback": ("""
class Held(keras.callbacks.Callback):
    def __init__(self, rows):
        self.rows = rows
        self.area = keras.metrics.AUC()

    def on_epoch_end(self, epoch, logs=None):
        for x, y in self.rows:
            self.area.update_state(y, self.model(x))
        logs["area"] = float(self.area.result())  # never-reset
""", ("on_epoch_end", "on_train_end")),
    "a closure": ("""
def learn(net, rows):
    error = Mean()

    @tf.function
    def step(x, y):
        error.update_state(loss(y, net(x)))

    for epoch in range(4):
        for x, y in rows:
            step(x, y)
        tell(error.result())  # never-reset
""", ("    for epoch in range(4):\n", "    for epoch in range(4):\n        error.reset_state()\n")),
    "a metric that a function is given": ("""
def measure(net, rows, score):
    for x, y in rows:
        score.update_state(y, net(x))
    return float(score.result())  # never-reset

def main(net, rows, held_out):
    area = keras.metrics.AUC()
    for epoch in range(7):
        learn(net, rows)
        print(measure(net, held_out, area))
""", ("    for x, y in rows:\n", "    score.reset_state()\n    for x, y in rows:\n")),
    "a count beside a sum": ("""
def learn(rows):
    seen = 0
    for epoch in range(6):
        hits = 0
        for x, y in rows:
            hits += int(match(x, y))
            seen += len(y)
        print(hits / seen)  # never-reset
""", ("        hits = 0\n", "        hits = 0\n        seen = 0\n")),
}  # fmt: skip


def found(*texts: str) -> list[tuple[str, int]]:
    trees = {f"m{i}.py": ast.parse(HEAD + textwrap.dedent(t)) for i, t in enumerate(texts)}
    return [(file, slip.line) for file, slip in slips(trees, []) if slip.kind == "never-reset"]


@pytest.mark.parametrize("name", CASES)
def test_what_goes_on_from_pass_to_pass_is_found_where_it_is_read(name):
    text, (old, new) = CASES[name]
    lines = (HEAD + text).splitlines()
    assert found(text) == [("m0.py", next(i for i, row in enumerate(lines, 1) if "# never-reset" in row))]
    assert old in text
    assert found(text.replace(old, new)) == []


def test_a_judge_of_another_file_is_found_there():
    main = "from m0 import Judge\njudge = Judge(net)\nfor epoch in range(3):\n    print(judge.measure(rows))\n"
    assert [file for file, _ in found(JUDGE, main)] == ["m0.py"]
    reset = main.replace("    print", "    judge.recall.reset_state()\n    print")
    assert found(JUDGE, reset) == []


def test_what_is_meant_to_run_on_or_read_once_is_no_slip():
    looped = CASES["a judge that is asked in each epoch"][0]
    assert found(JUDGE + "\nprint(Judge(net).measure(rows))\n") == []
    assert found(looped.replace("self.recall", "self.total_recall")) == []
    assert found(looped.replace("print(self.measure", "print('so far', self.measure")) == []
    assert found(looped.replace("class Judge:", "class Judge(keras.Model):")) == []
    assert found(looped.replace("        self.net = net", "        self.net = clear(net, self.recall)", 1)) == []
    unknown = "\ndef clear(judge):\n    for m in judge.all():\n        m.reset_state()\n"
    assert found(looped + unknown) == []
    either = "\njudge = Judge(net)\nif far:\n    judge.measure(a)\nelse:\n    judge.measure(b)\n"
    assert found(JUDGE + either) == []
    models = "\nfor net in nets:\n    judge = Judge(net)\n    judge.measure(rows)\n"
    assert found(JUDGE + models) == []


def test_metrics_that_are_given_one_by_one_or_to_something_unknown_are_no_slips():
    text = CASES["a metric that a function is given"][0]
    assert found(text.replace("held_out, area", "held_out, keras.metrics.AUC()")) == []
    assert found(text.replace("        learn(", "        area = keras.metrics.AUC()\n        learn(")) == []
    assert found(text.replace("print(measure", "tidy(area)\n        print(measure")) == []
    two = text[: text.index("    for epoch")] + "    rest = keras.metrics.AUC()\n"
    assert found(two + "    print(measure(net, rows, area), measure(net, held_out, rest))\n") == []
    again = found(two + "    print(measure(net, rows, area), measure(net, held_out, area))\n")
    assert [file for file, _ in again] == ["m0.py"]


def test_a_running_mean_within_one_pass_is_no_slip():
    text = "error = Mean()\nfor step, (x, y) in enumerate(rows):\n    for k in range(4):\n"
    text += "        error.update_state(f(x))\n"
    assert found(text + "    bar.set(error.result())") == []
    rate = "def learn(rows):\n    steps = 0\n    for epoch in range(6):\n        lost = 0\n        for x in rows:\n"
    assert (
        found(rate + "            lost += f(x)\n            steps += 1\n        print(lost / len(rows), steps)") == []
    )
