"""Small real programs that fail in known ways, each a concrete function with the values of one call."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from .capsules import Uids, capsule_of, newest_concrete

BATCH, SIDE, CHANNELS = 4, 6, 3


@functools.cache
def shared_warp() -> Any:
    """A cached function with its own jit: whoever calls it first is on its stack for ever."""

    @tf.function(jit_compile=True)
    def warp(images, translations):
        rows = tf.shape(images)[0]
        moved = images + tf.reshape(translations, [-1, 1, 1, 1])
        return tf.reshape(moved, tf.stack([rows, SIDE, SIDE, CHANNELS]))

    return warp


class Warp(keras.layers.Layer):
    """Calls the shared function; a broken one first sums its images into one."""

    def __init__(self, broken: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.broken = broken

    def call(self, inputs):
        images, translations = inputs
        if self.broken:
            images = tf.cond(
                tf.shape(images)[0] >= BATCH,
                lambda: tf.reduce_sum(images, 0, keepdims=True, name="merge"),
                lambda: images * 2.0,
            )
        return shared_warp()(images, translations)


def model(broken: bool, jit: bool, **options: Any) -> Any:
    keras.utils.set_random_seed(0)
    x, t = keras.Input((SIDE, SIDE, 1)), keras.Input(())
    h = keras.layers.Conv2D(CHANNELS, 3, padding="same", name="first")(x)
    h = Warp(name="good")([h, t])
    h = keras.layers.Conv2D(CHANNELS, 3, padding="same", name="second")(h)
    h = Warp(broken, name="bad")([h, t])
    h = keras.layers.Conv2D(1, 3, padding="same", name="third")(h)
    built = keras.Model([x, t], h)
    built.compile("adam", "mse", jit_compile=jit, **options)
    return built


def batch() -> tuple[list[np.ndarray], np.ndarray]:
    random = np.random.default_rng(1)
    x = random.normal(size=(BATCH, SIDE, SIDE, 1)).astype("f")
    return [x, random.normal(size=BATCH).astype("f")], x * 2


def fit(folder: Path, *, broken: bool, jit: bool = False, **options: Any) -> tuple[Path, Uids, Any]:
    """A Keras `fit` of one batch: (capsule, uids, the model)."""
    built = model(broken, jit, **options)
    x, y = batch()
    try:
        built.fit(x, y, batch_size=BATCH, verbose=0, shuffle=False)
    except tf.errors.InvalidArgumentError:
        assert broken
    concrete = newest_concrete("multi_step_on_iterator")
    return *capsule_of(folder, concrete, [*x, y]), built


def predict(folder: Path, *, broken: bool, jit: bool = False) -> tuple[Path, Uids, Any]:
    """A Keras `predict` of one batch: (capsule, uids, what it returned or the exception)."""
    built = model(broken, jit)
    x, _ = batch()
    try:
        out = built.predict(x, batch_size=BATCH, verbose=0)
    except tf.errors.InvalidArgumentError as error:
        out = error
    return *capsule_of(folder, newest_concrete("one_step_on_data_distributed"), x), out


def evaluate(folder: Path) -> tuple[Path, Uids, Any]:
    built = model(False, False)
    x, y = batch()
    loss = built.evaluate(x, y, batch_size=BATCH, verbose=0)
    return *capsule_of(folder, newest_concrete("multi_step_on_iterator"), [*x, y]), loss


# -- plain functions: (python function, arguments) -----------------------------------------------------------------


def chunks(fail: bool = True, rows: int = 7) -> tuple[Any, list[Any]]:
    """A loop over chunks of three rows that collects into a TensorArray; the last chunk is smaller."""

    @tf.function
    def program(x):
        count = tf.shape(x)[0]
        array = tf.TensorArray(tf.float32, size=(count + 2) // 3, infer_shape=False)

        def body(i, array):
            part = x[i * 3 : tf.minimum(i * 3 + 3, count)]
            part = tf.reshape(tf.identity(part, name="part"), [3 if fail else -1, 2, 2], name="fold")
            return i + 1, array.write(i, tf.reduce_sum(part))

        _, array = tf.while_loop(lambda i, _: i * 3 < count, body, [0, array])
        return array.stack()

    return program, [np.arange(rows * 4, dtype="f").reshape(rows, 4)]


def one_op_of_three() -> tuple[Any, list[Any]]:
    """TensorFlow's remapper makes one op of the product, the bias and the activation, under the name of the last."""
    weights = tf.Variable(tf.ones([4, 5]))

    @tf.function
    def program(x):
        return tf.nn.relu(tf.nn.bias_add(tf.linalg.matmul(x, weights, name="product"), tf.ones([5])), name="active")

    return program, [np.ones((2, 3), "f")]


