"""Small programs, in pairs: one with a hazard, and one that does the same without it.

Each defines `run()`. `shows` says what TensorFlow makes of the first: `error: ...` (a part of the message), `differs`
(run() gives under XLA what `plain()` does not), or `value: ...` (the text of what run() gives). The second runs well,
and where it has `plain()` agrees with it. tests/xladoctor/lint/test_reality.py runs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

HEAD = """\
import numpy as np
import tensorflow as tf

X = tf.constant(np.arange(24.0).reshape(4, 6), tf.float32)


"""
JIT = "@tf.function(jit_compile=True)\n"
RUN = "\n\ndef run():\n    return f(X)\n\n\ndef plain():\n    return f.python_function(X)\n"


@dataclass(frozen=True)
class Pair:
    """`leads_to` is what the finding must say; `line` a part of the line that it must point at."""

    name: str
    code: str
    leads_to: str
    line: str
    bad: str
    good: str
    shows: str


def jit(name: str, code: str, leads_to: str, line: str, bad: str, good: str, shows: str) -> Pair:
    """A pair of functions `f(x)` that XLA compiles."""

    def whole(body: str) -> str:
        return HEAD + JIT + dedent(body).strip() + "\n" + RUN

    return Pair(name, code, leads_to, line, whole(bad), whole(good), shows)


SEEDED = """

def run():
    tf.random.set_seed(1)
    first = f(X)
    tf.random.set_seed(1)
    return bool(tf.reduce_all(first == f(X)))
"""
TAPED = """
def f(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = {}
    return tape.gradient(made, x)
"""
CONSTANT = "error: must be a compile-time constant"
UNSUPPORTED = "error: Detected unsupported operations"
DYNAMIC = "error: Asked to propagate a dynamic dimension"
RANDOM = "tf.random.uniform([], 1, 3, tf.int32)"
NAN = "tf.where(x > 7.0, x, float('nan'))"
GROWS = """
def f(x):
    rows = x[:2]
    for i in tf.range(3):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(rows, tf.TensorShape([None, 6]))])
        rows = {}
    return rows
