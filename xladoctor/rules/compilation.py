"""XD406, XD407 and XD411 to XD415: what XLA refuses to compile, or compiles too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.matching import Hit, make
from xladoctor.rules.recognise import compilation, convert
from xladoctor.rules.remedies import JIT_OFF, OUTSIDE

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


def _otherwise_failed(record: ErrorRecord, text: str) -> Hit | None:
    """A failed compilation that no other rule has a name for."""
    from xladoctor.rules import recognised

    hit = convert.compile_failed(text)
    return hit if hit and recognised(record, but="XD415") is None else None


RULES = (
    make(
        convert.unsupported,
        code="XD406",
        slug="unsupported-op",
        title="An op that XLA has no kernel for",
        level="error",
        what="The compiled function holds an op (or an op with these types or attributes) for "
        "which no kernel is registered on the XLA device.",
        why="XLA has no kernels for strings, printing, Python callbacks, data sets, summaries and some image ops. "
        "With `OpKernel was found, but attributes didn't match`, the op has a kernel, but not for this type or "
        "attribute.",
        example="Detected unsupported operations when trying to compile graph "
        "__inference_f_10[_XlaMustCompile=true,...] on XLA_CPU_JIT: StringFormat (No "
        "registered 'StringFormat' OpKernel for XLA_CPU_JIT devices compatible with node "
        "{{node StringFormat}})",
        tell_apart="tf.print becomes StringFormat, tf.py_function becomes EagerPyFunc, and tf.numpy_function becomes "
        "PyFunc. Your line is in the stack of the op's definition. If the op has a kernel but an argument must be "
        "known, it is `compile-time-constant`.",
        remedies=(
            Remedy(
                "remove-op",
                "Take the op out of the compiled function",
                "safe",
                "Remove ops that print: return the value instead, or print in a callback. Replace calls into Python "
                "(tf.py_function, tf.numpy_function) by TensorFlow ops.",
            ),
            OUTSIDE,
            JIT_OFF,
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
        title="Determinism was requested for an op that has none",
        level="error",
        what="Op determinism is on (`enable_op_determinism`, TF_DETERMINISTIC_OPS, "
        "xla_gpu_deterministic_ops), and an op has no deterministic version, or a random op "
        "has no seed.",
        why="Some GPU kernels add in an arbitrary order. With determinism on, TensorFlow refuses them, because they "
        "would silently be non-deterministic.",
        example="A deterministic GPU implementation of SparseTensorDenseMatMulOp is not currently available.",
        tell_apart="The word deterministic (or determinism) is in the message, and the same program runs without the "
        "setting. `unsupported-op` is about XLA; this class occurs with XLA and without.",
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
        compilation.resource_device,
        code="XD411",
        slug="resource-device",
        title="A variable on another device than the compiled function",
        level="error",
        what="A compiled function uses a variable (or another resource) that lives on another device.",
        why="XLA compiles for one device and expects all variables there. A variable from `tf.device('/CPU:0')`, an "
        "input pipeline or another strategy is on another device.",
        example="Trying to access resource Resource-0-at-0x1 located in device "
        "/job:localhost/replica:0/task:0/device:CPU:0 from device "
        "/job:localhost/replica:0/task:0/device:GPU:0",
        tell_apart="The message has two device names in one sentence. A tensor (not a resource) on another device is "
        "copied and never fails. An op that has no kernel on the device is `unsupported-op`.",
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
        what="A tf.Variable is created while a function is traced, on each call or from a value that the function "
        "computes.",
        why="A tf.function may create variables only on its first call. A compiled one may do so only if their "
        "initial values do not depend on the inputs of the function.",
        example="tf.function only supports singleton tf.Variables created on the first call.",
        tell_apart="Keras optimizers and metrics that are made inside the function also create variables. An "
        "existing variable on another device is `resource-device`.",
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
        why="The graph is very large or unrolled, the compiler folds large constants, or there are many sizes.",
        example="Very slow compile? If you want to file a bug, run with envvar "
        "XLA_FLAGS=--xla_dump_to=/tmp/foo and attach the results.",
        tell_apart="This is a warning, and the run continues. A process that seems to hang without this line has "
        "another problem. Many short compilations are `retracing` or `value-baked-in`.",
        remedies=(
            Remedy(
                "no-constants",
                "Pass large arrays as arguments",
                "safe",
                "A NumPy array that the function captures is a constant of the program. Pass it as an argument, or "
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
        why="Python numbers or strings as arguments (each value is a new signature), tensors whose shapes change, a "
        "tf.function that is made again inside a loop.",
        example="5 out of the last 5 calls to <function f at 0x1> triggered tf.function retracing.",
        tell_apart="This is a warning, and never the cause of a wrong result. If one trace is compiled again for new "
        "values, it is `value-baked-in`.",
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
        title="XLA could not compile a function",
        level="error",
        rank=60,
        what="XLA refused the function with an error whose cause is cut off, or that no rule recognises.",
        why="`tf2xla conversion failed while converting ...` is the ending that TensorFlow adds to any compilation "
        "error. The text before it names the cause, but pasted logs often lose it.",
        example="tf2xla conversion failed while converting __inference_projective_warp_xla_jit_2335[].",
        tell_apart="If the cause is known, it has one of the other classes of compilation. `not-xla` does not apply: "
        "XLA did refuse the function.",
        remedies=(
            Remedy(
                "show-lines",
                "Get the whole message",
                "safe",
                "Run again with standard error kept (`python train.py 2>&1 | tee log`) and scan "
                "that; or let `xladoctor scan -- "
                "CMD` run it.",
            ),
            JIT_OFF,
        ),
        references=("tensorflow/compiler/tf2xla/xla_compiler.cc", "tensorflow/compiler/tf2xla/graph_compiler.cc"),
    ),
)
