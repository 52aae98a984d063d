"""Windows of a fixed size that reach past the end of what they are cut from, or pasted into: NumPy gives a smaller one
and says nothing, and the failure comes where it meets a whole one. What made that size is suspected, and after it what
made the places.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.blame.arrivals import Arrival
from xladoctor.blame.crash import Crash, shortened
from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.values import Array, Dim, Origin, Value
from xladoctor.sources.names import last_name, walk

_FAILS = frozenset({"broadcast-mismatch", "concat-pack-mismatch", "slice-out-of-bounds", "not-xla"})
_CUTS = frozenset({"slice", "dynamic_slice", "crop_to_bounding_box"})
_FAR = 8


def of_windows(arrival: Arrival | None, crash: Crash) -> Iterator[Candidate]:
    """The lines that made the sizes along which windows are cut in the failing statement, and their starts."""
    if crash.slug not in _FAILS or arrival is None or arrival.statement is None:
        return
    for node in walk(arrival.statement):
        whole, starts = _window(node)
        value = _value(arrival, whole) if whole is not None else None
        if not isinstance(value, Array) or not value.dims:
            continue
        short = shortened(crash) if isinstance(node, ast.Subscript) else None
        for axis, start in starts.items():
            if short is not None and axis != short:
                continue  # the message says that this axis is whole
            if axis < len(value.dims) and not _is_one_of(value.dims[axis], crash):
                yield from _makers(value.dims[axis], ast.unparse(whole) if whole is not None else "")
                yield from _of_start(_value(arrival, start))


def _is_one_of(dim: Dim, crash: Crash) -> bool:
    """Whether the failure is one of the whole size: no window was cut then."""
    return dim.size is not None and dim.size in crash.sizes


def _window(node: ast.AST) -> tuple[ast.expr | None, dict[int, ast.expr]]:
    """What windows are cut from, and by axis where they start: `x[a:a + n]`, `tf.slice(x, begin, size)`."""
    if isinstance(node, ast.Call) and last_name(node.func) in _CUTS and len(node.args) > 1:
        begin = node.args[1]
        parts = begin.elts if isinstance(begin, ast.List | ast.Tuple) else []
        return node.args[0], {i: part for i, part in enumerate(parts) if not isinstance(part, ast.Constant)}
    if not isinstance(node, ast.Subscript):
        return None, {}
    keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    starts = {}
    for axis, key in enumerate(keys):
        lower, upper = (key.lower, key.upper) if isinstance(key, ast.Slice) else (None, None)
        sides = [upper.left, upper.right] if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add) else []
        if lower is not None and ast.unparse(lower) in map(ast.unparse, sides):
            starts[axis] = lower
    return node.value, starts


def _value(arrival: Arrival, wanted: ast.expr) -> Value | None:
    """What an expression of the statement was, the last time."""
    text = ast.unparse(wanted)
    return next((value for node, value in reversed(arrival.values) if ast.unparse(node) == text), None)


def _makers(dim: Dim, name: str) -> Iterator[Candidate]:
    """The line where a size is worked out, or stands as a number; where neither is known, that of the array."""
    known = [origin for origin, _ in chain(dim.origin, _FAR)]
    worked = next((o for o in known if o.kind == "constant" and o.parents and _is_sum(o)), None)
    written = next((o for o in known if o.kind == "constant" and not o.parents and o.text == str(dim.size)), None)
    made = worked or written or (known[-1] if known else None)
    if made is not None:
        reason = f"Windows reach past the end of `{name}`, whose size {dim.size or ''} is made here.".replace("  ", " ")
        weight = 8.0 if worked else 6.5
        yield Candidate(made.file, made.line, weight, reason, None, "constant", strong=True)


def _is_sum(origin: Origin) -> bool:
    """Whether an origin is arithmetic of several numbers, and no name for one."""
    return any(sign in origin.text for sign in "+-*/") and "=" not in origin.text


def _of_start(value: Value | None) -> Iterator[Candidate]:
    origin = value.origin if value is not None else None
    if origin is not None:
        yield Candidate(
            origin.file, origin.line, 6.0, "It makes the starts of windows that reach too far.", strong=True
        )