"""
KEEP = "tf.boolean_mask(x, x[:, 0] > 5.0)"


def shape(name: str, call: str, good: str, shows: str = CONSTANT, leads_to: str = "compile-time-constant") -> Pair:
    """A shape argument, in a jit function of x, that comes from `n`."""
    return jit(
        f"shape-{name}", "XD805", leads_to, call,
        f"def f(x):\n    n = {RANDOM}\n    return {call}",
        f"def f(x):\n    n = 2\n    return {good}",
        shows,
    )  # fmt: skip


def grown(name: str, call: str, shows: str, leads_to: str, good: str | None = None) -> Pair:
    """An op that gets a masked tensor `m`; instead the mask is multiplied."""
    return jit(
        f"masked-{name}", "XD806", leads_to, call,
        f"def f(x):\n    m = {KEEP}\n    return {call}",
        f"def f(x):\n    m = x * tf.cast(x[:, :1] > 5.0, x.dtype)\n    return {good or call}",
        shows,
    )  # fmt: skip


def host(name: str, call: str, good: str = "x * 2.0") -> Pair:
    """An op on the host."""
    return jit(
        f"host-{name}", "XD803", "unsupported-op", call,
        f"def f(x):\n    {call}\n    return x * 2.0" if name == "print" else f"def f(x):\n    return {call}",
        f"def f(x):\n    return {good}",
        UNSUPPORTED,
    )  # fmt: skip


PAIRS = (
    # What has no XLA kernel.
    host("print", "tf.print(x)"),
    host("py-function", "tf.py_function(lambda a: a, [x], tf.float32)"),
    host("numpy-function", "tf.numpy_function(lambda a: a, [x], tf.float32)"),
    host("string", "tf.strings.length(tf.strings.as_string(x))"),
    host("as-string", "tf.strings.length(tf.as_string(x))"),
    host("timestamp", "tf.timestamp()"),
    host("lu", "tf.linalg.lu(x[:, :4])[0]", "tf.linalg.qr(x[:, :4])[1] * 0.0 + x[:, :4]"),
    host("eig", "tf.linalg.eig(x[:, :4])[0]"),
    host("segment-sum", "tf.math.segment_sum(x, [0, 0, 1, 1])", "tf.math.unsorted_segment_sum(x, [0, 0, 1, 1], 2)"),
    host("sets", "tf.sets.difference([[1, 2]], [[1]]).values"),
    host("sparse", "tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 0]], [1.0], [4, 4]), x)"),
    host("crop", "tf.image.crop_and_resize(x[None, :, :, None], [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2])"),
    host("decode", 'tf.io.decode_raw(tf.constant(["ab"]), tf.uint8)'),
    # Variables.
    jit(
        "variable", "XD804", "variable-creation", "tf.Variable(x)",
        "def f(x):\n    v = tf.Variable(x)\n    return v * 2.0",
        "def f(x):\n    v = x\n    return v * 2.0",
        "error: variable",
    ),
    # Shapes from values.
    shape("repeat", "tf.repeat(x, n, axis=0)[:1] * 0.0", "tf.repeat(x, n, axis=0)[:1] * 0.0"),
    shape("tile", "tf.tile(x, [n, 1])", "tf.tile(x, [n, 1])"),
    shape("range", "tf.range(n)", "tf.range(n)"),
    shape("fill", "tf.fill([n], 1.0)", "tf.fill([n], 1.0)"),
    shape("zeros", "tf.zeros([n, 2])", "tf.zeros([n, 2])"),
    shape("reshape", "tf.reshape(x, [n, -1])", "tf.reshape(x, [n, -1])"),
    shape("broadcast", "tf.broadcast_to(x[0], [n, 6])", "tf.broadcast_to(x[0], [n, 6])"),
    shape("one-hot", "tf.one_hot([1, 2], n)", "tf.one_hot([1, 2], n)"),
    shape("pad", "tf.pad(x, [[0, n], [0, 0]])", "tf.pad(x, [[0, n], [0, 0]])"),
    shape("segments", "tf.math.unsorted_segment_sum(x, [0, 0, 1, 1], n)",
          "tf.math.unsorted_segment_sum(x, [0, 0, 1, 1], n)"),
    jit(
        "shape-of-the-batch", "XD805", "compile-time-constant", "tf.range(n)",
        f"def f(x):\n    n = tf.cast(tf.reduce_sum({RANDOM}), tf.int32)\n    return tf.range(n)",
        "def f(x):\n    n = tf.shape(x)[0]\n    return tf.range(n)",
        CONSTANT,
    ),
    jit(
        "loop-variable", "XD805", "compile-time-constant", "tf.tile(x, [i, 1])",
        """
        def f(x):
            total = 0.0
            for i in tf.range(4):
                total += tf.reduce_sum(tf.tile(x, [i, 1]))
            return total
        """,
        """
        def f(x):
            total = 0.0
            for i in range(4):
                total += tf.reduce_sum(tf.tile(x, [i, 1]))
            return total
        """,
        CONSTANT,
    ),
    jit(
        "masked-size-tile", "XD805", "wrong-shape-silent", "tf.tile(",
        f"def f(x):\n    return tf.tile(x, [tf.shape({KEEP})[0], 1])",
        "def f(x):\n    return tf.tile(x, [tf.shape(x)[0], 1])",
        "differs",
    ),
    jit(
        "masked-size-one-hot", "XD805", "compile-time-constant", "tf.one_hot(",
        f"def f(x):\n    return tf.one_hot([1, 2], tf.shape({KEEP})[0])",
        "def f(x):\n    return tf.one_hot([1, 2], tf.shape(x)[0])",
        CONSTANT,
    ),
    Pair(
        "baked-in", "XD805", "value-baked-in", "tf.range(n)",
        HEAD
        + """\
