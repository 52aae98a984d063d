"""Arrays of small unsigned integers, whose arithmetic wraps around."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xladoctor.sources.names import last_name, walk
from xladoctor.sources.rows.values import Array

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader

_SMALL = frozenset({"uint8", "uint16", "ubyte"})
_TAKES = frozenset(
    {"array", "asarray", "astype", "cast", "constant", "empty", "frombuffer", "full", "integers", "ones", "randint",
     "zeros"}
)  # fmt: skip
_KEEPS = frozenset(
    {"abs", "absolute", "array", "asarray", "ascontiguousarray", "constant", "convert_to_tensor", "copy", "expand_dims",
     "reshape", "squeeze", "numpy", "concatenate", "stack", "roll", "flip", "gather", "pad", "clip"}
)  # fmt: skip
"""What leaves the type as it is where none is named."""


def typed(value: Any, node: ast.Call, held: Any, given: list[Any]) -> Any:
    """What a call gave, with what is known of its type."""
    if not isinstance(value, Array):
        return value
    name = last_name(node.func)
    named = _named(node)
    if named is not None and name in _TAKES:
        return replace(value, small=named in _SMALL)
    sources = [v for v in (held, *given) if isinstance(v, Array)]
    return replace(value, small=name in _KEEPS and bool(sources) and all(s.small for s in sources[:1]))


def _named(node: ast.Call) -> str | None:
    """The type that a call names."""
    places = [k.value for k in node.keywords if k.arg in ("dtype", None)]
    if last_name(node.func) in (
        "astype",
        "cast",
        "array",
        "asarray",
        "constant",
        "frombuffer",
        "zeros",
        "ones",
        "empty",
    ):
        places += node.args[-1:]
    for place in places:
        text = place.value if isinstance(place, ast.Constant) else last_name(place)
        if isinstance(text, str) and ("int" in text or "float" in text or text in ("bool", "ubyte")):
            return text
    return None


def wraps(reader: Reader, node: ast.BinOp, left: Any, right: Any) -> None:
    """`a - b` of two such arrays, `(a + b) / 2`, `a * 2`."""
    arrays = [v for v in (left, right) if isinstance(v, Array) and (v.statistic is None or v.small)]
    if not arrays or not all(a.small for a in arrays) or _meant(reader.statement):
        return
    both = len(arrays) == 2
    numbers = [v for v in (left, right) if isinstance(v, int | float)]
    if any(isinstance(n, float) for n in numbers):
        return
    if isinstance(node.op, ast.Sub) and isinstance(left, Array) and (both or any(n > 0 for n in numbers)):
        reader.fault("wraps-below", node, (left.name or "the first", _text(node.right)))
    sum_of = isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Add) and isinstance(left, Array)
    if sum_of and isinstance(node.op, ast.Div | ast.FloorDiv):
        reader.fault("wraps-above", node, (_text(node.left), "the sum"))


def result(node: ast.BinOp, left: Any, right: Any, made: Array) -> Array:
    """The type of an operation: still a small one, where both are."""
    arrays = [v for v in (left, right) if isinstance(v, Array)]
    plain = not any(isinstance(v, float) for v in (left, right)) and len(arrays) == sum(a.small for a in arrays)
    known = len(arrays) == 2 or any(isinstance(v, int) for v in (left, right))
    return replace(made, small=plain and known and not isinstance(node.op, ast.Div | ast.Pow))


def _meant(statement: ast.stmt | None) -> bool:
    """Whether a remainder, bits, or a maximum in the same statement say that it is meant, or that it cannot happen."""
    if statement is None:
        return False
    for node in walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.BitAnd | ast.BitXor):
            return True
        if isinstance(node, ast.Call) and last_name(node.func) in ("maximum", "minimum", "where"):
            return True
    return False


def _text(node: ast.expr) -> str:
    return ast.unparse(node)[:60]
