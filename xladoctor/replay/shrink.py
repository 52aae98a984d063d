"""Fewer and fewer ops around a failing one: which of many simplifications keep the failure. Nothing runs here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xladoctor.evidence.hlo import Module, is_dynamic

Edit = dict[str, Any]
Row = Mapping[str, Any]
_KINDS = {
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
    "bool": "pred",
    "float16": "f16",
}
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
    for row in rows:
        for i in range(len(row["dtypes"])):
            shape = by_name.get((row["node"], i))
            if shape is None and row["op"] in ("Identity", "IdentityN") and i < len(row["inputs"]):
                shape = known.get((row["frame"], row["inputs"][i]))
            if shape is not None:
                known[row["frame"], f"{row['node']}:{i}"] = shape
    return known


def cuts(rows: Sequence[Row], known: Mapping[tuple[str, str], str]) -> list[Edit]:
    """Arguments (zeros, in a body) in the place of numbers whose shape is known, the last ones first."""
    found: list[Edit] = []
    for row in reversed(rows):
        if row["op"] in ("If", "StatelessIf"):
            found.append({"frame": row["frame"], "tensor": row["inputs"][0], "to": "argument", "shape": []})
        if row["argument"] or row["behind"] or row["op"] in ("Const", "Identity", "IdentityN"):
            continue
        for i, dtype in enumerate(row["dtypes"]):
            tensor = f"{row['node']}:{i}"
            dims = _dims(known.get((row["frame"], tensor)), dtype)
            if dims is not None:
                found.append({"frame": row["frame"], "tensor": tensor, "to": "argument", "shape": dims})
    return found


def constants(rows: Sequence[Row], values: Mapping[str, Any]) -> list[Edit]:
    """The integers that were seen, in the place of what computes them."""
    found: list[Edit] = []
    for row in reversed(rows):
        if row["frame"] or row["argument"] or row["behind"] or row["op"] == "Const":
            continue
        for i, dtype in enumerate(row["dtypes"]):
            tensor = f"{row['node']}:{i}"
            if dtype in ("int32", "int64") and tensor in values:
                found.append({"frame": "", "tensor": tensor, "to": "value", "value": values[tensor]})
    return found


def jumps(rows: Sequence[Row], known: Mapping[tuple[str, str], str]) -> list[Edit]:
    """The first tensor of a type and shape in the place of later ones that come from it; the last ones first."""
    before: dict[tuple[str, str], set[str]] = {}
    found: list[Edit] = []
    types = {(r["frame"], f"{r['node']}:{i}"): d for r in rows for i, d in enumerate(r["dtypes"])}
    for row in rows:
        behind: set[str] = set()
        for tensor in row["inputs"]:
            behind |= {tensor} | before.get((row["frame"], tensor), set())
        for i, dtype in enumerate(row["dtypes"]):
            tensor = f"{row['node']}:{i}"
            before[row["frame"], tensor] = behind
            shape = known.get((row["frame"], tensor))
            if shape is None or not is_dynamic(shape) or row["behind"] or row["op"] in ("Identity", "IdentityN"):
                continue
            same = [
                t for t in behind if known.get((row["frame"], t)) == shape and types.get((row["frame"], t)) == dtype
            ]
            if same:
                first = min(same, key=lambda t: len(before.get((row["frame"], t), ())))
                found.append({"frame": row["frame"], "tensor": tensor, "to": "tensor", "with": first})
    return found[::-1]


def _dims(shape: str | None, dtype: str) -> list[int] | None:
    """The sizes of a static shape of this type."""
    if shape is None or is_dynamic(shape) or _KINDS.get(dtype) != shape.partition("[")[0]:
        return None
    inside = shape.partition("[")[2].partition("]")[0]
    return [int(n) for n in inside.split(",") if n]