COUNT = 0


@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([], tf.int32)])
def f(n):
    return tf.range(n)


def run():
    # Each value compiles again: the compiled code has the value's shape.
    shapes = [f(tf.constant(n)).shape[0] for n in (2, 3)]
    texts = [f.experimental_get_compiler_ir(tf.constant(n))(stage="hlo") for n in (2, 3)]
    return [*shapes, "s32[2]" in texts[0] and "s32[3]" in texts[1]]
""",
        HEAD
        + """\
@tf.function(jit_compile=True)
def f(x):
    return tf.range(x.shape[0])


def run():
    return f(X)
""",
        "value: [2, 3, True]",
    ),
    # Sizes that depend on data.
    grown("fft", "tf.signal.fft(tf.cast(m, tf.complex64))", DYNAMIC, "dynamic-dimension-unsupported"),
    grown("rfft", "tf.signal.rfft(m)", DYNAMIC, "dynamic-dimension-unsupported"),
    grown("roll", "tf.roll(m, 1, 0)", "differs", "wrong-shape-silent"),
    grown("cumsum", "tf.cumsum(m)", "differs", "wrong-shape-silent"),
    grown("cumprod", "tf.math.cumprod(m)", "differs", "wrong-shape-silent"),
    grown("ones-like", "tf.ones_like(m)", "differs", "wrong-shape-silent"),
    grown("diag", "tf.linalg.diag(m[:, 0])", "differs", "wrong-shape-silent"),
    grown("unique", "tf.unique(m[:, 0])[0]", "differs", "wrong-shape-silent", "tf.sort(m[:, 0])"),
    grown("reshape", "tf.reshape(m, [3, 6])", "error: Input to reshape", "reshape-mismatch", "tf.reshape(m, [-1, 6])"),
    grown("ensure-shape", "tf.ensure_shape(m, (3, 6))", "error: is not compatible", "reshape-mismatch",
          "tf.ensure_shape(m, [None, 6])"),
    jit(
        "where-reshape", "XD806", "reshape-mismatch", "tf.reshape(at",
        "def f(x):\n    at = tf.where(x > 5.0)\n    return tf.reshape(at, [18, 2])",
        "def f(x):\n    keep = np.eye(4, 6) < 1\n    return tf.cumsum(tf.reshape(tf.boolean_mask(x, keep), [4, 5]))",
        "error: Input to reshape",
    ),
    grown("last", "m[-1]", "differs", "wrong-shape-silent"),
    grown("last-two", "m[-2:] * 1.0", "differs", "wrong-shape-silent"),
    jit(
        "where-gather-fft", "XD806", "dynamic-dimension-unsupported", "tf.signal.rfft",
        "def f(x):\n    at = tf.where(x[:, 0] > 5.0)[:, 0]\n    return tf.signal.rfft(tf.gather(x, at))",
        "def f(x):\n    at = tf.argsort(x[:, 0])\n    return tf.signal.rfft(tf.gather(x, at))",
        DYNAMIC,
    ),
    jit(
        "mask-index-fft", "XD806", "dynamic-dimension-unsupported", "tf.signal.rfft",
        "def f(x):\n    return tf.signal.rfft(x[x[:, 0] > 5.0])",
        "def f(x):\n    return tf.signal.rfft(tf.where(x[:, :1] > 5.0, x, 0.0))",
        DYNAMIC,
    ),
    jit(
        "slice-in-a-loop", "XD806", "dynamic-dimension-unsupported", "tf.signal.fft",
        """
        def f(x):
            def body(i, total):
                part = tf.signal.fft(tf.cast(x[i : i + 2], tf.complex64))
                return i + 2, total + tf.reduce_sum(tf.math.real(part))

            return tf.while_loop(lambda i, total: i < 4, body, [0, 0.0])[1]
        """,
        """
        def f(x):
            total = 0.0
            for i in range(0, 4, 2):
                part = tf.signal.fft(tf.cast(x[i : i + 2], tf.complex64))
                total += tf.reduce_sum(tf.math.real(part))
            return total
        """,
        DYNAMIC,
    ),
    # Branches.
    jit(
        "cond-rows", "XD807", "dynamic-dimension-unsupported", "tf.cond(",
        """
        def f(x):
            y = tf.cond(x[0, 0] < 0.0, lambda: x, lambda: tf.reduce_sum(x, axis=0, keepdims=True))
            return tf.signal.rfft(y)
        """,
        """
        def f(x):
            y = tf.cond(x[0, 0] < 0.0, lambda: x, lambda: x - tf.reduce_sum(x, axis=0, keepdims=True))
            return tf.signal.rfft(y)
        """,
        DYNAMIC,
    ),
    jit(
        "if-rows", "XD807", "dynamic-dimension-unsupported", "if tf.shape(x)[0] < 3",
        """
        def f(x):
            if tf.shape(x)[0] < 3:
                y = x
            else:
                y = x[:1]
            return tf.signal.rfft(y)
        """,
        """
        def f(x):
            if x.shape[0] < 3:
                y = x
            else:
                y = x[:1]
            return tf.signal.rfft(y)
        """,
        DYNAMIC,
    ),
    # Checks.
    jit(
        "dropped-check", "XD813", "wrong-shape-silent", "assert_less",
        "def f(x):\n    tf.debugging.assert_less(x, 1.0)\n    return x * 2.0",
        "def f(x):\n    x = tf.ensure_shape(x, [4, 6])\n    return x * 2.0",
        "differs",
    ),
    # What XLA does in its own way.
    jit(
        "array-in-a-loop", "XD814", "wrong-shape-silent", "dynamic_size",
        "def f(x):\n    a = tf.TensorArray(tf.float32, size=0, dynamic_size=True)\n"
        "    for i in tf.range(4):\n        a = a.write(i, x[i])\n    return a.stack()",
        "def f(x):\n    a = tf.TensorArray(tf.float32, size=tf.shape(x)[0], dynamic_size=True)\n"
        "    for i in tf.range(4):\n        a = a.write(i, x[i])\n    return a.stack()",
        "differs",
    ),
    jit(
        "array-of-one", "XD814", "wrong-shape-silent", "dynamic_size",
        "def f(x):\n    a = tf.TensorArray(tf.float32, 1, dynamic_size=True)\n"
        "    for i in range(3):\n        a = a.write(i, x[i])\n    return a.stack()",
        "def f(x):\n    a = tf.TensorArray(tf.float32, 0, dynamic_size=True).unstack(x)\n    return a.stack()",
        "differs",
    ),
    Pair(
        "seed-of-an-op", "XD815", "random-in-compiled", "random.normal",
        HEAD + JIT + "def f(x):\n    return x + tf.random.normal([4, 6], seed=3)\n" + SEEDED,
        HEAD + JIT + "def f(x):\n    return x + tf.random.stateless_normal([4, 6], seed=[3, 1])\n" + SEEDED,
        "value: False",
    ),
    jit(
        "root-behind-where", "XD816", "not-finite", "tf.sqrt",
        TAPED.format("tf.where(x > 0.0, tf.sqrt(x), 0.0)"),
        TAPED.format("tf.where(x > 0.0, tf.sqrt(tf.where(x > 0.0, x, 1.0)), 0.0)"),
        "differs",
    ),
    jit(
        "reciprocal-behind-where", "XD816", "not-finite", "rsqrt",
        TAPED.format("tf.where(x == 0.0, tf.zeros_like(x), 2.0 * tf.math.rsqrt(x))"),
        TAPED.format("tf.where(x == 0.0, tf.zeros_like(x), 2.0 * tf.math.rsqrt(x + 1e-6))"),
        "differs",
    ),
    jit(
        "root-behind-a-mask", "XD816", "not-finite", "tf.sqrt",
        TAPED.format("tf.boolean_mask(tf.sqrt(x), x > 0.0)"),
        TAPED.format("tf.sqrt(tf.boolean_mask(x, x > 0.0))"),
        "differs",
    ),
    jit(
        "nan-of-maximum", "XD817", "parity-divergence", "is_nan",
        f"def f(x):\n    worst = tf.reduce_max(tf.abs({NAN}))\n    return tf.cast(tf.math.is_nan(worst), tf.float32)",
        f"def f(x):\n    return tf.cast(tf.reduce_any(tf.math.is_nan({NAN})), tf.float32)",
        "differs",
    ),
    jit(
        "not-finite-minimum", "XD817", "parity-divergence", "is_finite",
        f"def f(x):\n    return tf.cast(tf.math.is_finite(tf.reduce_min({NAN}, axis=1)), tf.float32)",
        "def f(x):\n    m = tf.reduce_max(x, 1, keepdims=True)\n    m = tf.where(tf.math.is_finite(m), m, 0.0)\n"
        "    return m + tf.math.log(tf.reduce_sum(tf.exp(x - m), 1))",
        "differs",
    ),
    jit(
        "growing-while-loop", "XD818", "loop-shape-mismatch", "tf.concat",
        "def f(x):\n    def body(i, y):\n        y = tf.concat([y, y[-1:] * 0.5], 0)\n        return i + 1, y\n"
        "    ways = [tf.TensorShape([]), tf.TensorShape([None, 6])]\n"
        "    return tf.while_loop(lambda i, y: i < 3, body, [tf.constant(0), x], shape_invariants=ways)[1]",
        "def f(x):\n    def body(i, y):\n        both = tf.concat([y, y], 0)\n"
        "        return i + 1, tf.concat([y[1:], both[-1:] * 0.5], 0)\n"
        "    ways = [tf.TensorShape([]), tf.TensorShape([None, 6])]\n"
        "    return tf.while_loop(lambda i, y: i < 3, body, [tf.constant(0), x], shape_invariants=ways)[1]",
        "error: loop body do not match",
    ),
    jit(
        "growing-loop", "XD818", "loop-shape-mismatch", "tf.concat",
        GROWS.format("tf.concat([rows, x[i][None]], 0)"),
        GROWS.format("tf.concat([rows[1:], x[i][None]], 0)"),
        "error: loop body do not match",
    ),
    Pair(
        "guard", "XD808", "wrong-pairing", "is not None",
        HEAD
        + """\
