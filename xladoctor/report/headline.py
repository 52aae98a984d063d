"""The headline of a finding: what failed, in one sentence with its numbers and names.

It is made of the typed fields of a finding (op, dims, layer, details). Where those do not carry a sentence, the
finding's own title serves if it names this failure, then the first sentence of its message, then the class' title.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from xladoctor.model.diagnosis import Finding
from xladoctor.model.element_types import byte_words, bytes_of, spelled
from xladoctor.model.shapes import count, python_shape
from xladoctor.patterns import pattern
from xladoctor.report.findings import telling_line
from xladoctor.report.text import clip, line

Sizes = Sequence[int | None]

_LONGEST = 300
_SENTENCE = pattern(r"(?<=[.)])\s+(?=[A-Z(\d])")
_LONG = 120
_STOP = pattern(r"(?<=\.)\s+(?=[A-Z])")
_VERBS = {
    "Add": "add", "AddV2": "add", "AddN": "add up", "Sub": "subtract", "Mul": "multiply", "RealDiv": "divide",
    "Div": "divide", "FloorDiv": "divide", "Pow": "raise to a power", "Maximum": "take the maximum of",
    "Minimum": "take the minimum of", "Equal": "compare", "NotEqual": "compare", "Less": "compare",
    "LessEqual": "compare", "Greater": "compare", "GreaterEqual": "compare", "LogicalAnd": "combine",
    "LogicalOr": "combine", "SquaredDifference": "subtract", "Select": "choose between", "SelectV2": "choose between",
}  # fmt: skip


def headline(finding: Finding) -> str:
    """One sentence on one line, without a full stop."""
    build = _builder(finding)
    sentence = build(finding) if build is not None else ""
    return clip(line(sentence or _fallback(finding)).rstrip("."), _LONGEST)


def is_first_sentence(finding: Finding) -> bool:
    """Whether the headline says all that the first sentence of the message says."""
    build = _builder(finding)
    if build is not None and finding.slug != "not-xla" and build(finding):
        return True
    return headline(finding) == clip(line(first_sentence(finding)).rstrip("."), _LONGEST)


def _builder(finding: Finding) -> Callable[[Finding], str] | None:
    # The class of a sentence that the doctor does not know is a guess: what it says stands for itself.
    return None if finding.details.get("general") else _BUILDERS.get(finding.slug)


def first_sentence(finding: Finding) -> str:
    """The first sentence of the message."""
    return _SENTENCE.split(finding.message.strip().partition("\n")[0], maxsplit=1)[0]


def _fallback(finding: Finding) -> str:
    if finding.title.strip() and not _is_of_class(finding) and not finding.details.get("general"):
        return finding.title
    return first_sentence(finding) or finding.title


def _is_of_class(finding: Finding) -> bool:
    """Whether the title is that of the class, which every finding of it shares."""
    from xladoctor.rules import UnknownRule, by_slug

    try:
        return finding.title == by_slug(finding.slug).title
    except UnknownRule:
        return False


def _inside(finding: Finding) -> str:
    """` in SelfAttention`: the layer, by its class where that is known."""
    name = finding.details.get("layer_class") or finding.layer
    return f" in {name}" if name else ""


def _operands(finding: Finding) -> list[Sizes]:
    """The shapes of the operands: those that the message prints, else those that a worker saw at the failing op."""
    shapes = _shapes(finding.details.get("shapes"))
    if shapes:
        return shapes
    op = finding.details.get("failing_op")
    inputs = op.get("inputs") if isinstance(op, dict) else None
    return _shapes([item.get("shape") for item in inputs if isinstance(item, dict)]) if inputs else []


def _shapes(value: Any) -> list[Sizes]:
    if not isinstance(value, list | tuple):
        return []
    shapes = [tuple(item) for item in value if isinstance(item, list | tuple)]
    return [shape for shape in shapes if all(size is None or isinstance(size, int) for size in shape)]


def _differences(left: Sizes, right: Sizes, broadcast: bool) -> list[tuple[int, int, int]]:
    """Axes on which two shapes conflict; from the end (negative) where they differ in rank."""
    if not broadcast and len(left) != len(right):
        return []
    offset = len(left) if len(left) == len(right) else 0
    found = []
    for back in range(min(len(left), len(right)), 0, -1):
        a, b = left[-back], right[-back]
        if a is None or b is None or a == b or (broadcast and 1 in (a, b)):
            continue
        found.append((offset - back, a, b))
    return found


def _numbers(finding: Finding, count: int = 2) -> tuple[int, ...]:
    numbers = tuple(n for n in finding.dims if isinstance(n, int))
    return numbers if len(numbers) == count == len(finding.dims) else ()


# -- one builder a class ----------------------------------------------------------------------------------------------


def _broadcast(finding: Finding) -> str:
    operands, inside = _operands(finding), _inside(finding)
    verb = _VERBS.get(str(finding.op), "")
    if len(operands) < 2:
        numbers = _numbers(finding)
        what = f"Cannot {verb} two tensors" if verb else f"The operands of {finding.op} do not broadcast"
        if not numbers or not finding.op:
            return ""
        return f"{what}{inside}: an axis is {numbers[0]} on the left and {numbers[1]} on the right"
    shown = " and ".join(python_shape(shape) for shape in operands[:3])
    what = f"Cannot {verb} {shown}" if verb else f"{finding.op or 'An element-wise op'} cannot broadcast {shown}"
    if len(operands) != 2:
        return f"{what}{inside}"
    axes = [
        f"axis {axis} is {a} on the left and {b} on the right"
        for axis, a, b in _differences(operands[0], operands[1], True)[:2]
    ]
    return f"{what}{inside}" + (f": {', '.join(axes)}" if axes else "")


def _joined(finding: Finding) -> str:
    from xladoctor.rules.recognise.operands import JOINS

    operands, inside = _operands(finding), _inside(finding)
    # A dataset's op only hands on what the batching before it says.
    verb = "stack" if finding.op == "Pack" else "join" if finding.op in JOINS else "batch"
    operands = [shape for shape in operands if shape]
    if len(operands) < 2:
        return ""
    shown = " and ".join(python_shape(shape) for shape in operands[:3])
    more = f" and {len(operands) - 3} more" if len(operands) > 3 else ""
    different = _differences(operands[0], operands[1], False) if len(operands) == 2 else []
    axis = ": axis {} is {} in the first and {} in the second".format(*different[0]) if len(different) == 1 else ""
    if len(operands) == 2 and len(operands[0]) != len(operands[1]):
        axis = f": the first has {_axes(operands[0])}, the second {len(operands[1])}"
    shown = f"elements of shapes {shown}" if verb == "batch" else shown
    return f"Cannot {verb} {shown}{more}{inside}{axis}"


def _axes(shape: Sizes) -> str:
    return f"{len(shape)} {'axis' if len(shape) == 1 else 'axes'}"


def _product(finding: Finding) -> str:
    operands, numbers = _operands(finding), _numbers(finding)
    op = str(finding.op or "MatMul")
    if len(operands) != 2 or not ("MatMul" in op or op.startswith("XlaDot")):
        return ""
    what = f"Cannot multiply matrices {python_shape(operands[0])} and {python_shape(operands[1])}{_inside(finding)}"
    return what + (f": the inner sizes are {numbers[0]} and {numbers[1]}" if numbers else "")


def _reshape(finding: Finding) -> str:
    have, want = finding.details.get("have"), finding.details.get("want")
    if not isinstance(have, int) or not isinstance(want, int):
        return ""
    source, target = _input_of_reshape(finding, have), finding.details.get("target")
    inside = _inside(finding)
    what = python_shape(source) if source else count(have, "element")
    into = python_shape(target) if isinstance(target, list | tuple) else "the requested shape"
    takes = f"a multiple of {want}" if finding.details.get("multiple_of") else str(want)
    has = f"it has {count(have, 'element')}, the target takes {takes}" if source else f"the target takes {takes}"
    return f"Cannot reshape {what} to {into}{inside}: {has}"


def _input_of_reshape(finding: Finding, have: int) -> Sizes | None:
    """The shape that goes in: only one that is known to be of the op's input, and holds that number."""
    op = finding.details.get("failing_op")
    inputs = op.get("inputs") if isinstance(op, dict) else None
    known = _shapes([item.get("shape") for item in inputs if isinstance(item, dict)]) if inputs else []
    factors = finding.details.get("factors")
    sides = factors.get("have") if isinstance(factors, dict) else None
    for item in sides if isinstance(sides, list | tuple) else ():
        if isinstance(item, dict) and item.get("from") == "input shapes":
            known += _shapes([item.get("shape")])
    for shape in known:
        whole = [size for size in shape if size is not None]
        if len(whole) == len(shape) and shape and prod(whole) == have:
            return shape
    return None


