"""What makes a line suspect: its weight by what it does, and the way back from a size to its makers.

The weights say which reason a line is given, and how little doubt it leaves; `ranking` orders the lines. A number
in the source is more often wrong than data that were read.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from xladoctor.blame.values import Array, Clash, Layer, Origin
from xladoctor.model.blame import Edit

WEIGHT = {
    "layer": 5.0, "reshape": 5.0, "variable": 4.8, "input": 4.5, "placeholder": 4.5, "constant": 4.0, "slice": 3.6,
    "operation": 3.4, "stage": 3.0, "batch-size": 3.0, "loss": 3.0, "config": 4.0, "column": 2.6, "array": 2.4,
    "split": 2.0, "generator": 2.0, "call": 1.6, "read": 1.2, "assignment": 1.4, "argument": 1.4, "attribute": 1.4,
}  # fmt: skip
_LONGEST = 400
_WINDOW = re.compile(r"[^:]+:[^:]+")
"""A slice with both its ends, of a few of the rows: `start:start + length`."""


Found = tuple[int, float, str]
"""A line, the weight of the reason, and the reason."""


@dataclass(frozen=True)
class Candidate:
    """A line with the reason to suspect it."""

    file: str
    line: int
    weight: float
    reason: str
    operand: int | None = None
    edit: Edit = "other"
    strong: bool = False
    """Whether the reason tells this side from the other."""
    outnumbered: bool = False
    """The reason is no broken convention: more lines have the size of the other side."""


@dataclass(frozen=True)
class Facts:
    """What the whole program says of sizes: how many lines agree on each, and how many samples there are."""

    votes: dict[int, set[tuple[str, int]]]
    samples: frozenset[int]
    uses: dict[Origin, set[tuple[str, int]]]
    """The lines that use a constant for a size."""

    def agree(self, size: int | None, without: set[tuple[str, int]]) -> int:
        """How many other lines have this size."""
        return len(self.votes.get(size, set()) - without) if size is not None else 0


def facts(arrays: list[Array], reads: dict[Origin, set[tuple[str, int]]]) -> Facts:
    """What the arrays of a program say."""
    votes: dict[int, set[tuple[str, int]]] = {}
    uses = {origin: set(lines) for origin, lines in reads.items()}
    samples: Counter[int] = Counter()
    for found in arrays:
        for i, axis in enumerate(found.dims or ()):
            if axis.size is None or axis.origin is None:
                continue
            if found.kind != "frame":
                votes.setdefault(axis.size, set()).add((axis.origin.file, axis.origin.line))
            for parent in axis.origin.parents:
                if parent.kind in ("constant", "argument"):
                    uses.setdefault(parent, set()).add((axis.origin.file, axis.origin.line))
            is_window = axis.origin.kind == "slice" and _WINDOW.fullmatch(axis.origin.text) is not None
            if i == 0 and found.kind in ("array", "frame") and len(found.dims or ()) > 1 and not is_window:
                samples[axis.size] += 1
    return Facts(votes, frozenset(samples), uses)


def ranked(found: list[Candidate]) -> list[Candidate]:
    """Each line once, the likeliest first."""
    best: dict[tuple[str, int], Candidate] = {}
    for candidate in found:
        key = (candidate.file, candidate.line)
        if key not in best or best[key].weight < candidate.weight:
            best[key] = candidate
    return sorted(best.values(), key=lambda c: -c.weight)


def chain(origin: Origin | None, far: int = 6) -> Iterator[tuple[Origin, int]]:
    """An origin and what it was made from, with the distance; each line once."""
    todo = deque([(origin, 0)] if origin is not None else [])
    seen: set[tuple[str, int]] = set()
    known = {origin}
    while todo:
        here, depth = todo.popleft()
        if (here.file, here.line) not in seen:
            seen.add((here.file, here.line))
            yield here, depth
        new = [p for p in here.parents if p not in known] if depth < far and len(known) < _LONGEST else []
        known.update(new)
        todo += [(parent, depth + 1) for parent in new]


def conventions(file: str, found: Iterable[Found], lines: Container[tuple[str, int]]) -> Iterator[Candidate]:
    """Lines of a file for which a convention speaks, as far as they are among these."""
    yield from (Candidate(file, at, w, why, None, "other", True) for at, w, why in found if (file, at) in lines)


def edit_of(origin: Origin) -> Edit:
    """What kind of edit of a line would change its size."""
    by_kind: dict[str, Edit] = {
        "layer": "units", "input": "input-shape", "placeholder": "input-shape", "reshape": "reshape", "slice": "slice",
        "batch-size": "batch-size", "variable": "constant", "constant": "constant", "array": "constant",
    }  # fmt: skip
    return by_kind.get(origin.kind, "other")


def at_origin(origin: Origin | None, weight: float, reason: str, i: int | None, edit: Edit) -> Iterator[Candidate]:
    """The line of an origin, if there is one, as one that its reason tells from the others."""
    if origin is not None:
        yield Candidate(origin.file, origin.line, weight, reason, i, edit, True)


def at_failure(clash: Clash, weight: float, reason: str, edit: Edit, strong: bool = True) -> Iterator[Candidate]:
    """The line that raised."""
    if clash.stack:
        file, line = clash.stack[-1]
        yield Candidate(file, line, weight, reason, None, edit, strong)


def history(value: Array, far: int = 200) -> Iterator[Array]:
    """An array and what it was made from along its first input, last first."""
    here: Array | None = value
    while here is not None and far:
        yield here
        here, far = (here.inputs[0] if here.inputs else None), far - 1


def shaper(value: Array) -> Array:
    """What gave an array its shape: without the layers after it that keep every size."""
    for here in history(value):
        if not here.inputs or here.inputs[0].sizes != here.sizes or not isinstance(here.made_by, Layer):
            return here
        if here.made_by.cls in ("Dense", "LSTM", "GRU", "SimpleRNN", "Reshape"):
            return here
    return value


def all_before(value: Array, most: int = 400) -> Iterator[Array]:
    """An array and all that it was made from."""
    todo, seen = [value], {id(value)}
    while todo and most:
        here, most = todo.pop(), most - 1
        yield here
        new = [v for v in here.inputs if id(v) not in seen]
        seen |= {id(v) for v in new}
        todo += new


def misses_one(got: list[int | None], asked: list[int | None]) -> bool:
    """Whether one axis fewer is there, of size 1."""
    return any(size == 1 and [*asked[:i], *asked[i + 1 :]] == got for i, size in enumerate(asked))


def product_of(sizes: list[int | None]) -> int | None:
    """The product of sizes; None where one is not known."""
    total = 1
    for size in sizes:
        if size is None:
            return None
        total *= size
    return total