def two_failures() -> tuple[Any, list[Any]]:
    """Two independent reshapes fail; the second to be traced is the cheaper one to reach."""

    @tf.function
    def program(x, y):
        slow = tf.linalg.matmul(x, x)
        for _ in range(5):
            slow = tf.linalg.matmul(slow, x)
        first = tf.reshape(slow, tf.stack([tf.shape(x)[0], 7]), name="first")
        second = tf.reshape(y, tf.stack([tf.shape(y)[0], 5]), name="second")
        return tf.reduce_sum(first) + tf.reduce_sum(second)

    return program, [np.ones((64, 64), "f"), np.ones((3, 3), "f")]


def nested_failure() -> tuple[Any, list[Any]]:
    """A cond in a loop in a cond: it fails in the second round."""

    @tf.function
    def program(x):
        def inner(i, total):
            step = tf.cond(
                tf.equal(i, 1),
                lambda: tf.reduce_sum(tf.reshape(x, tf.stack([tf.shape(x)[0], 5]), name="deep")),
                lambda: tf.reduce_sum(x),
            )
            return i + 1, total + step

        return tf.cond(
            tf.shape(x)[0] > 2,
            lambda: tf.while_loop(lambda i, _: i < 3, inner, [0, 0.0])[1],
            lambda: tf.constant(0.0),
        )

    return program, [np.ones((4, 3), "f")]


def assertion() -> tuple[Any, list[Any]]:
    @tf.function
    def program(x):
        tf.debugging.assert_equal(tf.shape(x)[0], 3, message="three rows wanted")
        return x + 1.0

    return program, [np.ones((4, 3), "f")]


def cond_gradient() -> tuple[Any, list[Any]]:
    """Traced without XLA, the gradient of a branch carries optionals, some of which nobody reads."""

    @tf.function
    def program(x, w):
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.matmul(x, w)
            z = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sin(y) * tf.exp(y), lambda: tf.tanh(y) + tf.sqrt(y))
            loss = tf.reduce_sum(z * z)
        return loss, tape.gradient(loss, w)

    random = np.random.default_rng(2)
    return program, [random.random((4, 3), "f"), random.random((3, 3), "f")]


def switch(index: int) -> tuple[Any, list[Any]]:
    @tf.function
    def program(i, x):
        return tf.switch_case(i, [lambda: x[:1], lambda: x[:2], lambda: tf.concat([x, x], 0)])

    return program, [np.int32(index), np.ones((4, 3), "f")]


