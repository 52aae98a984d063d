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
        variable=0,
    ),
    Form(
        "before the loop, but shape",
        rf"'(\S{{1,200}}?)' has shape {SHAPE} before the loop, but shape {SHAPE} after one iteration",
        "`{0}` is {1} before the loop and {2} after one iteration.",
        pick=(1, 2),
        variable=0,
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
        "enters the loop with type",
        r"Loop var (\S{1,200}) enters the loop with type <dtype: '(\w{1,20})'> but has type <dtype: '(\w{1,20})'>",
        "Loop variable `{0}` is {1} before the loop and {2} after one iteration.",
        pick=(),
    ),
    Form(
        "conform with the shape invariant",
        rf"'(\S{{1,200}}?)' has shape {SHAPE} (before the loop|after one iteration), which does not conform with the "
        rf"shape invariant {SHAPE}",
        "`{0}` is {1} {2}, and the shape invariant of the loop is {3}.",
        pick=(1, 3),
    ),
    Form(
        "same nested structure a",
        r"'(\S{1,200}?)' does not have the same nested structure (after one iteration|as its corresponding shape "
        r"invariant)",
        "`{0}` does not have the same structure {1}.",
        pick=(),
    ),
    Form(
        "at the end of the iteration",
        r"'(\S{1,200}?)' is None at the end of the iteration",
        "`{0}` goes into the loop as a tensor and is None after an iteration.",
        pick=(),
    ),
    Form(
        "Body function must",
        r"(?:[Bb]ody function|parameter).{0,80}? must (?:match|be) .{0,200}?loop()",
        "The body of a loop does not return values like its arguments.",
    ),
)


def loop(record: ErrorRecord, text: str) -> Hit | None:
    """A loop variable that changes its static shape (or type)."""
    hit = first_form(_LOOP_FORMS, text)
    if hit is None and _nests_differ(record, text, "while_loop"):
        return Hit("The body of the loop returns another structure than it gets.", op="While")
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
            "The branches of a conditional differ in rank; XLA aborts the process without a message about it.",
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
            "in the main branch, but dtype",
            r"'(\S{1,200}?)' has dtype (\w{1,20}) in the main branch, but dtype (\w{1,20}) in the else branch",
            "`{0}` is {1} in the main branch and {2} in the else branch.",
            pick=(),
        ),
        Form(
            "is None at the end of the",
            r"'(\S{1,200}?)' is None at the end of the (main|else) branch",
            "`{0}` is a tensor in one branch and None in the {1} branch.",
            pick=(),
        ),
        Form(
            "branch must also have a return",
            r"the (\w{1,20}) branch must also have a return statement",
            "One branch returns a value, and the {0} branch returns none.",
            pick=(),
        ),
        Form(
            "nested structure in the main and",
            r"'(\S{1,200}?)' must have the same nested structure in the main and else branches",
            "`{0}` does not have the same structure in both branches.",
            pick=(),
        ),
        Form(
            "Incompatible return types of",
            r"Incompatible return types of 'true_fn' and 'false_fn': (.{1,300})",
            "The two branches of `tf.cond` return different types: {0}",
            pick=(),
        ),
        Form(
            "Cannot reconcile",
            r"Cannot reconcile (tf\.\w{1,20}) (\d{1,6})-th outputs",
            "Output {1} (counted from 0) of the branches of `{0}` has types that cannot be joined.",
            pick=(),
        ),
        Form(
            "Lengths of branch outputs",
            r"Lengths of branch outputs of (\w{1,20}) must match\. .{0,40}?: (\d{1,6}) .{0,40}?: (\d{1,6})",
            "The branches of `{0}` return different numbers of tensors: {1} and {2}.",
            pick=(1, 2),
        ),
        Form(
            "arguments to tf.switch_case",
            r"(branches\[\d{1,4}\]) and (branches\[\d{1,4}\]) arguments to tf\.switch_case must have the same",
            "{0} and {1} of `tf.switch_case` do not return the same number of tensors, structure or types.",
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
        if _calls(record, r"\b(?:cond|case|switch_case)\b"):  # cond_v2: the number of outputs of each branch
            return Hit(
                f"The branches return different numbers of tensors: {text}.",
                status="untested",
                between=(
                    "the branches of that conditional return different structures",
                    "an assertion of the program's own",
                ),
                decide=("the last frame of the traceback: cond_v2.py or control_flow_ops.py is TensorFlow's own",),
            )
        return None
    if _nests_differ(record, text, "cond|case|switch_case"):
        return Hit("The branches do not return the same structure.")
    return _branch(record, text)


def _calls(record: ErrorRecord, names: str) -> bool:
    """Whether a line of the traceback calls one of these functions."""
    return any(pattern(names).search(frame.code or "") for frame in record.frames)


def _nests_differ(record: ErrorRecord, text: str, names: str) -> bool:
    """Whether `tf.nest` compared what a loop or the branches give: its words do not say whose structures they are, the
    call does.
    """
    same = "structures don't have the same" in text
    return same and any(
        frame.user and pattern(rf"\btf\.(?:{names})\(").search(frame.code or "") for frame in record.frames[-12:]
    )


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
