"""Eager operands: every pair of rows is told with its line; the program computes as before, and soon runs alone."""

import gzip
import json

import pytest

from probes.record.operands import pairs_of_rows
from tests.probes.record.running import run_program

PROGRAM = """
import gc, weakref
import numpy as np
import tensorflow as tf
import keras

before = tf.Tensor.__sub__
v = tf.Variable([[1.0], [2.0]])
x, y = tf.ones((4, 2)), tf.range(4.0)
with tf.GradientTape() as tape:
    p = x @ v
    d = y - p  # line 12
    e = p * np.arange(4.0, dtype="float32")  # line 13
    kernel = p[:, None] - y
    fine = tf.squeeze(p, 1) - y
    bias = p - v[0]
    loss = tf.reduce_mean(d**2) + tf.reduce_mean(e)
print(d.shape, float(loss), [g.shape for g in tape.gradient(loss, [v])])
held = weakref.ref(d)
del d, tape, loss
gc.collect()
print(held() is None)
column = tf.reshape(y, (4, 1))
outside = column - y
mask = tf.equal(column, y)  # of one thing: which rows have one label
hits = tf.equal(column, tf.reverse(y, [0]))
for _ in range(5000):
    y - 1.0
print(tf.Tensor.__sub__ is before, tf.Tensor.__sub__.__name__)

# A model that its first call builds has declared no batch.
lazy = keras.Sequential([keras.layers.Dense(1)])
lazy(x)
keras.Sequential([keras.Input(batch_shape=(8, 2)), keras.layers.Dense(1)])


@tf.custom_gradient
def steep(x):
    def grad(dy):
        return dy * 3.0  # line 40
    return tf.identity(x), grad


@tf.function(jit_compile=True)
def cubed(x):
    return tf.reduce_sum(steep(x) ** 3)  # line 46


w = tf.Variable([2.0])
with tf.GradientTape() as tape:
    y = cubed(w)
print(tape.gradient(y, w).numpy())

pcm = np.arange(-300, 300, dtype="int16")
print(np.mean(pcm**2), pcm[300:].mean(), (pcm.astype("float32") ** 2).mean(), np.testing.assert_equal(pcm.mean(), -0.5))
rows = np.ones((10, 2), "float32")
D, zipped = tf.data.Dataset.from_tensor_slices, tf.data.Dataset.zip
mixed = D(rows).shuffle(10)  # line 58
zipped((mixed, D(rows[:, 0])))  # line 59
zipped((D(rows), D(rows[:, 0]))).shuffle(10)
zipped((D(rows).shuffle(10, seed=1), D(rows[:, 0]).shuffle(10, seed=1)))
zipped((D(rows).shuffle(10), D(rows).shuffle(10)))  # of one kind: pairs may not be wanted
zipped((D(rows).shuffle(10), tf.data.Dataset.range(10)))
lazy.predict(mixed.map(tf.abs).batch(5), verbose=0)  # line 64
lazy.predict(D(rows).batch(4, drop_remainder=True), verbose=0)  # line 65
lazy.predict(mixed.batch(5).cache(), verbose=0)
lazy.predict(D(rows).shuffle(10, reshuffle_each_iteration=False).batch(5, drop_remainder=True), verbose=0)
lazy.predict(D(rows).batch(4), verbose=0)
answer = lazy.predict(rows, verbose=0)
apart = answer - rows[:, 0]
print(np.mean(apart**2), np.mean(answer[:, 0] - rows[:, 0]), np.ones((9, 9)).mean())  # line 71
for _ in range(20_000):
    answer.mean()
twice, kept = zipped((D(rows), D(rows[:, 0]))).shuffle(10).batch(5), mixed.batch(5).cache()
for _ in range(2):
    guesses = [lazy(r) for r, _ in twice]  # line 76
labels = [y for _, y in twice]
both = [r for r in kept], [r for r in kept]
pairs = [*zip(D(rows).shuffle(9), D(rows[:, 0]).shuffle(9))]  # line 79
pairs = [*zip(D(rows), D(rows[:, 0]))], [*zip(D(rows).shuffle(9), D(rows).shuffle(9))]
from numpy._core import _methods
print(_methods.asanyarray is np.asanyarray)
"""


