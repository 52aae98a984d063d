"""XD4xx: what XLA refuses to compile, or compiles too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.diagnosis.model import Remedy
from xladoctor.rules.base import Rule
from xladoctor.rules.matching import Hit, make
from xladoctor.rules.recognise import compilation, control_flow, convert, dynamic

if TYPE_CHECKING:
    from xladoctor.evidence.model import ErrorRecord

_JIT_OFF = Remedy(
    "jit-off",
    "Do without XLA for this function",
    "slower",
    "`jit_compile=False` in `model.compile` or on the tf.function. "
    "TF_XLA_FLAGS=--tf_xla_auto_jit=0 does not reach explicit jit_compile.",
)
_STATIC = Remedy(
    "static-size",
    "Give the axis a static size",
    "safe",
    "Make the number of rows the same on every path (pad to the full size and mask the "
    "result instead of selecting rows), and state it: `x = tf.ensure_shape(x, [N, ...])` "
    "raises if it does not hold.",
)
_OUTSIDE = Remedy(
    "move-outside",
    "Move it out of the compiled function",
    "safe",
    "Do it in the caller, in tf.data's map, or in a callback; pass its result in.",
)


def _otherwise_failed(record: ErrorRecord, text: str) -> Hit | None:
    """A failed compilation that no other rule has a name for."""
    from xladoctor.rules import recognised

    hit = convert.compile_failed(record, text)
    return hit if hit and recognised(record, but="XD415") is None else None


RULES = (
    make(
        dynamic.dynamic_dimension,
        code="XD401",
        slug="dynamic-dimension-unsupported",
        title="XLA cannot carry a bounded dynamic size through an op",
        level="error",
        what="A tensor has an axis whose size is known only at run time, with an upper bound "
        "(`[<=N]`), and an operation was reached for which XLA has no rule to carry such a "
        "size.",
        why="The size was born earlier: in `tf.where`, `tf.boolean_mask`, `tf.unique`, a slice "
        "with run-time bounds inside of a loop, or a `tf.cond` whose branches return "
        "different sizes. "
        "A batch that merely varies between calls is not dynamic in this sense: each size is compiled anew.",
        example="Asked to propagate a dynamic dimension from hlo Cast.1@{}@0 to hlo %FFT2D.1 = "
        "c64[<=8,16,16]{2,1,0} fft(%Cast.1), fft_type=FFT, fft_length={16,16}, which is not "
        "implemented.",
        tell_apart="`must be a compile-time constant` is about a shape *argument*. "
        "`dynamic-padder-ret-check` is the same condition met one pass later. The op that is "
        "named is where the size could not go on, not where it was born: the HLO shows the "
        "chain.",
        remedies=(_STATIC, _JIT_OFF),
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
        why="As for `dynamic-dimension-unsupported`: an axis whose size is known only at run "
        "time. The check protects against silently wrong results; the data are not at fault.",
        example="RET_CHECK failure (external/local_xla/xla/service/dynamic_padder.cc:2083) "
        "unexpected_dynamic_input... Dynamic input unexpectedly found for unsupported "
        "instruction: %dot.7 = f32[<=64,3,6084]",
        tell_apart="dynamic_padder.cc in the path. Another file: `xla-internal-ret-check`. Later "
        "versions may compile the same program and return a wrong shape: compare with plain "
        "mode.",
        remedies=(_STATIC, _JIT_OFF),
        references=("xla/service/dynamic_padder.cc", "xla/status_macros.cc"),
    ),
    make(
        dynamic.ret_check,
        code="XD403",
        slug="xla-internal-ret-check",
        title="An internal check of the compiler",
        level="error",
        rank=55,
        what="The compiler stopped because one of its own assumptions does not hold (RET_CHECK, "
        "or a fatal check that aborts the process).",
        why="A combination of ops, types or dynamic sizes that a pass does not expect: by "
        "definition a defect or a gap of the compiler, provoked by the program. File and "
        "line name the pass.",
        example="RET_CHECK failure (external/xla/xla/service/dynamic_dimension_inference.cc:2348) "
        "dynamic_size != nullptr",
        tell_apart="It does not mean that your shapes are wrong. If the file deals with dynamic "
        "dimensions, treat it as `dynamic-dimension-unsupported`. It says nothing of the "
        "run-time values.",
        remedies=(
            _STATIC,
            _JIT_OFF,
            Remedy(
                "report-upstream",
                "Shrink it and report it",
                "safe",
                "Try a newer version first. TensorFlow's tracker wants a small script (the function named in the "
                "message, on constant inputs of the failing shapes), the version and the line of the check.",
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
        why="What counts is where the value comes from. Arguments of the jitted function, its "
        "inputs' data and variables are evaluated at compile time and never fail (each new "
        "value compiles again). "
        "Random ops, the loop variable of a while loop and results of `tf.where` cannot be. "
        "The message's own explanation (a parameter, a variable) is misleading.",
        example="Input 1 to node `while/Tile` with op Tile must be a compile-time constant.",
        tell_apart="The op and the number of the argument are named. `[<=N]` in the text is "
        "`dynamic-dimension-unsupported`. A TensorArray's size is `tensorlist-dynamic`.",
        remedies=(
            Remedy(
                "constant-size",
                "Use a size that does not depend on run-time values",
                "safe",
                "Take the size from a static shape (`x.shape[0]` of an argument), or tile to the "
                "largest size and mask; replace `tf.repeat`/`tf.tile` by a `tf.gather` with computed "
                "indices of fixed number.",
            ),
            Remedy(
                "unroll",
                "Make the loop a Python loop",
                "slower",
                "`for i in range(n)` with a Python number unrolls; the loop variable is then a constant.",
            ),
            _JIT_OFF,
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
        what="A shape argument is computed from the value of an input. It compiles, with that "
        "value as a constant, and again for each new value.",
        why="XLA needs shapes when it compiles, and takes the current value. Tracing counters do "
        "not show it: the function is traced once and compiled often.",
        example="f(x, n): tf.reshape(x, [n, -1])   # 300 values of n: 300 compilations",
        tell_apart="`compile-time-constant` fails, this succeeds slowly. `retracing` is Python's "
        "tracing, this is the compiler.",
        remedies=(
            Remedy(
                "bucket",
                "Use few sizes",
                "safe",
                "Pad to a few fixed sizes, or pass the number as a Python value of which there are few.",
            ),
        ),
        references=(
            "tensorflow/compiler/tf2xla/const_analysis.cc",
            "tensorflow/compiler/jit/xla_compiler_options_util.cc",
        ),
    ),
    make(
        convert.unsupported,
        code="XD406",
        slug="unsupported-op",
        title="An op that XLA has no kernel for",
        level="error",
        what="The compiled function holds an op (or an op with these types or attributes) for "
        "which no kernel is registered on the XLA device.",
        why="Strings, printing, Python callbacks, data sets, summaries and some image ops have "
        "no meaning in compiled code. With `OpKernel was found, but attributes didn't match` "
        "the op exists, and the type or attribute is the trouble.",
        example="Detected unsupported operations when trying to compile graph "
        "__inference_f_10[_XlaMustCompile=true,...] on XLA_CPU_JIT: StringFormat (No "
        "registered 'StringFormat' OpKernel for XLA_CPU_JIT devices compatible with node "
        "{{node StringFormat}})",
        tell_apart="StringFormat is what tf.print becomes; EagerPyFunc is tf.py_function, PyFunc "
        "tf.numpy_function. The user's line stands in the stack of the op's definition."
        " Where the op has a kernel and an argument must be known, it is `compile-time-constant`.",
        remedies=(
            Remedy(
                "remove-op",
                "Take the op out of the compiled function",
                "safe",
                "Remove tf.print (return the value instead, or print in a callback), replace "
                "tf.py_function by TensorFlow ops.",
            ),
            _OUTSIDE,
            _JIT_OFF,
        ),
        references=(
            "tensorflow/compiler/tf2xla/graph_compiler.cc",
            "tensorflow/compiler/tf2xla/tf2xla_util.cc",
            "tensorflow/core/framework/op_kernel.cc (No registered ... OpKernel)",
            "tensorflow/compiler/tf2xla/kernels",
        ),
    ),
    make(
        compilation.determinism,
        code="XD407",
        slug="determinism-unsupported",
        title="Determinism was asked for where there is none",
        level="error",
        what="Op determinism is on (`enable_op_determinism`, TF_DETERMINISTIC_OPS, "
        "xla_gpu_deterministic_ops), and an op has no deterministic version, or a random op "
        "has no seed.",
        why="Some GPU kernels add in an arbitrary order. With determinism on TensorFlow refuses "
        "them instead of being silently non-deterministic.",
        example="A deterministic GPU implementation of SparseTensorDenseMatMulOp is not currently available.",
        tell_apart="The word deterministic (or determinism) is in the message; without the setting the "
        "same program runs."
        " `unsupported-op` is about XLA; this holds with XLA and without.",
        remedies=(
            Remedy("seed", "Set the seeds", "safe", "`tf.keras.utils.set_random_seed(0)` before anything random."),
            Remedy(
                "determinism-off",
                "Switch determinism off, or run that op on the CPU",
                "changes-numerics",
                "Results then differ in the last digits from run to run.",
            ),
        ),
        references=(
            "tensorflow/python/framework/config.py (enable_op_determinism)",
            "tensorflow/core/util/determinism.cc",
            "tensorflow/python/framework/random_seed.py",
        ),
    ),
    make(
        control_flow.loop,
        code="XD408",
        slug="loop-shape-mismatch",
        title="A loop variable changes its shape",
        level="error",
        what="A variable of a while loop comes out of the body with another static shape (or "
        "type) than it went in with.",
        why="A graph's loop has one type for each variable. Growing a tensor by concat in a loop "
        "changes it at each turn. shape_invariants help plain mode; XLA needs fixed sizes "
        "all the same.",
        example="Input and output shapes of loop body do not match: (s32[], f32[2]) vs. (s32[], f32[4])",
        tell_apart="Plain mode says `enters the loop with shape (2,), but has shape (4,) after one "
        "iteration`; the first of XLA's wording appears only when compiling."
        " Branches that differ are `branch-shape-mismatch`; a TensorArray without a bound is "
        "`tensorlist-dynamic`.",
        remedies=(
            Remedy(
                "preallocate",
                "Write into a buffer of fixed size",
                "safe",
                "A tf.TensorArray with a static size (`.write`, `.stack`), or "
                "`tf.tensor_scatter_nd_update` on a tensor of the final size.",
            ),
            Remedy(
                "shape-invariants",
                "Relax the shape in plain mode",
                "safe",
                "`tf.autograph.experimental.set_loop_options(shape_invariants=[(x, "
                "tf.TensorShape([None, ...]))])`. Not under XLA.",
            ),
        ),
        references=(
            "tensorflow/compiler/tf2xla/kernels/while_op.cc",
            "tensorflow/python/ops/while_v2.py",
            "tensorflow/python/autograph/operators/control_flow.py",
        ),
    ),
    make(
        control_flow.branch,
        code="XD409",
        slug="branch-shape-mismatch",
        title="The branches of a conditional do not agree",
        level="error",
        what="The branches of `tf.cond`, `tf.switch_case` or an if on a tensor return different "
        "structures, types or ranks, or define different variables.",
        why="A graph's conditional has one result type. Sizes that differ become `None` in plain "
        "mode, and a bounded dynamic size (or an abort) under XLA.",
        example="'y' must also be initialized in the else branch",
        tell_apart="Branches whose *sizes* differ compile, and fail later as "
        "`dynamic-dimension-unsupported`, or silently. Branches of different *rank* abort "
        "the process in XLA.",
        remedies=(
            Remedy(
                "same-result",
                "Return the same from all branches",
                "safe",
                "Same structure, types and sizes; compute both and choose with tf.where if they are "
                "cheap; use a Python `if` when the condition is a Python value.",
            ),
        ),
        references=(
            "tensorflow/python/ops/cond_v2.py",
            "tensorflow/python/autograph/operators/control_flow.py",
            "xla/hlo/builder/lib/dynamic_shaped_ops.cc",
            "tensorflow/compiler/tf2xla/kernels/if_op.cc",
        ),
    ),
    make(
        control_flow.tensorlist,
        code="XD410",
        slug="tensorlist-dynamic",
        title="A TensorArray without a static bound",
        level="error",
        rank=48,
        what="A TensorArray or TensorList has no size that is known when compiling, or crosses "
        "the border of the compiled function.",
        why="XLA lays a list out as one array. `size=0, dynamic_size=True`, a size from a "
        "run-time value, and the gradient of a while loop whose number of turns is unknown "
        "have no bound.",
        example="XLA compilation requires a fixed tensor list size. Set the max number of elements. "
        "This could also happen if you're using a TensorArray in a while loop that does not "
        "have its maximum_iteration set",
        tell_apart="`gradient_tape/while/...accumulator` as the node: the gradient of a loop, not an array of yours."
        " A size that any other op wants as a constant is `compile-time-constant`.",
        remedies=(
            Remedy(
                "fixed-size",
                "Give the array its size",
                "safe",
                "`tf.TensorArray(dtype, size=N, dynamic_size=False, element_shape=...)` with a Python number.",
            ),
            Remedy(
                "maximum-iterations",
                "Bound the loop",
                "safe",
                "`tf.while_loop(..., maximum_iterations=N)` with a Python number, or `for _ in "
                "tf.range(N)` with a static N.",
            ),
            Remedy(
                "stack-inside",
                "Stack before leaving the compiled function",
                "safe",
                "Return `array.stack()` rather than the array.",
            ),
        ),
        references=(
            "tensorflow/compiler/tf2xla/kernels/tensor_list_ops.cc",
            "tensorflow/compiler/tf2xla/kernels/tensor_list_utils.cc",
            "tensorflow/compiler/jit/xla_launch_util.cc",
        ),
    ),
    make(
        compilation.resource_device,
        code="XD411",
        slug="resource-device",
        title="A variable on another device than the compiled function",
        level="error",
        what="A compiled function uses a variable (or another resource) that lives on another device.",
        why="XLA compiles for one device and takes its variables there. A variable made under "
        "`tf.device('/CPU:0')`, in an input pipeline or by another strategy is elsewhere.",
        example="Trying to access resource Resource-0-at-0x1 located in device "
        "/job:localhost/replica:0/task:0/device:CPU:0 from device "
        "/job:localhost/replica:0/task:0/device:GPU:0",
        tell_apart="Two device names in one sentence. A tensor (not a resource) on another device is "
        "copied and never fails."
        " An op that has no kernel on the device is `unsupported-op`.",
        remedies=(
            Remedy(
                "same-device",
                "Create the variable where it is used",
                "safe",
                "Build the model inside the same `tf.device` or strategy scope in which the function "
                "runs; drop device scopes around variable creation.",
            ),
        ),
        references=(
            "tensorflow/compiler/jit/xla_launch_util.cc",
            "tensorflow/core/framework/resource_mgr.cc",
            "tensorflow/core/common_runtime/placer.cc",
        ),
    ),
    make(
        compilation.variable_creation,
        code="XD412",
        slug="variable-creation",
        title="A variable is created inside a compiled function",
        level="error",
        what="A tf.Variable is created while a function is traced, on each call or from a value computed in it.",
        why="A tf.function may create variables only on its first call; a compiled one only if "
        "they can be lifted out, that is if their initial value does not depend on the "
        "function's inputs.",
        example="tf.function only supports singleton tf.Variables created on the first call.",
        tell_apart="Keras optimizers and metrics that are made inside of the function do it too: their "
        "slots are variables."
        " A variable that exists, on another device, is `resource-device`.",
        remedies=(
            Remedy(
                "create-outside",
                "Create it before the call",
                "safe",
                "In `__init__` or `build`; for optimizers `optimizer.build(model.trainable_variables)` first.",
            ),
        ),
        references=(
            "tensorflow/python/eager/polymorphic_function/polymorphic_function.py",
            "https://www.tensorflow.org/guide/function#creating_tfvariables",
        ),
    ),
    make(
        compilation.slow_compile,
        code="XD413",
        slug="slow-compile",
        title="XLA takes very long to compile",
        level="warning",
        rank=85,
        what="A compilation takes minutes, or a single pass many seconds.",
        why="Very large or unrolled graphs, large constants that the compiler folds, or many sizes.",
        example="Very slow compile? If you want to file a bug, run with envvar "
        "XLA_FLAGS=--xla_dump_to=/tmp/foo and attach the results.",
        tell_apart="A warning: the run goes on. A process that seems to hang without this line is something else."
        " Many short compilations are `retracing` or `value-baked-in`.",
        remedies=(
            Remedy(
                "no-constants",
                "Pass large arrays as arguments",
                "safe",
                "A NumPy array captured by the function is a constant in the program; pass it in, or "
                "make it a variable.",
            ),
            Remedy(
                "no-unroll",
                "Keep loops as loops",
                "safe",
                "`tf.range` or `tf.scan` instead of Python loops over many steps.",
            ),
        ),
        references=("xla/service/slow_operation_alarm.cc", "xla/hlo/transforms/simplifiers/hlo_constant_folding.cc"),
    ),
    make(
        compilation.retracing,
        code="XD414",
        slug="retracing",
        title="A function is traced again and again",
        level="warning",
        rank=86,
        what="A tf.function was traced on most of its last calls. Each trace costs Python time, "
        "and under XLA a compilation.",
        why="Python numbers or strings as arguments (each value is a new signature), tensors "
        "whose shapes change, a tf.function made anew inside of a loop.",
        example="5 out of the last 5 calls to <function f at 0x1> triggered tf.function retracing.",
        tell_apart="A warning, and never the cause of a wrong result. Compilation for new *values* "
        "under one trace is `value-baked-in`.",
        remedies=(
            Remedy("tensors-in", "Pass tensors, not Python numbers", "safe", "`tf.constant(i)` instead of `i`."),
            Remedy(
                "relax-shapes",
                "Relax the signature",
                "safe",
                "`input_signature=[tf.TensorSpec([None, ...])]` or `reduce_retracing=True`. Under "
                "XLA each shape still compiles once.",
            ),
        ),
        references=("tensorflow/python/eager/polymorphic_function/polymorphic_function.py (_FrequentTracingDetector)",),
    ),
    make(
        _otherwise_failed,
        code="XD415",
        slug="compile-failed",
        title="XLA could not compile a function, for a reason that the text does not give",
        level="error",
        rank=60,
        what="The function was handed to XLA and came back with an error whose cause is cut off, "
        "or is worded in a way that no "
        "rule knows.",
        why="`tf2xla conversion failed while converting ...` is the tail that TensorFlow adds to "
        "any error of a compilation. "
        "What comes before it says the cause; pasted logs often lose it.",
        example="tf2xla conversion failed while converting __inference_projective_warp_xla_jit_2335[].",
        tell_apart="Any other class of this family names the cause and comes first. It is XLA all the "
        "same, and not `not-xla`.",
        remedies=(
            Remedy(
                "show-lines",
                "Get the whole message",
                "safe",
                "Run again with standard error kept (`python train.py 2>&1 | tee log`) and scan "
                "that; or let `xladoctor scan -- "
                "CMD` run it.",
            ),
            _JIT_OFF,
        ),
        references=("tensorflow/compiler/tf2xla/xla_compiler.cc", "tensorflow/compiler/tf2xla/graph_compiler.cc"),
    ),
)
