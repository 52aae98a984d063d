"""Fewer and fewer ops around a failing one: which of many simplifications keep the failure. Nothing runs here."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from xladoctor.protocol import answers
from xladoctor.recording.hlo import Module, is_dynamic

Edit = answers.Edit
Row = answers.Editable
Shapes = Mapping[tuple[str, str], str]
"""(frame, tensor) -> shape in HLO."""
Look = Callable[[Sequence[Edit]], tuple[bool, int, Container[str]]]
_KINDS = {
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
    "bool": "pred",
    "float16": "f16",
}
_LOOPS = ("While", "StatelessWhile")
_PLUMBING = frozenset({"parameter", "call", "get-dimension-size"})


def greedy(
    keeps: Callable[[Sequence[Edit]], bool], kept: Sequence[Edit], more: Sequence[Edit], budget: int
) -> list[Edit]:
    """`kept` and as many of `more` as keep the failure: all at once, else by halves. At most `budget` tries."""
    found = list(kept)
    todo = [list(more)] if more else []
    while todo and budget > 0:
        part = todo.pop(0)
        budget -= 1
        if keeps([*found, *part]):
            found += part
        elif len(part) > 1:
            middle = len(part) // 2
            todo[:0] = [part[:middle], part[middle:]]
    return found


def smaller(
    look: Look,
    rows: Sequence[Row],
    kinds: Sequence[Callable[[Sequence[Row]], list[Edit]]],
    *,
    budget: int = 60,
    seconds: float = 180.0,
) -> list[list[Edit]]:
    """Lists of edits that keep the failure, the smallest graph first; the last one is empty.

    `look` tells of some edits whether they keep it, how many ops are left, and the names of these. Each of `kinds`
    gives edits of what is left; what one frees another can take, so they take turns until nothing becomes smaller. Of
    each kind at most `budget` are tried in a turn, and no turn begins after so many `seconds`.
    """
    found: list[list[Edit]] = [[]]
    _, size, names = look([])
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        before = size
        for kind in kinds:
            more = kind([r for r in rows if r.node in names])
            kept = greedy(lambda edits: look(edits)[0], found[0], more, budget)
            if len(kept) > len(found[0]):
                found.insert(0, kept)
                _, size, names = look(kept)
                found[0] = _used(look, kept, names, size)
        if size >= before:
            break
    return found


def _used(look: Look, edits: list[Edit], names: Container[str], size: int) -> list[Edit]:
    """The edits without those whose argument or constant nobody takes any more."""
    kept = [e for e in edits if e["to"] == "tensor" or fresh(str(e["tensor"])) in names]
    keeps, now, _ = look(kept) if len(kept) < len(edits) else (False, 0, ())
    return kept if keeps and now <= size else edits


def fresh(tensor: str) -> str:
    """The node that an edit puts in the place of a tensor (`probes.graph.reduced`)."""
    node, _, index = tensor.rpartition(":")
    return f"{node}/__edit_{index}"


def shapes(module: Module, rows: Sequence[Row]) -> dict[tuple[str, str], str]:
    """(frame, tensor) -> its shape in HLO, as far as the text has it."""
    by_name: dict[tuple[str, int], str] = {}
    for computation in module.computations.values():
        for found in computation.instructions.values():
            name = (found.op_name or "").rpartition(";")[2]
            if not name or found.opcode in _PLUMBING or found.shape.startswith("("):
                continue
            by_name[name, found.index if found.opcode == "get-tuple-element" and found.index is not None else 0] = (
                found.shape
            )
    known: dict[tuple[str, str], str] = {}
    given: dict[tuple[str, int], str] = {}
    for row in rows:
        for i in range(len(row.dtypes)):
            shape = by_name.get((row.node, i))
            if shape is None and row.op in ("Identity", "IdentityN") and i < len(row.inputs):
                shape = known.get((row.frame, row.inputs[i]))
            if shape is None and row.argument is not None:
                shape = given.get((row.frame, row.argument))
            if shape is not None:
                known[row.frame, f"{row.node}:{i}"] = shape
        _given(row, known, given)
    return known


def _given(row: Row, known: Shapes, given: dict[tuple[str, int], str]) -> None:
    """What the bodies of a branch or a loop get as arguments: of a loop's variable, what it is in the end."""
    loop = row.op in _LOOPS
    tensors = row.inputs if loop else row.inputs[1:]
    for i, tensor in enumerate(tensors if row.bodies else ()):
        shape = known.get((row.frame, tensor))
        if loop:
            shape = known.get((row.frame, f"{row.node}:{i}"), shape)
        if shape is not None:
            given.update({(body, i): shape for body in row.bodies})


def cuts(rows: Sequence[Row], known: Shapes) -> list[Edit]:
    """Arguments (zeros, in a body) in the place of numbers whose shape is known, the last ones first."""
    found: list[Edit] = []
    for row in reversed(rows):
        if row.op in ("If", "StatelessIf"):
            found.append({"frame": row.frame, "tensor": row.inputs[0], "to": "argument", "shape": []})
        if _fixed(row) or row.op == "Const":
            continue
        for i, dtype in enumerate(row.dtypes):
            tensor = f"{row.node}:{i}"
            dims = _dims(known.get((row.frame, tensor)), dtype)
            if dims is not None:
                found.append({"frame": row.frame, "tensor": tensor, "to": "argument", "shape": dims})
    return found


def constants(rows: Sequence[Row], values: Mapping[str, Any]) -> list[Edit]:
    """The integers and flags that were seen, in the place of what computes them. `values`: by "frame tensor"."""
    found: list[Edit] = []
    for row in reversed(rows):
        if _fixed(row) or row.op == "Const":
            continue
        for i in range(len(row.dtypes)):
            tensor = f"{row.node}:{i}"
            seen = values.get(f"{row.frame} {tensor}")
            if seen is not None:
                found.append({"frame": row.frame, "tensor": tensor, "to": "value", "value": seen})
    return found


def jumps(rows: Sequence[Row], known: Shapes) -> list[Edit]:
    """The first tensor of a type and shape in the place of later ones; the last ones first. Where there is none of
    the same shape, an input of the same type: many ops do without what others did to their size.
    """
    first: dict[tuple[str, str, str], str] = {}
    found: list[Edit] = []
    types = {(r.frame, f"{r.node}:{i}"): d for r in rows for i, d in enumerate(r.dtypes)}
    for row in sorted(rows, key=lambda r: r.argument is None):
        for i, dtype in enumerate(row.dtypes):
            tensor = f"{row.node}:{i}"
            shape = known.get((row.frame, tensor))
            if shape is not None and (row.frame, dtype, shape) not in first:
                first[row.frame, dtype, shape] = tensor
                same = None
            else:
                same = first.get((row.frame, dtype, shape or ""))
            if _fixed(row) or row.op == "Const":
                continue
            if same is None:
                same = next((t for t in row.inputs if types.get((row.frame, t)) == dtype), None)
            if same is not None:
                found.append({"frame": row.frame, "tensor": tensor, "to": "tensor", "with": same})
    return found[::-1]


def _fixed(row: Row) -> bool:
    """What is no computation, or is what fails and what is made of it."""
    return row.argument is not None or row.behind or row.op in ("Identity", "IdentityN")


def _dims(shape: str | None, dtype: str) -> list[int] | None:
    """The sizes of a static shape of this type."""
    if shape is None or is_dynamic(shape) or _KINDS.get(dtype) != shape.partition("[")[0]:
        return None
    inside = shape.partition("[")[2].partition("]")[0]
    return [int(n) for n in inside.split(",") if n]
