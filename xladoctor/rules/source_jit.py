"""XD80x-XD81x: hazards in code that XLA compiles. Found by `xladoctor lint`, which follows it from each jit entry."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule

_MEASURED = "docs/lint.md, what was measured"
_OUTSIDE = Remedy(
    "outside", "Do it outside the compiled function", "safe", "Compute it before the call, and pass the result in."
)

RULES = (
    Rule(
        code="XD803",
        slug="host-op-in-jit",
        title="An op without an XLA kernel in compiled code",
        level="warning",
        what=(
            "`tf.print`, `tf.py_function`, `tf.numpy_function`, a string op or another op that runs only on the host "
            "is in code that XLA compiles."
        ),
        why=(
            "XLA compiles the whole function or nothing. An op without an XLA kernel ends the compilation with "
            "`Detected unsupported operations`."
        ),
        example="@tf.function(jit_compile=True)\ndef step(x):\n    tf.print(x)\n    return x * 2",
        tell_apart=(
            "It becomes the error `unsupported-op`. Under auto-clustering the op stays outside the cluster, and "
            "nothing fails."
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
        title="A variable is created in compiled code",
        level="warning",
        what="`tf.Variable(...)` is called in a function that XLA compiles, and not only the first time.",
        why=(
            "TensorFlow lifts variables out of a function if it can. It cannot lift a variable that depends on the "
            "arguments of the function, or that every call creates again."
        ),
        example="@tf.function(jit_compile=True)\ndef f(x):\n    v = tf.Variable(x)\n    return v + 1",
        tell_apart=(
            "`if self.v is None: self.v = tf.Variable(...)` works (measured), and so does tf.init_scope; neither is "
            "reported."
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
            "An argument that sets a shape (`tf.repeat`, `tile`, `range`, `fill`, `reshape`, ...) comes from random "
            "numbers, a loop variable, `tf.where` or the size of a masked tensor; or, which is only a note, from the "
            "value of an argument."
        ),
        why=(
            "XLA needs every shape when it compiles. A shape that is unknown then ends the compilation (`must be a "
            "compile-time constant`), and a masked size gives another size. The value of an argument is compiled in, "
            "and each new value compiles again."
        ),
        example="for i in tf.range(n):\n    x = tf.tile(x, [i, 1])   # in a jit-compiled function",
        tell_apart="`tf.shape(x)` of an ordinary tensor is known when XLA compiles, and is not reported.",
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
            "A tensor from `tf.boolean_mask`, `tf.where`, `tf.unique`, `x[mask]`, a slice with run-time bounds or an "
            "uneven branch goes into an FFT (which XLA refuses), into `roll`, `cumsum`, `ones_like`, `diag`, "
            "`unique` or an index from the end (wrong without an error), or into a matrix product (only a note)."
        ),
        why=(
            "For XLA such a size is a bounded dynamic dimension, `<=N`. An FFT cannot carry it. Ops that use "
            "positions or counts see the padded size N."
        ),
        example="tf.signal.fft(tf.boolean_mask(x, keep))   # in a jit-compiled function",
        tell_apart=(
            "`dynamic-dimension-unsupported` is the error. Element-wise ops and reductions of a masked tensor are "
            "right, and are not reported."
        ),
        remedies=(
            Remedy(
                "mask-by-value",
                "Keep the size, and mask by value",
                "safe",
                "Multiply by the mask or use three-argument `tf.where`, instead of removing rows.",
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
            "A `tf.cond`, or an `if` that a tensor decides, has branches whose results have different leading "
            "dimensions, in code that XLA compiles."
        ),
        why=(
            "XLA gives the result a bounded dynamic size, even if it knows the sizes when it compiles. A later FFT "
            "refuses it. Without XLA the program continues with the size of the branch that ran."
        ),
        example="tf.cond(n < 64, lambda: x, lambda: tf.reduce_sum(x, axis=0, keepdims=True))",
        tell_apart="`branch-shape-mismatch`: branches of different rank, or an op that refuses them at once.",
        remedies=(
            Remedy(
                "same-rows",
                "Give both branches the same number of rows",
                "safe",
                (
                    "Often one branch has lost an axis: it sums over all groups instead of giving one result for each "
                    "group."
                ),
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
        title="Constants of different float widths are combined",
        level="warning",
        what=(
            "A float32 and a float64 tensor are combined, or a constant that is float32 by default is cast to "
            "float64 afterwards."
        ),
        why=(
            "TensorFlow makes a Python number float32, and never converts tensors by itself. A later cast widens the "
            "type, but the digits that float32 lost stay lost."
        ),
        example="sigmas = tf.constant([0.1, 0.5])\nbeta = 1.0 / tf.cast(sigmas, tf.float64)",
        tell_apart=(
            "`dtype-mismatch` is the error of mixed operands. Numbers that float32 holds exactly (0.5, 2.0) lose "
            "nothing, and are not reported."
        ),
        remedies=(
            Remedy(
                "say-dtype",
                "Give the dtype where the constant is made",
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
        what=("`tf.debugging.assert_*`, `tf.debugging.Assert` or `check_numerics` is in code that XLA compiles."),
        why=(
            "XLA cannot stop a program, so it compiles these ops to nothing. The check passes, whatever the values are."
        ),
        example="@tf.function(jit_compile=True)\ndef f(x):\n    tf.debugging.assert_positive(x)\n    return tf.sqrt(x)",
        tell_apart="`tf.ensure_shape` and checks of static shapes and types run while tracing, and do work.",
        remedies=(
            _OUTSIDE,
            Remedy(
                "return-the-flag",
                "Return the condition, and check it outside",
                "safe",
                "Return `tf.reduce_all(x > 0)` as another result, and raise in the caller if it is false.",
            ),
        ),
        references=(
            "tensorflow/compiler/tf2xla/kernels/assert_op.cc",
            _MEASURED,
        ),
    ),
    Rule(
        code="XD814",
        slug="array-cannot-grow",
        title="A TensorArray that has to grow in compiled code",
        level="warning",
        what=(
            "`tf.TensorArray(dtype, size=0, dynamic_size=True)`, or one of another fixed size, is written to in a "
            "function that XLA compiles."
        ),
        why=(
            "XLA allocates the array once, at its first size, and ignores `dynamic_size`. A write beyond the size goes "
            "to the last row, or nowhere if the size is 0. No error is raised with TensorFlow 2.19 and 2.21; 2.15 "
            "raises one for a size of 0."
        ),
        example=(
            "@tf.function(jit_compile=True)\ndef rollout(x):\n"
            "    steps = tf.TensorArray(tf.float32, size=0, dynamic_size=True)\n    for i in tf.range(4):\n"
            "        steps = steps.write(i, x[i])\n    return steps.stack()   # no rows"
        ),
        tell_apart="An array that `unstack` fills gets its size there. An array with enough rows from the start works.",
        remedies=(
            Remedy(
                "whole-size",
                "Create the array with the size that it needs",
                "safe",
                "`tf.TensorArray(tf.float32, size=tf.shape(x)[0])`: the size may come from a shape.",
            ),
            _OUTSIDE,
        ),
        references=("tensorflow/compiler/tf2xla/kernels/tensor_list_utils.cc", _MEASURED),
    ),
    Rule(
        code="XD815",
        slug="seed-ignored",
        title="A seed without effect in compiled code",
        level="warning",
        what=(
            "`tf.random.normal`, `uniform`, `truncated_normal`, `shuffle` or `categorical` is in code that XLA "
            "compiles, and has a seed. A call without one is a note if the same file sets the global seed."
        ),
        why=(
            "XLA has a random generator of its own, which follows neither the seed of the op nor the global seed. "
            "After the same `tf.random.set_seed`, the compiled function draws other numbers (measured with 2.15, 2.19 "
            "and 2.21)."
        ),
        example=("@tf.function(jit_compile=True)\ndef noisy(x):\n    return x + tf.random.normal(tf.shape(x), seed=1)"),
        tell_apart=(
            "`tf.random.stateless_*` and `tf.random.Generator` follow their seed under XLA, too. Those of "
            '`stateless_*` are the numbers of plain TensorFlow with `alg="philox"`; those of a generator differ.'
        ),
        remedies=(
            Remedy(
                "stateless-random",
                "Draw with tf.random.stateless_normal and a seed of your own",
                "changes-numerics",
                "`tf.random.stateless_normal(shape, seed=[3, step])`: the same seed gives the same numbers.",
            ),
            _OUTSIDE,
        ),
        references=("tensorflow/compiler/tf2xla/kernels/random_ops.cc", _MEASURED),
    ),
    Rule(
        code="XD816",
        slug="masked-root",
        title="A root of zero behind tf.where in compiled code",
        level="note",
        what=(
            "`tf.where(d > 0, tf.sqrt(d), 0.0)`, or the same with `rsqrt`, `reciprocal` or `tf.boolean_mask`, is in "
            "code that XLA compiles, and gradients are taken."
        ),
        why=(
            "`tf.where` computes both branches, and its gradient passes through both: for the root of zero it is 0 "
            "times infinity. The kernels of eager execution give 0 for that, XLA gives NaN (measured with 2.15, 2.19 "
            "and 2.21). One such element makes all weights NaN."
        ),
        example=(
            "@tf.function(jit_compile=True)\ndef loss_gradient(d):\n    with tf.GradientTape() as tape:\n"
            "        tape.watch(d)\n        length = tf.where(d > 0.0, tf.sqrt(d), 0.0)\n"
            "    return tape.gradient(length, d)"
        ),
        tell_apart=(
            "An inner `tf.where`, `tf.maximum` or a constant that is added keeps the argument from zero; none of these "
            "is reported. A logarithm, a division or a power behind `tf.where` gives NaN without XLA, too."
        ),
        remedies=(
            Remedy(
                "inner-where",
                "Keep the argument from zero with an inner tf.where",
                "safe",
                "`tf.where(d > 0.0, tf.sqrt(tf.where(d > 0.0, d, 1.0)), 0.0)` gives the same values, and no NaN.",
            ),
        ),
        references=("tensorflow/core/kernels/cwise_ops_gradients.h", _MEASURED),
    ),
    Rule(
        code="XD817",
        slug="nan-of-maximum",
        title="A maximum that is asked for NaN in compiled code",
        level="warning",
        what=(
            "`tf.math.is_nan(tf.reduce_max(x))`, or the same with `reduce_min` or `is_finite`, is in code that XLA "
            "compiles."
        ),
        why=(
            "The maximum of numbers with a NaN is NaN in eager execution. XLA on a CPU leaves NaN out (measured with "
            "2.15, 2.19 and 2.21), so the test is never true."
        ),
        example="@tf.function(jit_compile=True)\ndef is_usable(x):\n    return not tf.math.is_nan(tf.reduce_max(x))",
        tell_apart=(
            "Sums and means give NaN under XLA, too. A maximum of what `tf.where` has made finite is not reported, nor "
            "`tf.where(tf.math.is_finite(m), m, 0.0)`, which is meant for infinities."
        ),
        remedies=(
            Remedy(
                "ask-each-element",
                "Ask each element",
                "safe",
                "`tf.reduce_any(tf.math.is_nan(x))` is the same under XLA. `XLA_FLAGS=--xla_cpu_enable_fast_min_max="
                "false` makes the maximum give NaN, too.",
            ),
        ),
        references=(_MEASURED,),
    ),
    Rule(
        code="XD818",
        slug="growing-loop",
        title="A loop variable that grows in compiled code",
        level="warning",
        what=(
            "A loop of the graph that XLA compiles appends to one of its variables with `tf.concat`, and has "
            "`shape_invariants` for it."
        ),
        why=(
            "`shape_invariants` let a graph change the shape of a loop variable. XLA has one shape for each, and ends "
            "the compilation (`Input and output shapes of loop body do not match`)."
        ),
        example="y = tf.while_loop(go_on, lambda y: [tf.concat([y, step(y)], 0)], [y],\n"
        "                  shape_invariants=[tf.TensorShape([None])])   # in a jit-compiled function",
        tell_apart=(
            "A window that moves, `tf.concat([y[1:], new], 0)`, keeps its shape and is not reported, nor is a Python "
            "loop, which is unrolled."
        ),
        remedies=(
            Remedy(
                "fill-an-array",
                "Write into a TensorArray of the largest size",
                "safe",
                "Make it as long as the loop can run with `tf.TensorArray(dtype, size=n)`, write one row in each turn, "
                "and stack it after the loop.",
            ),
        ),
        references=(_MEASURED,),
    ),
)