SPEC = tf.TensorSpec([None, 6])


@tf.function(input_signature=[SPEC, SPEC])
def f(a, b):
    if a.shape[0] is not None and b.shape[0] is not None:
        assert a.shape[0] == b.shape[0]
    return a + b


def run():
    return f(X, X[:1]).shape
""",
        HEAD
        + """\
SPEC = tf.TensorSpec([None, 6])


@tf.function(input_signature=[SPEC, SPEC])
def f(a, b):
    rows = a.shape[0] if a.shape[0] is not None else tf.shape(a)[0]
    tf.debugging.assert_equal(rows, tf.shape(b)[0])
    return a + b


def run():
    return f(X, X).shape
""",
        "value: (4, 6)",
    ),
    # Order, data, types, and what is global.
    Pair(
        "environment", "XD801", "setting-too-late", 'os.environ["KERAS_BACKEND"]',
        """\
import os

import keras

os.environ["KERAS_BACKEND"] = "numpy"


def run():
    return keras.backend.backend()
""",
        """\
import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras


def run():
    return keras.backend.backend()
""",
        "value: tensorflow",
    ),
    Pair(
        "config", "XD802", "baked-in-setting", 'def __init__(self, gridsize=cfg["gridsize"])',
        """\
cfg = {"gridsize": 1}


