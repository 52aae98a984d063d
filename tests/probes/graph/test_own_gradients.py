"""Gradients of the program's own: what is not the gradient of its function is found, and what is meant is not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes import compat_gradients
from probes.graph.own_gradients import own_gradients
from probes.record.frames import followed
from probes.record.guard import Guard
from probes.record.own_gradients import OwnGradientRecorder
from tests.probes.graph.capsules import capsule_of

pytestmark = pytest.mark.slow


def own(tf, function, gradient):
    return tf.custom_gradient(lambda *args: (function(*args), gradient(*args)))


# Each takes (tf, x (5, 4), w (4, 4)) and gives a loss; all of these have a wrong gradient, of the kind that is named.


def ignored_sign(tf, x, w):
    return tf.reduce_sum(own(tf, tf.sign, lambda v: lambda up: tf.cast(tf.abs(v) < 1, v.dtype))(x @ w) ** 2)


def ignored_ones_like(tf, x, w):
    return tf.reduce_mean(tf.sin(own(tf, tf.round, lambda v: tf.ones_like)(x @ w)))


def ignored_weighted_loss(tf, x, w):
    loss = own(tf, lambda v: tf.reduce_sum(tf.nn.softplus(v)), lambda v: lambda up: tf.sigmoid(v))
    return 0.1 * loss(x @ w) + tf.reduce_sum(w**2)


def factor_cube(tf, x, w):
    return tf.reduce_mean(own(tf, lambda v: v**3, lambda v: lambda up: up * 2 * v**2)(x @ w))


def factor_mean(tf, x, w):
    return own(tf, tf.reduce_mean, lambda v: lambda up: up * tf.ones_like(v))(x @ w) ** 2


def factor_sign_of_cosine(tf, x, w):
    return tf.reduce_mean(own(tf, tf.cos, lambda v: lambda up: up * tf.sin(v))(x @ w))


def apart_norm(tf, x, w):
    def norm(v):
        return tf.sqrt(tf.reduce_sum(v**2, 1, keepdims=True) + 1e-9)

    return tf.reduce_sum(tf.exp(-own(tf, norm, lambda v: lambda up: up * v)(x @ w)))


def apart_transposed(tf, x, w):
    return tf.reduce_sum(own(tf, tf.matmul, lambda a, b: lambda up: (up @ b, tf.transpose(a) @ up))(x, w) ** 2)


def apart_second_argument(tf, x, w):
    gate = own(tf, lambda a, b: a * tf.sigmoid(b), lambda a, b: lambda up: (up * tf.sigmoid(b), up * tf.sigmoid(b)))
    return tf.reduce_mean(gate(x, x @ w))


def left_out_variance(tf, x, w):
    def moments(v):
        return tf.reduce_mean(v, 0), tf.reduce_mean((v - tf.reduce_mean(v, 0)) ** 2, 0)

    mean, spread = own(tf, moments, lambda v: lambda up, _: tf.ones_like(v) * up / 5.0)(x @ w)
    return tf.reduce_sum(mean**2 + spread)


# These are right, or meant.


def straight_through(tf, x, w):
    return tf.reduce_sum(own(tf, tf.sign, lambda v: lambda up: up * tf.cast(tf.abs(v) < 1, v.dtype))(x @ w) ** 2)


def rounded(tf, x, w):
    return tf.reduce_sum(own(tf, lambda v: tf.round(v * 8) / 8, lambda v: lambda up: up)(x @ w) ** 2)


def spike(tf, x, w):
    pulse = own(tf, lambda v: tf.cast(v > 0.1, v.dtype), lambda v: lambda up: up / (1 + 10 * tf.abs(v)) ** 2)
    return tf.reduce_mean(pulse(x @ w))


def nearest_code(tf, x, w):
    def nearest(v, codes):
        far = tf.reduce_sum((v[:, None] - codes[None]) ** 2, -1)
        return tf.gather(codes, tf.argmin(far, 1))

    return tf.reduce_mean(tf.sin(own(tf, nearest, lambda v, codes: lambda up: (up, None))(x, w)) * w[0])


def reversed_(tf, x, w):
    return tf.reduce_mean(tf.sin(own(tf, tf.identity, lambda v: lambda up: -0.3 * up)(x @ w)))


def clipped(tf, x, w):
    turn = own(tf, tf.identity, lambda v: lambda up: tf.clip_by_value(up, -0.01, 0.01))
    return tf.reduce_sum(turn(x @ w) ** 2)


def clipped_curve(tf, x, w):
    return tf.reduce_sum(own(tf, tf.exp, lambda v: lambda up: tf.clip_by_norm(up * tf.exp(v), 0.1))(x @ w))


def passed_beyond_the_range(tf, x, w):
    return tf.reduce_sum(own(tf, lambda v: tf.clip_by_value(v, -0.1, 0.1), lambda v: lambda up: up)(x @ w) ** 2)


def leaky(tf, x, w):
    relu = own(tf, tf.nn.relu, lambda v: lambda up: tf.where(v > 0, up, 0.1 * up))
    return tf.reduce_sum(relu(x @ w - 0.5))


def guided(tf, x, w):
    relu = own(tf, tf.nn.relu, lambda v: lambda up: up * tf.cast((up > 0) & (v > 0), up.dtype))
    return tf.reduce_sum(relu(x @ w - 0.5))


def stopped(tf, x, w):
    return tf.reduce_sum(own(tf, tf.exp, lambda v: lambda up: tf.zeros_like(v))(x @ w) * w[0])


def last_of_all(tf, x, w):
    return own(tf, lambda v: tf.reduce_sum(tf.nn.softplus(v)), lambda v: lambda up: tf.sigmoid(v))(x @ w)


def injected(tf, x, w):
    return 0.2 * own(tf, lambda v: tf.constant(0.0), lambda v: lambda up: v - 1.0)(x @ w)


def log_of_one_and_exp(tf, x, w):
    def soft(v):
        e = tf.exp(v)
        return tf.math.log1p(e), lambda up: up * (1 - 1 / (1 + e))

    return tf.reduce_mean(tf.custom_gradient(soft)(x @ w) ** 2)


def matmul(tf, x, w):
    right = lambda a, b: lambda up: (up @ tf.transpose(b), tf.transpose(a) @ up)  # noqa: E731
    return tf.reduce_sum(own(tf, tf.matmul, right)(x, w) ** 2)


def solved(tf, x, w):
    def solve(a, b):
        found = tf.linalg.solve(a, b)

        def back(up):
            grad = tf.linalg.solve(a, up, adjoint=True)
            return -grad @ tf.transpose(found), grad

        return found, back

    return tf.reduce_sum(tf.custom_gradient(solve)(w + 3 * tf.eye(4), tf.transpose(x)) ** 2)


def moments(tf, x, w):
    def both(v):
        mean = tf.reduce_mean(v, 0)
        return (mean, tf.reduce_mean((v - mean) ** 2, 0)), lambda a, b: (a + 2 * b * (v - mean)) / 5.0

    mean, spread = tf.custom_gradient(both)(x @ w)
    return tf.reduce_sum(mean**2 + spread)


def unused_second(tf, x, w):
    def both(v):
        return (tf.sin(v), tf.exp(v)), lambda a, _: a * tf.cos(v)

    return tf.reduce_sum(tf.custom_gradient(both)(x @ w)[0] ** 2)


def random_mask(tf, x, w):
    def drop(v):
        mask = tf.cast(tf.random.uniform(tf.shape(v)) > 0.3, v.dtype)
        return v * mask, lambda up: up * mask

    return tf.reduce_sum(tf.custom_gradient(drop)(x @ w) ** 2)


def safe_root(tf, x, w):
    def root(v):
        found = tf.sqrt(v)
        return found, lambda up: up * 0.5 / tf.maximum(found, 1e-3)

    return tf.reduce_sum(tf.custom_gradient(root)(tf.abs(x @ w)))


WRONG = [ignored_sign, ignored_ones_like, ignored_weighted_loss, factor_cube, factor_mean, factor_sign_of_cosine,
         apart_norm, apart_transposed, apart_second_argument, left_out_variance]  # fmt: skip
RIGHT = [straight_through, rounded, spike, nearest_code, reversed_, clipped, clipped_curve, passed_beyond_the_range,
         leaky, guided, stopped, last_of_all, injected, log_of_one_and_exp, matmul, solved, moments, unused_second,
         random_mask, safe_root]  # fmt: skip


# Gradients of several columns by a tape; each takes (tf, x (5, 4), w (4, 4)).


def column(tf, x):
    return tf.reduce_sum(x, 1, keepdims=True)


def broadcast_residual(tf, x, w):
    t = column(tf, x)
    with tf.GradientTape() as tape:
        tape.watch(t)
        u = tf.tanh(t * w[:1]) @ w
    return tf.reduce_mean((tape.gradient(u, t) - tf.concat([u[:, 1:], -u[:, :1]], 1)) ** 2)


def cancels_softmax(tf, x, w):
    with tf.GradientTape() as tape:
        tape.watch(x)
        p = tf.nn.softmax(x @ w)
    return tf.reduce_mean(tf.abs(tape.gradient(p, x)), 1)


def again_laplacian(tf, x, w):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            u = tf.tanh(x @ w) @ w[:, :1]
        first = inner.gradient(u, x)
    return tf.reduce_sum(outer.gradient(first, x), 1)


def each_column(tf, x, w):
    t = column(tf, x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t)
        u = tf.tanh(t * w[:1]) @ w
        parts = tf.unstack(u, axis=1)
    du = tf.concat([tape.gradient(p, t) for p in parts], 1)
    return tf.reduce_mean((du - u) ** 2)


def jacobian(tf, x, w):
    t = column(tf, x)
    with tf.GradientTape() as tape:
        tape.watch(t)
        u = tf.tanh(t * w[:1]) @ w
    return tf.reduce_mean((tape.batch_jacobian(u, t)[..., 0] - u) ** 2)


def element_wise(tf, x, w):
    with tf.GradientTape() as tape:
        tape.watch(x)
        u = tf.tanh(x) * w[0]
    return tf.reduce_mean((tape.gradient(u, x) - u) ** 2)


def saliency_of_scores(tf, x, w):
    with tf.GradientTape() as tape:
        tape.watch(x)
        scores = tf.tanh(x @ w)
    return tf.reduce_mean(tf.abs(tape.gradient(scores, x)), 1)


def laplacian(tf, x, w):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            u = tf.tanh(x @ w) @ w[:, :1]
        parts = tf.unstack(inner.gradient(u, x), axis=1)
    return tf.add_n([outer.gradient(p, x)[:, i] for i, p in enumerate(parts)])


def with_upstream(tf, x, w):
    with tf.GradientTape() as tape:
        tape.watch(x)
        p = tf.nn.softmax(x @ w)
    return tf.reduce_mean(tape.gradient(p, x, output_gradients=w[:1] * tf.ones_like(p)), 1)


def penalty(tf, x, w):
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = tf.tanh(x @ w) @ w[:, :1]
    return tf.reduce_mean((tf.norm(tape.gradient(score, x), axis=1) - 1.0) ** 2)


SUMMED = [broadcast_residual, cancels_softmax, again_laplacian]
NOT_SUMMED = [each_column, jacobian, element_wise, saliency_of_scores, laplacian, with_upstream, penalty]


class Sink:
    """Keeps what is written."""

    def __init__(self):
        self.events = []

    def write(self, kind, **told):
        self.events.append({"kind": kind, **told})


@pytest.fixture(scope="module")
def recorded():
    """What asks about a loss: (its answer, the events)."""
    import tensorflow as tf

    sink = Sink()
    guard = Guard(sink)
    finder = SimpleNamespace(when_imported=lambda name, hook: hook(tf))
    recorder = OwnGradientRecorder(guard, finder, lambda graph: "g0")
    cls = compat_gradients.tape_class()
    guard.hooks.put(cls, "gradient", followed(cls.gradient, recorder.taken))
    random = np.random.default_rng(3)
    x = tf.constant(random.normal(size=(5, 4)), tf.float32)
    w = tf.Variable(random.normal(size=(4, 4)).astype("float32") / 2)

    def ask(folder, function):
        def step(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = function(tf, x, w)
            return tape.gradient(loss, [w, x])

        sink.events.clear()
        recorder._written.clear()
        concrete = tf.function(step).get_concrete_function(x)
        capsule, _ = capsule_of(folder / function.__name__, concrete, [x])
        marks = [e for e in sink.events if e["kind"] == "own-gradient"]
        assert not [e for e in sink.events if e["kind"] == "probe-error"], sink.events
        return own_gradients(SimpleNamespace(capsule=capsule, marks=marks)), marks

    yield ask
    guard.hooks.take_back(guard.part)


@pytest.mark.parametrize("function", WRONG, ids=lambda f: f.__name__)
def test_a_wrong_gradient_is_found_with_its_kind(recorded, tmp_path, function):
    answer, marks = recorded(tmp_path, function)
    [told] = answer["found"]
    assert function.__name__.startswith(told["kind"].replace("-", "_")), answer
    assert marks[told["mark"]]["where"]["file"] == __file__


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_a_gradient_that_is_right_or_meant_is_not(recorded, tmp_path, function):
    answer, marks = recorded(tmp_path, function)
    assert (answer["result"], answer["found"]) == ("asked", []) and marks


@pytest.mark.parametrize("function", SUMMED, ids=lambda f: f.__name__)
def test_a_sum_over_columns_is_found(recorded, tmp_path, function):
    answer, _ = recorded(tmp_path, function)
    [told] = answer["found"]
    assert told["kind"] == "summed" and function.__name__.startswith(told["how"])


@pytest.mark.parametrize("function", NOT_SUMMED, ids=lambda f: f.__name__)
def test_a_gradient_of_each_column_is_not(recorded, tmp_path, function):
    answer, _ = recorded(tmp_path, function)
    assert answer["found"] == []


def test_gradients_that_agree_are_said_to(recorded, tmp_path):
    assert [recorded(tmp_path, f)[0]["passed"] for f in (log_of_one_and_exp, matmul, moments)] == [[0]] * 3