class Counter(tf.Module):
    """Variables that are read and assigned everywhere: in the open, in a called function, in a branch and in a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.total = tf.Variable(tf.ones([3]), name="total")
        self.calls = tf.Variable(0, dtype=tf.int64, name="calls")
        self.table = tf.Variable(tf.reshape(tf.range(12.0), [4, 3]), name="table")

    @tf.function
    def add(self, x):
        self.total.assign_add(x)
        return self.total * 2.0

    @tf.function
    def program(self, x):
        before = self.total.read_value()
        twice = self.add(x)
        self.calls.assign_add(1)

        def yes():
            self.total.assign(self.total + 10.0)
            return tf.reduce_sum(self.total)

        def no():
            self.calls.assign_sub(5)
            return tf.constant(0.0)

        branch = tf.cond(tf.reduce_sum(x) > 0, yes, no)

        def body(i):
            self.total.assign_add(tf.ones([3]) * tf.cast(i, tf.float32))
            tf.cond(tf.equal(i, 1), lambda: self.calls.assign_add(100), lambda: self.calls.read_value())
            return i + 1

        tf.while_loop(lambda i: (i < 3) & (self.total[0] < 1e6), body, [tf.constant(0)])
        rows = tf.gather(self.table, [1, 3])
        return before, twice, branch, self.total + 0.0, rows, tf.shape(self.table)


def scatter() -> tuple[Any, list[Any]]:
    """A variable op that is not made functional."""
    table = tf.Variable(tf.zeros([4, 2]), name="scattered")

    @tf.function
    def program(x):
        y = x * 2.0
        table.scatter_mul(tf.IndexedSlices(y[:1], [1]))
        return tf.reduce_sum(table), tf.reshape(y, [2, -1])

    program.keep = table  # type: ignore[attr-defined]
    return program, [np.ones((4, 2), "f")]


def touches_files(target: str) -> tuple[Any, list[Any]]:
    @tf.function
    def program(x):
        tf.io.write_file(target, "written by a capsule")
        text = tf.io.read_file("/etc/hostname")
        tf.print("seen", x)
        return x + 1.0, tf.strings.length(text)

    return program, [np.ones((4, 3), "f")]


def calls_python() -> tuple[Any, list[Any]]:
    @tf.function
    def program(x):
        return tf.cond(tf.shape(x)[0] > 2, lambda: tf.py_function(lambda v: v + 1, [x], tf.float32), lambda: x)

    return program, [np.ones((4, 3), "f")]


def odd_types() -> tuple[Any, list[Any]]:
    @tf.function
    def program(half, text, flag, z):
        return tf.cast(half, tf.float32) + 1.0, tf.strings.length(text), flag, tf.abs(z)

    half = tf.constant([1.5, 2.5], tf.bfloat16)
    return program, [half, tf.constant(["abc", "de"]), np.array([True, False]), np.array([3 + 4j], "complex64")]


def open_specs(arguments: list[Any]) -> list[Any]:
    """Specs with open dimensions: else TensorFlow sees a wrong shape while tracing."""
    return [tf.TensorSpec([None] * np.ndim(a), _dtype(a)) for a in arguments]


def capsule(folder: Path, program: Any, arguments: list[Any], *, specs: Any = None, **options: Any):
    """(capsule, uids) of a tf.function, traced for `specs`, for "open" ones, or for the arguments as they are."""
    if specs == "open":
        specs = open_specs(arguments)
    concrete = program.get_concrete_function(*(specs or [tf.TensorSpec(np.shape(a), _dtype(a)) for a in arguments]))
    return capsule_of(folder, concrete, arguments, **options)


def _dtype(value: Any) -> Any:
    return value.dtype if isinstance(value, tf.Tensor) else tf.dtypes.as_dtype(np.asarray(value).dtype)


# -- what only XLA refuses -----------------------------------------------------------------------------------------


def nested() -> tuple[Any, list[Any]]:
    """A cond in a loop in a cond, with variables of several types; XLA compiles it."""

    @tf.function(jit_compile=True)
    def program(x):
        def body(i, total, seen, z):
            step = tf.cond(total > 3.0, lambda: tf.reduce_max(x) + 1.0, lambda: tf.reduce_sum(x))
            return i + 1, total + step, seen | (step > 0.0), z * tf.complex(step, total)

        def loop():
            start = [0, 0.0, False, tf.constant(1j, tf.complex64)]
            _, total, seen, z = tf.while_loop(lambda i, t, *_: (i < 3) & (t * 2.0 < 90.0), body, start)
            return tf.where(seen, total, tf.abs(z))

        return tf.cond(tf.reduce_mean(x) > 0.5, loop, lambda: tf.constant(0.0))

    return program, [np.ones((4, 3), "f")]


def tile_in_loop() -> tuple[Any, list[Any]]:
    """The number of repetitions depends on the loop's own variable, which is updated after its use."""

    @tf.function(jit_compile=True)
    def program(x):
        def body(start, total):
            stop = tf.minimum(start + 3, tf.shape(x)[0])
            part = tf.reduce_sum(x[start:stop], 1)
            again = tf.tile(part, [stop - start], name="again")
            total += tf.reduce_sum(again)
            return stop, total

        return tf.cond(
            tf.reduce_sum(x) > 0,
            lambda: tf.while_loop(lambda start, _: start < tf.shape(x)[0], body, [0, 0.0])[1],
            lambda: tf.reduce_sum(x),
        )

    return program, [np.ones((7, 3), "f")]


def tile_by_chance() -> tuple[Any, list[Any]]:
    """The number of repetitions is drawn, in a function that is called, and only the other branch is known."""

    @tf.function
    def drawn(x):
        return tf.random.uniform([], 1, 5, tf.int32, name="dice") + tf.shape(x)[0]

    @tf.function(jit_compile=True)
    def program(x):
        times = tf.cond(tf.reduce_sum(x) > 0, lambda: drawn(x), lambda: 2)
        return tf.tile(x, tf.stack([times]), name="again")

    return program, [np.ones(4, "f")]


def fft_of_a_mask() -> tuple[Any, list[Any]]:
    @tf.function(jit_compile=True)
    def program(x):
        kept = tf.boolean_mask(x, tf.reduce_sum(x, 1) > 0, name="mask")
        return tf.abs(tf.signal.fft(tf.cast(kept * 2.0, tf.complex64), name="transform"))

    return program, [np.random.default_rng(3).normal(size=(8, 4)).astype("f")]
