"""Sizes known only at run time, and the compiler's own checks.

Format strings: xla/service/dynamic_dimension_inference.cc, xla/service/dynamic_padder.cc, xla/status_macros.cc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xladoctor.rules.matching import Hit, find, pattern, upto

if TYPE_CHECKING:
    import re

    from xladoctor.model.evidence import ErrorRecord


_PROPAGATION = (
    (
        "Dynamic dimension propagation",
        r"Dynamic dimension propagation (?:on|through|with) (.{1,160}?)(?: is| not|\.|$)",
        "XLA cannot carry a bounded dynamic dimension through: {0}.",
    ),
    (
        "dynamic dimension is decomposed",
        r"(\w{1,40}'s input dynamic dimension is decomposed into multiple output dynamic dimensions)",
        "XLA cannot tell which output axes are dynamic: {0}.",
    ),
    (
        "dynamic dimension",
        r"(?:does not|doesn't|Can't|cannot|not) support(?:ed)? (.{0,80}?dynamic dimension.{0,80})",
        "XLA cannot carry a bounded dynamic dimension: {0}.",
    ),
    (
        "bounded dynamic",
        r"([A-Z]\w{1,60}(?: op)?) (?:does not|doesn't|cannot) (?:yet )?(?:support|handle|have) (?:a |any )?"
        r"bounded dynamic",
        "XLA cannot carry a bounded dynamic dimension through: {0}.",
    ),
    (
        "dynamic",
        r"(?:not (?:yet )?(?:implemented|supported?)|(?:must|can) ?not have) (dynamic[- ](?:sized?|shaped?|"
        r"dimensions?).{0,80}?)(?: yet)?(?:[.,;]|$| \[\[)",
        "The compiler does not support a size that is known only at run time ({0}).",
    ),
    (
        "dynamic dimension",
        r"([Ss]tride.{0,40}? on (?:a )?dynamic dimension.{0,40}|[Dd]ynamic "
        r"dimension.{0,60}?(?:not|un)\s?(?:implemented|supported).{0,40})",
        "XLA cannot carry a bounded dynamic dimension: {0}.",
    ),
)
"""(literal, pattern, sentence) for the compiler's messages about ops and sizes that are known only at run time."""


def _asked_to_propagate(record: ErrorRecord, found: re.Match[str]) -> Hit:
    """The full sentence: it names the instruction, the axis and the bound."""
    instruction, axis = found[4].split(", which is not implemented")[0].split(" ```")[0], int(found[3])
    shaped = pattern(r"= (\w{1,8}\[[^\[\]]{0,200}\])\S{0,40} ([\w-]{1,60})\(").search(instruction)
    opcode = shaped[2] if shaped else None
    details: dict[str, Any] = {"from": found[1], "axis": axis, "hlo": instruction[:300]}
    dims: tuple[int, ...] = ()
    if shaped:
        details["shape"] = shaped[1]
        dims = tuple(int(n) for n in pattern(r"<=(\d{1,18})").findall(shaped[1]))
    bound = f" of at most {dims[0]}" if dims else ""
    to = opcode or instruction.split(" ")[0]
    return Hit(
        f"Axis {axis} of the input of `{to}` has a size{bound} that is known only at run "
        f"time, and XLA cannot carry such a size through `{to}`.",
        dims=dims,
        op=None if record.op and not record.op.startswith("__") else opcode,
        details={**details, "opcode": opcode},
    )


def dynamic_dimension(record: ErrorRecord, text: str) -> Hit | None:
    """A bounded dimension that reaches an instruction which cannot carry it."""
    found = find(
        text,
        "Asked to propagate a dynamic dimension from hlo",
        r"dynamic dimension from hlo %?(\S{1,300}?)@\{([\d,]{0,40})\}@(\d{1,3}) to hlo "
        r"(.{1,700})",
    )
    if found:
        return _asked_to_propagate(record, found)
    if "Asked to propagate a dynamic dimension" in text:
        return Hit(
            "A size that is known only at run time reaches an op through which XLA cannot carry it. The text ends "
            "before the name of the op.",
            details={"axis": None},
            decide=("the rest of the line: it names the op and the bound `[<=N]`",),
        )
    found = find(
        text,
        "proof the equality of two dimensions",
        r"Fail to proof the equality of two dimensions at compile time: (.{1,300})",
    )
    if found:
        return Hit(
            "XLA cannot show, while compiling, that two sizes known only at run time are equal.",
            details={"hlo": found[1]},
        )
    for literal, source, says in _PROPAGATION:
        found = find(text, literal, source)
        compiler = literal != "dynamic" or pattern(r"\bXLA\b|tf2xla|\bhlo\b").search(text)
        if found and compiler and "RET_CHECK" not in text and "PadOp" not in text:
            return Hit(says.format(found[1].strip()), details={"axis": None})
    return None