@pytest.mark.slow
def test_what_meets_eagerly_is_told_and_the_methods_are_put_back(tmp_path):
    ran = run_program(tmp_path, PROGRAM)
    plain = run_program(tmp_path / "plain", PROGRAM, probes=False)
    assert ran.status == 0, ran.stderr
    with_probes, without = ran.stdout.splitlines(), plain.stdout.splitlines()
    assert with_probes[:2] == without[:2] and with_probes[1] == "True"
    assert with_probes[2] == without[2].replace("True", "False")  # taken before the probes saw it: their wrapper
    told = {(e["where"]["line"], e["op"]): (e["shapes"], e["watched"], e["given"]) for e in ran.of("meeting")}
    assert told == {
        (12, "Sub"): ([[4], [4, 1]], [False, True], False),
        (13, "Mul"): ([[4, 1], [4]], [True, False], False),
        (14, "Sub"): ([[4, 1, 1], [4]], [True, False], True),
        (24, "Sub"): ([[4, 1], [4]], [False, False], False),
        (26, "Equal"): ([[4, 1], [4]], [False, False], False),
    }
    built = [(e["by_call"], e["inputs"][0]["shape"][0]) for e in ran.of("model") if e["action"] == "build"]
    assert built == [(True, 4), (False, 8)]
    # The gradient of a compiled function is one that nobody wrote; its lines are those of what it is the gradient of.
    (made,) = ran.of("gradient")
    assert (made["python_name"], made["xla"], made["where"]["line"]) == ("the gradient of cubed", True, 51)
    assert [e["kept"] for e in ran.of("first-call") if e["capsule"] == made["capsule"]] == [True]
    packed = (ran.folder / "capsules" / made["capsule"] / "sources.json.gz").read_bytes()
    nodes = json.loads(gzip.decompress(packed))[made["graph"]]
    lines = {name: frames[-1][1] for name, frames in nodes.items() if frames and "_grad" in name}
    assert set(lines.values()) == {40, 46} and not ran.of("probe-error")
    # Datasets in an order that nobody has, or without their last rows.
    made = {(e["what"], e["where"]["line"], e["used"]["line"]): e.get("rows") for e in ran.of("dataset")}
    assert made == {("zipped", 58, 59): [10], ("reshuffled", 58, 64): None, ("dropped", 65, 65): [10, 8],
                    ("reshuffled", 74, 76): None, ("shuffled-pass", 74, 76): None,
                    ("zipped", 79, 79): [10]}  # fmt: skip
    # A mean over pairs of predictions, of NumPy; soon it has its own function back.
    assert [(e["shape"], e["where"]["line"]) for e in ran.of("table")] == [([10, 10], 71)]
    assert [(e["dtype"], e["least"], e["where"]["line"]) for e in ran.of("below-zero")] == [("int16", -32412, 55)]
    assert with_probes[-1] == without[-1] == "True"


TAUGHT = """
import numpy as np
import tensorflow as tf

q = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
x, reward = np.ones((8, 3), "float32"), np.arange(8, dtype="float32")
best = tf.reduce_max(q(x), axis=1, keepdims=True)
goal = reward + 0.9 * reward * best  # line 8
table = 0.5 * best * reward  # line 9: the first one is told
with tf.GradientTape() as tape:
    loss = tf.keras.losses.MeanSquaredError()(GOAL, tf.gather(q(x), [0] * 8, batch_dims=1))  # line 11
"""


@pytest.mark.slow
def test_pairs_that_become_a_target_are_told_with_their_use(tmp_path):
    ran = run_program(tmp_path / "wrong", TAUGHT.replace("GOAL", "goal"))
    assert ran.status == 0 and not ran.of("probe-error"), ran.stderr
    assert [(e["where"]["line"], e["taught"]["line"]) for e in ran.of("meeting") if e.get("taught")] == [(8, 11)]
    right = run_program(tmp_path / "right", TAUGHT.replace("GOAL", "reward"))
    assert [e["where"]["line"] for e in right.of("meeting") if e.get("taught")] == []


@pytest.mark.parametrize(
    ("one", "other", "pairs"),
    [
        ((4, 1), (4,), (4, 4)),
        ((4,), (4, 1), (4, 4)),
        ((4, 1), (3,), (4, 3)),
        ((4, 1, 5), (4, 5), (4, 4)),
        ((4, 3), (3,), None),
        ((4, 1), (1,), None),
        ((1, 1), (4,), None),
        ((4, 1), (4, 1), None),
        ((4, 1), (), None),
        ((4, 5, 2), (5, 2), None),
    ],
)
def test_which_shapes_pair_all_rows(one, other, pairs):
    assert pairs_of_rows(one, other) == pairs
