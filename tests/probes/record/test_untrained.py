"""Variables without a gradient: recorded with the op and line that stops it; training gives the same weights."""

from __future__ import annotations

import pytest

from probes.compat_gradients import has_gradient
from probes.record.gradient_trail import WITHOUT, Body, Node, Trail, cuts_of, walk
from tests.probes.record.running import run_program

PROGRAM = """
import sys
import numpy as np
import tensorflow as tf
import keras
from keras import layers

for name, module in list(sys.modules.items()):
    if name.endswith("record.untrained"):
        module.MAX_WATCHES = module.MAX_EVENTS = 99

keras.utils.set_random_seed(3)
x = np.random.rand(16, 4).astype("float32")
y = np.random.rand(16, 1).astype("float32")


@tf.custom_gradient
def through(v):
    return tf.floor(v), lambda upstream: upstream


@tf.function
def inner(net, h):
    return tf.floor(net.head(h))  # inner


def straight(z):
    return z + tf.stop_gradient(tf.round(z) - z)


HEADS = {
    "round": lambda net, h: tf.round(net.head(h)),  # round
    "argmax": lambda net, h: tf.cast(tf.argmax(net.head(h), -1), tf.float32)[:, None],  # argmax
    "whole": lambda net, h: tf.cast(tf.cast(net.head(h), tf.int32), tf.float32),  # whole
    "above": lambda net, h: tf.cast(net.head(h) > 0.5, tf.float32),  # above
    "stopped": lambda net, h: tf.stop_gradient(net.head(h)),  # stopped
    "python": lambda net, h: tf.constant(net.head(h).numpy()),  # python
    "function": inner,
    "custom": lambda net, h: through(tf.round(net.head(h))),  # custom
    "unused": lambda net, h: 0.0 * net.used(h),
    "straight": lambda net, h: straight(net.head(h)),
    "smooth": lambda net, h: through(net.head(h)),
    "shape": lambda net, h: tf.reshape(net.head(h), tf.shape(net.head(h))),
}


class Net(keras.Model):
    def __init__(self, kind, name=None):
        super().__init__(name=name or kind)
        self.kind = kind
        self.body, self.used = layers.Dense(4, name="body"), layers.Dense(1, name=self.name + ".used")
        self.head = layers.Dense(1, name=self.name + ".head")
        for layer in (self.body, self.used, self.head):
            layer.build((None, 4))

    def call(self, x):
        h = self.body(x)
        return self.used(h) + HEADS[self.kind](self, h)


def stepped(net, optimizer, variables=None):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - y) ** 2)
    wanted = variables or net.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, wanted), wanted))


def trained(net, step, times=4):
    optimizer = keras.optimizers.Adam(0.01)
    for _ in range(times):
        step(net, optimizer)
    print(net.name, [float(tf.reduce_sum(v)) for v in net.weights])


for kind in HEADS:
    trained(Net(kind), stepped)
for kind in ("round", "argmax", "function", "custom", "unused", "straight"):
    trained(Net(kind, kind + "_graph"), tf.function(stepped))
net = Net("round", "round_fit")
net.compile("sgd", "mse")
net.fit(x, y, epochs=2, batch_size=8, verbose=0)

# The head's output is computed before the tape is opened.
outside = Net("straight", "outside")


def late(net, optimizer):
    h = net.head(net.body(x))  # outside
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net.used(net.body(x)) + h - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))


trained(outside, late)

# Healthy: frozen, one head a step, and weights that the program changes itself.
frozen = Net("round", "frozen")
frozen.head.trainable = False
trained(frozen, stepped)


def turns(net, optimizer, now=[0]):
    now[0] += 1
    with tf.GradientTape() as tape:
        h = net.body(x)
        loss = tf.reduce_mean(net.head(h) ** 2) if now[0] % 2 else tf.reduce_mean(net.used(h) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))


trained(Net("straight", "turns"), turns)
target = Net("stopped", "target")


def follows(net, optimizer):
    stepped(net, optimizer)
    for variable in net.head.trainable_variables:
        variable.assign_add(tf.ones_like(variable))


trained(target, follows)
from tensorflow.python.eager import execute, record

made = record.record_operation
print(execute.execute.__name__, made.__name__, made.__code__.co_filename.rpartition("/")[2])
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    ran = run_program(tmp_path_factory.mktemp("untrained"), PROGRAM)
    if ran.keras_2:
        pytest.skip("what the optimizers of Keras 2 are given is not recorded")
    assert ran.status == 0, ran.stderr[-2000:]
    return ran


def marked(number):
    """The mark at the end of a line of the program."""
    return PROGRAM.splitlines()[number - 1].rpartition("# ")[2]


def stops(ran):
    """{model: [(op, why, the mark of its line)]} of the last that was said of each model's head."""
    found = {}
    for event in ran.of("no-gradient"):
        for stop in event.get("stops") or ():
            name = stop["variables"][0].partition(".")[0]
            found.setdefault(name, [(c["op"], c["why"], marked(c["frames"][0]["line"])) for c in stop["cuts"]])
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("round", [("Round", "op", "round")]),
        ("argmax", [("ArgMax", "op", "argmax")]),
        ("whole", [("Cast", "op", "whole")]),
        ("above", [("Greater", "op", "above")]),
        ("stopped", [("StopGradient", "op", "stopped")]),
        ("python", [("numpy", "numpy", "python")]),
        ("function", [("Floor", "op", "inner")]),
        ("custom", [("Round", "op", "custom")]),
        ("unused", []),
        ("round_graph", [("Round", "op", "round")]),
        ("argmax_graph", [("ArgMax", "op", "argmax")]),
        ("function_graph", [("Floor", "op", "inner")]),
        ("custom_graph", [("Round", "op", "custom")]),
        ("unused_graph", []),
        ("round_fit", [("Round", "op", "round")]),
        ("outside", [("AddV2", "outside", "outside")]),
    ],
)
def test_the_op_and_the_line_that_stop_it(ran, model, wanted):
    assert stops(ran)[model] == wanted