def configure(gridsize):
    cfg["gridsize"] = gridsize


class Patches:
    def __init__(self, gridsize=cfg["gridsize"]):
        self.gridsize = gridsize


def run():
    configure(2)
    return Patches().gridsize
""",
        """\
cfg = {"gridsize": 1}


def configure(gridsize):
    cfg["gridsize"] = gridsize


class Patches:
    def __init__(self, gridsize=None):
        self.gridsize = cfg["gridsize"] if gridsize is None else gridsize


def run():
    configure(2)
    return Patches().gridsize
""",
        "value: 1",
    ),
    Pair(
        "partial-batch", "XD809", "keras-input-mismatch", ".batch(4)",
        """\
import keras
import tensorflow as tf


def run():
    inputs = keras.Input((3,), batch_size=4)
    model = keras.Model(inputs, tf.keras.layers.Reshape((3, 1))(inputs))
    rows = [model(batch).shape[0] for batch in tf.data.Dataset.from_tensor_slices(tf.zeros([10, 3])).batch(4)]
    return rows
""",
        """\
import keras
import tensorflow as tf


def run():
    inputs = keras.Input((3,), batch_size=4)
    model = keras.Model(inputs, tf.keras.layers.Reshape((3, 1))(inputs))
    data = tf.data.Dataset.from_tensor_slices(tf.zeros([10, 3])).batch(4, drop_remainder=True)
    return [model(batch).shape[0] for batch in data]