def _memory(finding: Finding) -> str:
    shape, dtype = finding.details.get("tensor_shape"), str(finding.details.get("dtype") or "")
    if not isinstance(shape, list | tuple) or not all(isinstance(size, int) for size in shape):
        return ""
    size = bytes_of(dtype)
    needs = f": it needs {byte_words(prod(shape) * size)}" if size else ""
    kind = spelled(dtype)
    device = f" on {str(finding.device).rpartition('device:')[2]}" if finding.device else ""
    return f"No memory{device} for a {kind + ' ' if kind else ''}tensor of shape {python_shape(shape)}{needs}"


def _exception(finding: Finding) -> str:
    """The exception's type and the first line of what it says."""
    kind = str(finding.details.get("kind") or "")
    if not kind[:1].isupper():
        return first_sentence(finding)
    proof = next((proof for proof in finding.evidence if proof.kind in ("log", "event")), None)
    first = telling_line(proof) if proof is not None else ""
    if len(first) > _LONG:
        first = _STOP.split(first, maxsplit=1)[0]
    return first if first.startswith(kind) else f"{kind}: {first}" if first else kind


def _of_op(finding: Finding) -> str:
    """The first sentence of a message that has the numbers, with the op and the layer that it does not name."""
    sentence, op = first_sentence(finding), str(finding.op or "")
    if not sentence or not op.isidentifier() or op in sentence or not _is_of_class(finding):
        return ""
    return f"{op}{_inside(finding)}: {sentence}"