def padder(record: ErrorRecord, text: str) -> Hit | None:
    """A check of XLA's dynamic padder."""
    check = _check(text)
    unexpected = find(
        text,
        "Dynamic input unexpectedly found",
        r"Dynamic input unexpectedly found for unsupported instruction: (.{1,400})",
    )
    if not unexpected and not (check and "dynamic_padder" in check["file"]):
        return None
    details: dict[str, Any] = {"check": check} if check else {}
    dims: tuple[int, ...] = ()
    what = "an instruction that it does not handle"
    if unexpected:
        shaped = pattern(r"= (\w{1,8}\[[^\[\]]{0,200}\])\S{0,40} ([\w-]{1,60})\(").search(unexpected[1])
        details["hlo"] = upto(unexpected[1], ", metadata")[:300]
        if shaped:
            dims = tuple(int(n) for n in pattern(r"<=(\d{1,18})").findall(shaped[1]))
            details |= {"opcode": shaped[2], "shape": shaped[1]}
            what = f"`{shaped[2]}` of shape {shaped[1]}"
    return Hit(
        f"XLA's dynamic padder met a bounded dynamic dimension in {what}, and stopped on an internal check.",
        dims=dims,
        details=details,
    )


# The compiler's own sources, by their folder; since TensorFlow 2.18 a line names the file alone. The libraries that
# run what was compiled stand beside it, and a check of theirs is no fault of the compiler.
_COMPILER = (
    r"(?:^|/)(?:compiler/(?:tf2xla|jit)|(?:compiler/)?xla(?!/(?:stream_executor|tsl|pjrt|python|client(?!/(?:lib/|xla_)))/))/"
    r"|^(?:hlo_\w{1,60}|algebraic_simplifier|\w{0,30}layout_assignment|buffer_assignment|dynamic_(?:padder|dimension|shaped)\w{0,30}"
    r"|\w{1,30}_(?:fusion|expander|rewriter)|shape_inference|xla_builder)\.(?:cc|h):"
)


def ret_check(record: ErrorRecord, text: str) -> Hit | None:
    """Another internal check of the compiler, or a fatal check in its code."""
    check = _check(text)
    if check and "dynamic_padder" not in check["file"] and "Dynamic input unexpectedly" not in text:
        says = f"The compiler stopped at an internal check, `{check['condition']}` at {check['file']}:{check['line']}."
        if "dynamic" in check["file"] or "dynamic" in check["condition"]:
            says += " The file deals with bounded dynamic dimensions."
        return Hit(says, details={"check": check, "key": check["file"]})
    verified = find(text, "during context [", r"during context \[([^\[\]]{0,80})\]: (.{4,400})")
    if verified:
        # hlo_verifier.cc puts this before whatever it finds wrong with the program that a pass has made.
        says = upto(upto(verified[2], " [Op:"), " [[").rstrip(". ")
        return Hit(f"XLA's verifier refused the program that the compiler made: {says[:300]}.",
                   details={"context": verified[1]})  # fmt: skip
    of_compiler = record.native is not None and pattern(_COMPILER).search(record.native) is not None
    if (
        "Check failed:" in text
        and "mlir" not in text[:40]
        and (of_compiler or pattern(r"\bxla::|XlaCompiler|tf2xla|hlo").search(text))
        and not pattern(r"DynamicConditional|Invalid index from").search(text)
    ):
        found = pattern(r"Check failed: (.{1,200})").search(text)
        condition = upto(found[1], " ***", ". ") if found else text[:120]
        at = f" at {record.native}" if of_compiler else ""
        check = {"file": str(record.native).rpartition(":")[0], "condition": condition} if of_compiler else None
        return Hit(
            f"The compiler aborted the process at an internal check, `{condition}`{at}.",
            details={"fatal": True, **({"check": check} if check else {})},
        )
    return None


def _check(text: str) -> dict[str, Any] | None:
    found = find(
        text,
        "RET_CHECK failure",
        r"RET_CHECK failure \(([^():]{1,300}):(\d{1,7})\) ?(.{0,300})",
    )
    return (
        {"file": found[1], "line": int(found[2]), "condition": upto(found[3], " [Op:", "***", "[[").strip()}
        if found
        else None
    )