""",
        "error: ",
    ),
    Pair(
        "float-widths", "XD811", "dtype-mismatch", "a * b",
        """\
import tensorflow as tf


def run():
    a = tf.constant([0.1, 0.5])
    b = tf.constant([1.0, 2.0], dtype=tf.float64)
    return a * b
""",
        """\
import tensorflow as tf


def run():
    a = tf.constant([0.1, 0.5], dtype=tf.float64)
    b = tf.constant([1.0, 2.0], dtype=tf.float64)
    return a * b
""",
        "error: ",
    ),
    Pair(
        "rounded-constant", "XD811", "parity-divergence", "tf.cast(sigmas",
        """\
import functools

import tensorflow as tf

FLOAT = tf.float64


def kernel(x, sigmas):
    return x / tf.cast(sigmas, FLOAT)


def run():
    gaussian = functools.partial(kernel, sigmas=tf.constant([0.1, 0.5]))
    return bool(gaussian(tf.constant(1.0, tf.float64))[0] == 10.0)
""",
        """\
import functools

import tensorflow as tf

FLOAT = tf.float64


def kernel(x, sigmas):
    return x / tf.cast(sigmas, FLOAT)


def run():
    gaussian = functools.partial(kernel, sigmas=tf.constant([0.1, 0.5], dtype=FLOAT))
    return bool(gaussian(tf.constant(1.0, tf.float64))[0] == 10.0)
""",
        "value: False",
    ),
    Pair(
        "explicit-jit", "XD810", "flag-ineffective", "jit_compile=True",
        HEAD
        + """\
@tf.function(jit_compile=True)
def f(x):
    return x * 2.0


def run():
    tf.config.optimizer.set_jit(False)
    return f.get_concrete_function(X).function_def.attr["_XlaMustCompile"].b
""",
        HEAD
        + """\
@tf.function(jit_compile=False)
def f(x):
    return x * 2.0


def run():
    return f.get_concrete_function(X).function_def.attr["_XlaMustCompile"].b
""",
        "value: True",
    ),
    Pair(
        "global-jit", "XD812", "flag-ineffective", "set_jit(",
        HEAD
        + """\
def innocent():
    return tf.config.optimizer.get_jit()


def run():
    tf.config.optimizer.set_jit("autoclustering")
    try:
        return innocent()
    finally:
        tf.config.optimizer.set_jit(False)
""",
        HEAD
        + """\
def run():
    return tf.config.optimizer.get_jit()
""",
        "value: autoclustering",
    ),
)  # fmt: skip