def _rank(finding: Finding) -> str:
    """Joined tensors of different rank by their shapes; of another op the first sentence, with the shapes behind it."""
    operands = [shape for shape in _operands(finding) if shape]
    if finding.op in ("ConcatV2", "Concat", "Pack") and len(operands) > 1:
        return _joined(finding)
    said, shown = _of_op(finding), " and ".join(python_shape(shape) for shape in operands[:2])
    known = said and len(operands) in (1, 2) and not any(python_shape(shape) in said for shape in operands)
    return f"{said.rstrip('.')}; the {'shapes are' if len(operands) > 1 else 'shape is'} {shown}" if known else said


def _index(finding: Finding) -> str:
    numbers, what = _numbers(finding), first_sentence(finding)
    kind = next((word for word in ("Index", "Label") if what.startswith(f"{word} ")), None)
    if not numbers or kind is None or numbers[1] < 1:
        return ""
    # The layer of a label is a path within the loss, which says nothing.
    rows, inside = ("classes", "") if kind == "Label" else ("rows", _inside(finding))
    return f"{kind} {numbers[0]} is outside the {numbers[1]} {rows} (0 to {numbers[1] - 1}){inside}"


def _types(finding: Finding) -> str:
    types, verb = finding.details.get("types"), _VERBS.get(str(finding.op))
    if not isinstance(types, list | tuple) or len(types) != 2 or verb is None:
        return _of_op(finding)
    return f"Cannot {verb} {spelled(str(types[0]))} and {spelled(str(types[1]))}{_inside(finding)}: cast one of them"


def _gone(finding: Finding) -> str:
    name = str(finding.details.get("gone") or "")
    return f"This version of Keras or TensorFlow has no {name}" if name and " " not in name else ""


def _product_or_op(finding: Finding) -> str:
    return _product(finding) or _of_op(finding)


_BUILDERS: dict[str, Callable[[Finding], str]] = {
    "rank-mismatch": _rank,
    "slice-out-of-bounds": _of_op,
    "dtype-mismatch": _types,
    "removed-name": _gone,
    "index-out-of-range": _index,
    "broadcast-mismatch": _broadcast,
    "concat-pack-mismatch": _joined,
    "matmul-conv-mismatch": _product_or_op,
    "reshape-mismatch": _reshape,
    "oom": _memory,
    "not-xla": _exception,
}
