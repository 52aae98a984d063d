"""XD408 to XD410: branches and loops whose shapes change."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.matching import make
from xladoctor.rules.recognise import control_flow

RULES = (
    make(
        control_flow.loop,
        code="XD408",
        slug="loop-shape-mismatch",
        title="A loop variable changes its shape",
        level="error",
        what="The body of a while loop gives a loop variable another static shape (or type) than it had before.",
        why="In a graph, a loop variable has one type. A concat in the loop makes a tensor grow at each iteration. "
        "shape_invariants help only without XLA, which needs fixed sizes.",
        example="Input and output shapes of loop body do not match: (s32[], f32[2]) vs. (s32[], f32[4])",
        tell_apart="Without XLA the message is `enters the loop with shape (2,), but has shape (4,) after one "
        "iteration`. XLA has its own message, which appears only when it compiles. Branches that differ are "
        "`branch-shape-mismatch`; a TensorArray without a bound is `tensorlist-dynamic`.",
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
                "Relax the shape (only without XLA)",
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
        why="In a graph, a conditional has one result type. Different sizes become `None` without XLA, and a bounded "
        "dynamic size (or an abort) with XLA.",
        example="'y' must also be initialized in the else branch",
        tell_apart="Branches of different sizes compile, but fail later as `dynamic-dimension-unsupported`, or "
        "silently. Branches of different rank abort the process in XLA.",
        remedies=(
            Remedy(
                "same-result",
                "Return the same from all branches",
                "safe",
                "Give all branches the same structure, types and sizes. If they are cheap, compute both and choose "
                "with tf.where. If the condition is a Python value, use a Python `if`.",
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
        what="The size of a TensorArray or TensorList is not known when XLA compiles, or the array enters or leaves "
        "the compiled function.",
        why="XLA stores a list as one array, so it needs a bound. There is none with `size=0, dynamic_size=True`, "
        "with a size from a run-time value, and in the gradient of a while loop whose number of iterations is "
        "unknown.",
        example="XLA compilation requires a fixed tensor list size. Set the max number of elements. "
        "This could also happen if you're using a TensorArray in a while loop that does not "
        "have its maximum_iteration set",
        tell_apart="`gradient_tape/while/...accumulator` as the node means the gradient of a loop, not an array of "
        "your program. If another op needs the size as a constant, it is `compile-time-constant`.",
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
)
