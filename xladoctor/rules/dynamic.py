"""XD401 to XD405: sizes and values that XLA must know when it compiles."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule
from xladoctor.rules.matching import make
from xladoctor.rules.recognise import convert, dynamic
from xladoctor.rules.remedies import JIT_OFF, STATIC

RULES = (
    make(
        dynamic.dynamic_dimension,
        code="XD401",
        slug="dynamic-dimension-unsupported",
        title="XLA cannot carry a bounded dynamic size through an op",
        level="error",
        what="A tensor has an axis whose size is known only at run time, with an upper bound (`[<=N]`). XLA cannot "
        "carry such a size through one of the next operations.",
        why="The size became dynamic earlier: in `tf.where`, `tf.boolean_mask`, `tf.unique`, a slice with run-time "
        "bounds inside a loop, or a `tf.cond` whose branches return different sizes. A batch size that only varies "
        "between calls is not dynamic in this sense: XLA compiles each size separately.",
        example="Asked to propagate a dynamic dimension from hlo Cast.1@{}@0 to hlo %FFT2D.1 = "
        "c64[<=8,16,16]{2,1,0} fft(%Cast.1), fft_type=FFT, fft_length={16,16}, which is not "
        "implemented.",
        tell_apart="`must be a compile-time constant` is about a shape argument. `dynamic-padder-ret-check` is the "
        "same problem in a later pass. The op in the message is the first that cannot carry the size, not its "
        "origin; the HLO shows the chain.",
        remedies=(STATIC, JIT_OFF),
        references=("xla/service/dynamic_dimension_inference.cc", "xla/hlo/ir (HandleFft has no override)"),
    ),
    make(
        dynamic.padder,
        code="XD402",
        slug="dynamic-padder-ret-check",
        title="An internal check of XLA's dynamic padder",
        level="error",
        what="XLA's dynamic padder met a bounded dynamic dimension in an instruction for which it "
        "has no rule, and stopped on an internal check (RET_CHECK).",
        why="As for `dynamic-dimension-unsupported`, the size of an axis is known only at run time. The check "
        "protects you from silently wrong results; your data are not at fault.",
        example="RET_CHECK failure (external/local_xla/xla/service/dynamic_padder.cc:2083) "
        "unexpected_dynamic_input... Dynamic input unexpectedly found for unsupported "
        "instruction: %dot.7 = f32[<=64,3,6084]",
        tell_apart="The message has dynamic_padder.cc in its path. With another file it is `xla-internal-ret-check`. "
        "Later versions may compile the same program and return a wrong shape, so compare with plain execution.",
        remedies=(STATIC, JIT_OFF),
        references=("xla/service/dynamic_padder.cc", "xla/status_macros.cc"),
    ),
    make(
        dynamic.ret_check,
        code="XD403",
        slug="xla-internal-ret-check",
        title="An internal check of the compiler",
        level="error",
        rank=55,
        what="The compiler stopped because one of its assumptions does not hold (RET_CHECK, or a fatal check that "
        "aborts the process).",
        why="A pass of the compiler did not expect this combination of ops, types or dynamic sizes. That is a defect "
        "or a gap of the compiler, which your program triggers. File and line name the pass.",
        example="RET_CHECK failure (external/xla/xla/service/dynamic_dimension_inference.cc:2348) "
        "dynamic_size != nullptr",
        tell_apart="It does not mean that your shapes are wrong. If the file deals with dynamic dimensions, treat it "
        "as `dynamic-dimension-unsupported`. It says nothing about the run-time values.",
        remedies=(
            STATIC,
            JIT_OFF,
            Remedy(
                "report-upstream",
                "Reduce it to a small script and report it",
                "safe",
                "Try a newer version first. For TensorFlow's issue tracker, prepare a small script (the function in "
                "the message, on constant inputs of the failing shapes), the version, and the line of the check.",
            ),
        ),
        references=("xla/status_macros.h", "xla/service"),
    ),
    make(
        convert.constant,
        code="XD404",
        slug="compile-time-constant",
        title="An argument that sets a shape is not known when XLA compiles",
        level="error",
        what="An argument that decides a shape (the multiples of tile, the target of reshape, the "
        "limit of range, a padding) is computed at run time in a way that XLA cannot "
        "evaluate while compiling.",
        why="What matters is where the value comes from. XLA evaluates arguments of the compiled function, input "
        "data and variables when it compiles; these never fail, but each new value compiles again. It cannot "
        "evaluate random ops, the loop variable of a while loop, or results of `tf.where`. The explanation in the "
        "message (a parameter, a variable) is misleading.",
        example="Input 1 to node `while/Tile` with op Tile must be a compile-time constant.",
        tell_apart="The message names the op and the number of the argument. `[<=N]` in the text is "
        "`dynamic-dimension-unsupported`. The size of a TensorArray is `tensorlist-dynamic`.",
        remedies=(
            Remedy(
                "constant-size",
                "Use a size that does not depend on run-time values",
                "safe",
                "Take the size from a static shape (`x.shape[0]` of an argument), or tile to the largest size and "
                "mask; replace `tf.repeat`/`tf.tile` by a `tf.gather` with a fixed number of computed indices.",
            ),
            Remedy(
                "unroll",
                "Make the loop a Python loop",
                "slower",
                "`for i in range(n)` with a Python number unrolls; the loop variable is then a constant.",
            ),
            JIT_OFF,
        ),
        references=(
            "tensorflow/compiler/tf2xla/const_analysis.cc",
            "tensorflow/compiler/tf2xla/xla_op_kernel.cc (ConstantInput...)",
            "tensorflow/compiler/tf2xla/xla_compiler.cc",
        ),
    ),
    Rule(
        code="XD405",
        slug="value-baked-in",
        title="A shape comes from an input's value; each new value compiles again",
        level="warning",
        rank=75,
        what="A shape argument is computed from the value of an input. XLA compiles the function with that value as "
        "a constant, and again for each new value.",
        why="XLA needs shapes when it compiles, and uses the current value. Counters of traces do not show it: the "
        "function is traced once and compiled often.",
        example="f(x, n): tf.reshape(x, [n, -1])   # 300 values of n: 300 compilations",
        tell_apart="`compile-time-constant` fails; this class succeeds slowly. `retracing` is about tracing in "
        "Python; this class is about the compiler.",
        remedies=(
            Remedy(
                "bucket",
                "Use few sizes",
                "safe",
                "Pad to a few fixed sizes, or pass the number as a Python value that takes few values.",
            ),
        ),
        references=(
            "tensorflow/compiler/tf2xla/const_analysis.cc",
            "tensorflow/compiler/jit/xla_compiler_options_util.cc",
        ),
    ),
)