@pytest.mark.slow
def test_what_has_a_gradient_is_not_spoken_of(ran):
    named = {name.partition(".")[0] for e in ran.of("no-gradient") for name in e.get("variables") or ()}
    assert named & {"smooth", "shape", "straight", "straight_graph", "frozen"} == set()
    assert not ran.of("probe-error")


@pytest.mark.slow
def test_what_became_of_them_by_the_end(ran):
    [end] = [e for e in ran.of("no-gradient") if e["what"] == "end"]
    assert set(end["trained"]) == {
        f"turns.{layer}" for layer in ("used/kernel", "used/bias", "head/kernel", "head/bias")
    }
    assert {"round_fit.head/kernel"} <= set(end["same"])
    assert "target.head/kernel" in end["moved"]


@pytest.mark.slow
def test_training_is_as_without_the_probes_and_tensorflow_has_its_own_methods_again(ran, tmp_path):
    assert run_program(tmp_path, PROGRAM, probes=False).stdout == ran.stdout
    assert ran.stdout.endswith("quick_execute record_operation record.py\n")


@pytest.mark.slow
def test_the_ops_without_a_gradient_are_those_of_tensorflow():
    tf = pytest.importorskip("tensorflow")
    value = tf.constant([0.7, 1.2])
    for kind in ("Floor", "Ceil", "Round", "Rint"):
        with tf.GradientTape() as tape:
            tape.watch(value)
            out = getattr(tf.raw_ops, kind)(x=value)
        assert has_gradient(kind) and kind in WITHOUT and tape.gradient(out, value) is None
    assert [has_gradient(k) for k in ("StopGradient", "Greater", "MatMul", "NoSuchOp")] == [False, False, True, False]


def node(kind, inputs, outputs, **more):
    return Node(kind, tuple(inputs), tuple(outputs), lambda: [{"file": "m.py", "line": 1, "function": "f"}], **more)


def found(nodes, floats, body=None):
    done = walk(Trail(nodes, floats), ["loss"], {"v"}, lambda kind: kind not in ("Stop", "ArgMax"))
    return [c.kind for c in cuts_of(done)], done.connected


def test_a_way_through_a_shape_is_none():
    nodes = [node("Shape", ["v"], ["s"]), node("Reshape", ["data", "s"], ["loss"])]
    assert found(nodes, {"v", "data", "loss"}) == ([], False)


def test_whole_numbers_are_followed_to_the_op_that_made_them():
    nodes = [node("ArgMax", ["v"], ["i"]), node("Add", ["i", "one"], ["j"]), node("Gather", ["t", "j"], ["loss"])]
    assert found(nodes, {"v", "t", "loss"}) == (["ArgMax"], True)


def test_within_a_function_the_way_of_the_output_counts():
    inner = Trail([node("Stop", ["a"], ["p"]), node("Mul", ["b"], ["q"])], {"a", "b", "p", "q"})
    call = node("call", ["v", "v"], ["loss", "other"], tells=True, body=lambda: Body(inner, ["a", "b"], ["p", "q"]))
    assert found([call], {"v", "loss", "other"}) == (["Stop"], True)


def test_a_custom_gradient_stands_for_the_ops_within_it():
    nodes = [node("Stop", ["v"], ["r"]), node("IdentityN", ["r", "v"], ["loss", "x"], tells=True, results=1)]
    assert found(nodes, {"v", "r", "loss", "x"}) == ([], True)
