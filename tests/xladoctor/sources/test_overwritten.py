"""Sums that a step replaces, and what looks like them and is right."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.overwritten import overwritten

CASES = {
    "variables of a class": ("""
class Gather:
    def __init__(self, net, opt):
        self.sums = [tf.Variable(tf.zeros(v.shape)) for v in net.trainable_variables]

    def add(self, grads):
        for i, g in enumerate(grads):
            self.sums[i].assign(g / 4.0)  # here

    def step(self, net):
        self.opt.apply_gradients(zip(self.sums, net.trainable_variables))
        for s in self.sums:
            s.assign(tf.zeros_like(s))
""", (".assign(g", ".assign_add(g")),
    "variables in one loop": ("""
def learn(net, opt, rows):
    held = [tf.Variable(tf.zeros_like(w), trainable=False) for w in net.weights]
    for k, (x, y) in enumerate(rows):
        grads = slopes(net, x, y)
        for h, g in zip(held, grads):
            h.assign(g / EVERY)  # here
        if k % EVERY == EVERY - 1:
            opt.apply_gradients(zip(held, net.weights))
            for h in held:
                h.assign(0.0 * h)
""", ("h.assign(g / EVERY)", "h.assign(h + g / EVERY)")),
    "a dict of variables": ("""
grad_of = {w.name: tf.Variable(tf.zeros_like(w)) for w in net.weights}
def add(grads):
    for w, g in zip(net.weights, grads):
        grad_of[w.name].assign(g)  # here
def step():
    opt.apply_gradients((grad_of[w.name], w) for w in net.weights)
    for v in grad_of.values():
        v.assign(tf.zeros_like(v))
""", (".assign(g)", ".assign_add(g)")),
    "a loss of an epoch": ("""
def epoch(net, rows):
    loss_sum, n = 0.0, 0
    for x, y in rows:
        loss = step(net, x, y)
        loss_sum = float(loss) * len(x)  # here
        n += len(x)
    return loss_sum / n
""", ("loss_sum = float", "loss_sum += float")),
    "a metric of the program": ("""
class Gap(keras.metrics.Metric):
    def __init__(self):
        self.total = self.add_weight(name="t")
        self.count = self.add_weight(name="n")

    def update_state(self, y, p, sample_weight=None):
        self.total.assign(tf.reduce_sum(tf.abs(y - p)))  # here
        self.count.assign_add(tf.cast(tf.size(y), tf.float32))

    def result(self):
        return self.total / tf.maximum(self.count, 1.0)
""", ("self.total.assign(", "self.total.assign_add(")),
    "tiles that overlap": ("""
def stitch(tiles, corners, side):
    whole = np.zeros((side, side))
    times = np.zeros((side, side))
    for tile, (r, c) in zip(tiles, corners):
        whole[r : r + 8, c : c + 8] = tile  # here
        times[r : r + 8, c : c + 8] += 1
    return whole / np.maximum(times, 1)
""", ("= tile", "+= tile")),
    "patches that are scattered": ("""
def stitch(parts, places, shape):
    whole = tf.zeros(shape)
    times = tf.zeros(shape)
    for part, at in zip(parts, places):
        whole = tf.tensor_scatter_nd_update(whole, at, part)  # here
        times = tf.tensor_scatter_nd_add(times, at, tf.ones_like(part))
    return whole / tf.maximum(times, 1.0)
""", ("nd_update", "nd_add")),
    "sums by key": ("""
sums, counts = defaultdict(float), defaultdict(int)
for site, value in rows:
    sums[site] = value  # here
    counts[site] += 1
means = {s: sums[s] / counts[s] for s in sums}
""", ("sums[site] =", "sums[site] +=")),
    "lists of gradients": ("""
def step(net, opt, parts):
    acc = [tf.zeros_like(w) for w in net.weights]
    for x, y in parts:
        grads = slopes(net, x, y)
        acc = [g for a, g in zip(acc, grads)]  # here
    opt.apply_gradients(zip([a / len(parts) for a in acc], net.weights))
""", ("[g for a", "[a + g for a")),
}  # fmt: skip


def found(text: str) -> list[int]:
    return [slip.line for slip in overwritten(ast.parse(text))]


@pytest.mark.parametrize("name", CASES)
def test_a_sum_that_is_replaced_is_found_and_one_that_is_added_to_is_not(name):
    text, (old, new) = CASES[name]
    assert found(text) == [next(i for i, row in enumerate(text.splitlines(), 1) if "# here" in row)]
    assert old in text
    assert found(text.replace(old, new)) == []


def test_a_state_that_is_read_before_it_is_written_is_no_sum():
    text = CASES["variables of a class"][0]
    reads = "\n    def call(self, x):\n        return self.cell(x, self.sums)\n"
    assert found(text + reads) == []
    state = """
class Net:
    def __init__(self):
        self.state_sum = tf.Variable(tf.zeros(3))
    def call(self, x):
        h = self.cell(x, self.state_sum)
        self.state_sum.assign(h)
        return h
    def clear(self):
        self.state_sum.assign(tf.zeros(3))
"""
    assert found(state) == []


def test_the_latest_value_that_is_cleared_once_it_was_shown_is_no_sum():
    text = CASES["variables of a class"][0]
    assert found(text.replace("self.sums", "self.latest_grads").replace(" / 4.0", "")) == []
    assert found(text.replace("self.sums", "self.shown").replace(" / 4.0", "")) == []


def test_the_last_value_and_a_time_are_no_sums():
    text = "def rate(rows):\n    {0} = 0.0\n    n = 0\n    for x in rows:\n        {1}\n        n += 1\n"
    text += "    return {0} / n\n"
    assert found(text.format("loss", "loss = step(x)")) == [5]
    assert found(text.format("took", "took = time.time() - begun")) == []
    assert found(text.format("loss", "loss = time.time() - begun")) == []
    assert found(text.format("loss", "loss = float(mean.result())")) == []
    assert found(text.format("loss", "loss = score(n)")) == []
    assert (
        found(
            text.replace("n += 1", "log({0} / n)\n        n += 1")
            .replace("{0} / n\n", "n\n")
            .format("loss", "loss = step(x)")
        )
        == []
    )
    assert found(text.replace("{0} / n", "{0}, n").format("loss", "loss = step(x)")) == []


def test_parts_that_do_not_overlap_have_no_count():
    text = CASES["tiles that overlap"][0]
    assert found(text.replace("        times[r : r + 8, c : c + 8] += 1\n", "")) == []
    assert found(text.replace("return whole / np.maximum(times, 1)", "return whole, times")) == []
    assert found(text.replace("whole = np.zeros((side, side))", "whole = background(side)")) == []
