"""Loops, branches and lists of tensors that do not keep their shapes.

Format strings: tensorflow/compiler/tf2xla/kernels/{while_op,if_op,case_op,tensor_list_ops}.cc,
tensorflow/python/autograph/operators/control_flow.py, python/ops/{cond_v2,while_v2}.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.forms import SHAPE, Form, N, by_forms, first_form
from xladoctor.rules.matching import Hit, ints, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


_LOOP_FORMS = (
    Form(
        "loop body do not match",
        r"Input and output shapes of loop body do not match: (.{1,1500}?) vs\. "
        r"(\(.{1,1500}?\)|\S{1,300})(?: \[\[|\[\[| |$)",
        "A loop variable changes its shape: {0} goes in, {1} comes out.",
    ),
    Form(
        "enters the loop with shape",
        rf"tensor `?(\S{{1,200}}?)`? enters the loop with shape {SHAPE}, but has shape {SHAPE} "
        rf"after one iteration",
        "`{0}` enters the loop as {1} and leaves its first iteration as {2}.",
        pick=(1, 2),
    ),
    Form(
        "before the loop, but shape",
        rf"'(\S{{1,200}}?)' has shape {SHAPE} before the loop, but shape {SHAPE} after one iteration",
        "`{0}` is {1} before the loop and {2} after one iteration.",
        pick=(1, 2),
    ),
    Form(
        "is not an invariant for the loop",
        rf"shape invariant.{{1,200}}?{SHAPE}.{{1,80}}?{SHAPE}|shape for (\S{{1,200}}?) is not "
        rf"an invariant for the loop\. It enters the loop with shape {SHAPE}, but has shape "
        rf"{SHAPE}",
        "A loop variable does not keep its shape.",
    ),
    Form(
        "before the loop, but dtype",
        r"'(\S{1,200}?)' has dtype (\w{1,20}) before the loop, but dtype (\w{1,20}) after one iteration",
        "`{0}` is {1} before the loop and {2} after one iteration.",
        pick=(),
    ),
    Form(
        "Body function must",
        r"(?:[Bb]ody function|parameter).{0,80}? must (?:match|be) .{0,200}?loop()",
        "The body of a loop does not return what it takes.",
    ),
)


def loop(record: ErrorRecord, text: str) -> Hit | None:
    """A loop variable that changes its static shape (or type)."""
    hit = first_form(_LOOP_FORMS, text)
    if hit and "vs." in text:
        sides = pattern(r"(\w{1,8}\[[^\[\]]{0,99}\])").findall(hit.message)
        half = len(sides) // 2
        differ = [(a, b) for a, b in zip(sides[:half], sides[half:], strict=False) if a != b]
        dims = ints(" ".join(s[s.index("[") :] for pair in differ for s in pair))
        names = "; ".join(f"{a} goes in, {b} comes out" for a, b in differ) or "see the message"
        return Hit(
            f"A loop variable changes its shape from one iteration to the next: {names}.",
            dims=dims,
            op="While",
            details={"differ": [list(p) for p in differ]},
        )
    return hit


_branch = by_forms(
    (
        Form(
            "Check failed: result.",
            r"(Check failed: result\.(?:rank|dimensions)\(\)).{0,40}? == shape->.{0,4000}?Conditional",
            "The branches of a conditional differ in rank; XLA aborts the process instead of saying so.",
            pick=(),
        ),
        Form(
            "branch_shape.dimensions",
            r"left_branch_shape\.dimensions\w{0,12}\(\) != right_branch_shape\.dimensions\w{0,12}\(\) "
            r"\((\d{1,3}) vs\.? (\d{1,3})\)",
            "The branches of a conditional differ in rank: {0} against {1} axes.",
            pick=(),
        ),
        Form(
            "true_fn and false_fn",
            r"(true_fn and false_fn) .{0,40}?must have the same .{0,400}",
            "The two branches of `tf.cond` do not return the same structure or types.",
            pick=(),
        ),
        Form(
            "both branches",
            r"'(\S{1,200}?)' must have the same (\w{1,20}) .{0,60}?both branches.{0,200}",
            "`{0}` differs in {1} between the branches.",
            pick=(),
        ),
        Form(
            "must also be initialized in the",
            r"'(\S{1,200}?)' must also be initialized in the (\w{1,20}) branch",
            "`{0}` is set in one branch only (missing in the {1} branch).",
            pick=(),
        ),
        Form(
            "initialized in the main branch",
            r"'(\S{1,200}?)' must also be initialized in the (\w{1,20}) branch",
            "`{0}` is set in one branch only.",
            pick=(),
        ),
        Form(
            "branch_fns",
            r"(branch_fns|branches).{0,80}?must (?:have|return) the same .{0,200}",
            "The branches of a switch do not return the same structure or types.",
            pick=(),
        ),
        Form(
            "shape of conditional",
            rf"(?:true|false|branch).{{0,80}}?shape of conditional.{{0,200}}?{SHAPE}.{{0,60}}?{SHAPE}",
            "The branches return {0} and {1}.",
        ),
        Form(
            "of the result of the",
            rf"(?:then|else|true|false|branch \d{{1,3}}).{{1,80}}?{SHAPE}.{{1,60}}?(?:vs\.?|and|"
            rf"but).{{1,60}}?{SHAPE}.{{0,40}}?branch",
            "The branches return {0} and {1}.",
        ),
        Form(
            "Output shapes of",
            r"(?:Output shapes of|Mismatch in resource of) (?:then|else|true|false|\w{1,20}) "
            r"(?:and else )?branch(?:es)? (?:do not match|differ).{0,10}(.{0,300})",
            "The branches return different shapes: {0}",
            pick=(),
        ),
        Form("Incompatible shapes for conditional", rf"{SHAPE}.{{1,60}}?{SHAPE}", "The branches return {0} and {1}."),
    )
)


def branch(record: ErrorRecord, text: str) -> Hit | None:
    """Branches that do not return the same."""
    if record.exception == "AssertionError" and pattern(r"^\[\d{1,4}(?:, \d{1,4}){1,40}\](?: |$)").match(text):
        if any(
            pattern(r"\bcond\b").search(frame.code or "") for frame in record.frames
        ):  # cond_v2: the number of outputs of each branch
            return Hit(
                f"The branches return different numbers of tensors: {text}.",
                status="untested",
                between=(
                    "the branches of that `tf.cond` return different structures",
                    "an assertion of the program's own",
                ),
                decide=("the last frame of the traceback: cond_v2.py or control_flow_ops.py is TensorFlow's own",),
            )
        return None
    return _branch(record, text)


tensorlist = by_forms(
    (
        Form(
            "fixed tensor list size",
            r"(XLA compilation requires a fixed tensor list size)",
            "A TensorArray or a loop's gradient has no static bound.",
            pick=(),
        ),
        Form(
            "crossing the XLA/TF boundary",
            r"(TensorList crossing the XLA/TF boundary)",
            "A TensorList leaves or enters the compiled function.",
            pick=(),
        ),
        Form(
            "TensorArray",
            r"(?:XLA|[Cc]ompil).{0,80}?(TensorArray.{0,60}? (?:size|shape).{0,100}?(?:constant|"
            r"known|static|inferred).{0,60})",
            "A TensorArray without a static size: {0}",
            pick=(),
        ),
        Form(
            "TensorList",
            r"(TensorList .{0,80}?(?:non-scalar|not initialized|uninitialized|dynamic).{0,100})",
            "A TensorList that XLA cannot size: {0}",
            pick=(),
        ),
        Form(
            "TensorListReserve",
            rf"[Ii]nput {N} to node `[^`]{{1,300}}` with op (TensorListReserve|EmptyTensorList|"
            rf"TensorListSplit) must be a compile-time constant",
            "The size of a TensorArray (argument {0} of {1}) is not known when XLA compiles.",
            pick=(),
        ),
        Form(
            "EmptyTensorList",
            rf"[Ii]nput {N} to node `[^`]{{1,300}}` with op (EmptyTensorList) must be a "
            rf"compile-time constant",
            "The size of a TensorArray (argument {0} of {1}) is not known when XLA compiles.",
            pick=(),
        ),
    )
)
