"""XD80x-XD81x: hazards in code that XLA compiles. Found by `xladoctor lint`, which follows it from each jit entry."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule

_MEASURED = "docs/lint.md, what was measured"
_OUTSIDE = Remedy(
    "outside", "Do it outside of the compiled function", "safe", "Compute it before the call, and hand the result in."
)

RULES = (
    Rule(
        code="XD803",
        slug="host-op-in-jit",
        title="An op without an XLA kernel in compiled code",
        level="warning",
        what=(
            "`tf.print`, `tf.py_function`, `tf.numpy_function`, a string op or another op that runs on the host "
            "only stands in code that XLA compiles."
        ),
        why=(
            "XLA compiles the whole function or nothing. An op that it has no kernel for ends the compilation "
            "with `Detected unsupported operations`."
        ),
        example="@tf.function(jit_compile=True)\ndef step(x):\n    tf.print(x)\n    return x * 2",
        tell_apart=(
            "`unsupported-op` is the error that it becomes. Under auto-clustering the op stays outside of the "
            "cluster, and nothing fails."
        ),
        remedies=(
            _OUTSIDE,
            Remedy(
                "split",
                "Compile the inner part only",
                "safe",
                ("Put the numerical part into a function of its own with jit_compile=True, and print around it."),
            ),
        ),
        references=(
            "tensorflow/compiler/tf2xla/xla_op_registry.cc",
            _MEASURED,
        ),
    ),
    Rule(
        code="XD804",
        slug="variable-in-jit",
        title="A variable is made in compiled code",
        level="warning",
        what="`tf.Variable(...)` is called in a function that XLA compiles, and not only the first time.",
        why=(
            "TensorFlow lifts variables out of a function where it can. A variable that depends on the function's "
            "arguments, or that every call makes again, it cannot lift."
        ),
        example="@tf.function(jit_compile=True)\ndef f(x):\n    v = tf.Variable(x)\n    return v + 1",
        tell_apart=(
            "`if self.v is None: self.v = tf.Variable(...)` works (measured), and so does tf.init_scope: not meant."
        ),
        remedies=(
            Remedy(
                "make-outside",
                "Make it once, outside",
                "safe",
                "Make the variable in `__init__` or `build`, and assign to it in the function.",
            ),
        ),
        references=(
            "tensorflow/python/eager/polymorphic_function/polymorphic_function.py",
            _MEASURED,
        ),
    ),
    Rule(
        code="XD805",
        slug="shape-from-value",
        title="A shape comes from values",
        level="warning",
        what=(
            "An argument that sets a shape (`tf.repeat`, `tile`, `range`, `fill`, `reshape`, ...) comes from "
            "random numbers, a loop variable, `tf.where` or the size of a masked tensor; or from the value of an "
            "argument (told as a note)."
        ),
        why=(
            "XLA needs every shape when it compiles. What is not known then ends the compilation (`must be a "
            "compile-time constant`) or, for a masked size, gives another size. The value of an argument is "
            "compiled in, and each new value compiles again."
        ),
        example="for i in tf.range(n):\n    x = tf.tile(x, [i, 1])   # in a jit-compiled function",
        tell_apart="`tf.shape(x)` of an ordinary tensor is known when XLA compiles, and is not meant.",
        remedies=(
            Remedy(
                "static-size",
                "Make the size static",
                "safe",
                ("Take it from `x.shape` or a Python number; or compute for the largest size, and mask."),
            ),
            _OUTSIDE,
        ),
        references=(
            "tensorflow/compiler/tf2xla/const_analysis.cc",
            _MEASURED,
        ),
    ),
    Rule(
        code="XD806",
        slug="data-dependent-size",
        title="A size that depends on data reaches an op that cannot carry it",
        level="warning",
        what=(
            "What `tf.boolean_mask`, `tf.where`, `tf.unique`, `x[mask]`, a slice with run-time bounds or an "
            "uneven branch gives is used by an FFT (refused), by `roll`, `cumsum`, `ones_like`, `diag`, `unique` "
            "or an index from the end (wrong without an error), or by a matrix product (told as a note)."
        ),
        why=(
            "For XLA such a size is a bounded dynamic dimension, `<=N`. FFTs cannot carry one. Ops that use "
            "positions or counts see the padded size N."
        ),
        example="tf.signal.fft(tf.boolean_mask(x, keep))   # in a jit-compiled function",
        tell_apart=(
            "`dynamic-dimension-unsupported` is the error. Element-wise work and plain reductions of a masked "
            "tensor are right, and are not meant."
        ),
        remedies=(
            Remedy(
                "mask-by-value",
                "Keep the size, and mask by value",
                "safe",
                "Multiply by the mask or use three-argument `tf.where`, instead of taking rows away.",
            ),
            _OUTSIDE,
        ),
        references=(
            "xla/service/dynamic_dimension_inference.cc",
            "xla/service/dynamic_padder.cc",
            _MEASURED,
        ),
    ),
    Rule(
        code="XD807",
        slug="branch-rows-differ",
        title="The branches of a condition give different numbers of rows",
        level="warning",
        what=(
            "A `tf.cond`, or an `if` that a tensor decides, gives a result with one leading dimension on one way "
            "and another one on the other, in code that XLA compiles."
        ),
        why=(
            "XLA gives the result a bounded dynamic size, also where the sizes are known when it compiles. Later "
            "FFTs refuse it; in plain TensorFlow the program goes on with whichever size came."
        ),
        example="tf.cond(n < 64, lambda: x, lambda: tf.reduce_sum(x, axis=0, keepdims=True))",
        tell_apart="`branch-shape-mismatch`: branches of different rank, or an op that refuses them at once.",
        remedies=(
            Remedy(
                "same-rows",
                "Give both ways the same rows",
                "safe",
                ("Often one branch has lost an axis: a sum over groups where one result a group was meant."),
            ),
        ),
        references=(
            "xla/service/dynamic_dimension_inference.cc",
            _MEASURED,
        ),
    ),
    Rule(
        code="XD811",
        slug="mixed-float-widths",
        title="Constants of different float widths meet",
        level="warning",
        what=(
            "A float32 and a float64 tensor meet in arithmetic, or a constant that was made float32 (by not "
            "saying otherwise) is cast to float64 afterwards."
        ),
        why=(
            "TensorFlow makes float32 of a Python number, and never converts between tensors. A cast afterwards "
            "widens the type, but the digits that float32 lost do not come back."
        ),
        example="sigmas = tf.constant([0.1, 0.5])\nbeta = 1.0 / tf.cast(sigmas, tf.float64)",
        tell_apart=(
            "`dtype-mismatch` is the error of mixed operands. Numbers that float32 holds exactly (0.5, 2.0) lose "
            "nothing, and are not meant."
        ),
        remedies=(
            Remedy(
                "say-dtype",
                "Say the dtype where the constant is made",
                "changes-numerics",
                "`tf.constant(sigmas, dtype=tf.float64)`.",
            ),
        ),
        references=(
            "tensorflow/python/framework/constant_op.py",
            _MEASURED,
        ),
    ),
    Rule(
        code="XD813",
        slug="check-dropped",
        title="A run-time check in compiled code",
        level="note",
        what=("`tf.debugging.assert_*`, `tf.debugging.Assert` or `check_numerics` stands in code that XLA compiles."),
        why=(
            "XLA has no way to stop: it registers these ops as doing nothing. The check passes whatever the values are."
        ),
        example="@tf.function(jit_compile=True)\ndef f(x):\n    tf.debugging.assert_positive(x)\n    return tf.sqrt(x)",
        tell_apart="`tf.ensure_shape` and checks of static shapes and types run while tracing, and hold.",
        remedies=(
            _OUTSIDE,
            Remedy(
                "return-the-flag",
                "Return the condition, and check it outside",
                "safe",
                "Give back `tf.reduce_all(x > 0)` as another result, and raise where it is false.",
            ),
        ),
        references=(
            "tensorflow/compiler/tf2xla/kernels/assert_op.cc",
            _MEASURED,
        ),
    ),
)
