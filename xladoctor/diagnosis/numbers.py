"""Where the numbers of a message come from: 778752 = 128*78*78, and 128 = B*C.

A number can be factorised in many ways; what is asserted here is only what was seen: the shape of the tensor that an op
really had (from a worker, or printed by the log), each of its sizes with the names that had this value in the run, and
who gave the names their values. A size that several names share is shown with all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xladoctor.diagnosis.contracts import Binding, evaluate
from xladoctor.model.trace import Name as Name

# Which names come first: axes of the contract in question, expressions over them, axes of other places.
_AXIS, _EXPRESSION, _LOCAL = range(3)


@dataclass(frozen=True)
class Factor:
    """One size and the names that had it, likeliest first. Several names: ambiguous."""

    size: int
    names: tuple[Name, ...] = ()

    @property
    def ambiguous(self) -> bool:
        """True if more than one name had this value."""
        return len(self.names) > 1

    def __str__(self) -> str:
        return str(self.size) + (f" ({' or '.join(n.name for n in self.names)})" if self.names else "")


@dataclass(frozen=True)
class Explained:
    """A number as the product of a shape that was seen."""

    number: int
    shape: tuple[int, ...]
    factors: tuple[Factor, ...]
    seen: str

    @property
    def product(self) -> str:
        """The number as it is made: `128*78*78` (sizes of 1 left out)."""
        sizes = [str(n) for n in self.shape if n != 1]
        return "*".join(sizes) or "1"

    @property
    def named(self) -> str:
        """The same with names: `(B*C)*P*P`, the names of an ambiguous size joined by `|`."""
        texts = ["|".join(n.name for n in f.names) or str(f.size) for f in self.factors if f.size != 1]
        if len(texts) < 2:
            return texts[0] if texts else "1"
        return "*".join(f"({text})" if "*" in text or "|" in text else text for text in texts)


def names_of(
    bindings: Mapping[str, Binding],
    expressions: Iterable[str],
    local: Iterable[Binding] = (),
) -> tuple[Name, ...]:
    """Every name that can explain a size: axes, expressions over them, local axes of other places.

    No settings: `offset = 4` is not why there are 4 channels.
    """
    found = [Name(b.name, b.value, b.by, _AXIS) for b in bindings.values()]
    values = {b.name: b.value for b in bindings.values()}
    for expression in dict.fromkeys(expressions):
        value = evaluate(expression, values)
        if value is not None:
            parts = ", ".join(f"{n} = {v}" for n, v in values.items() if n in expression)
            found.append(Name(expression, value, parts, _EXPRESSION))
    known = {n.name for n in found}
    found.extend(Name(b.name, b.value, b.by, _LOCAL) for b in local if b.name not in known)
    return tuple(found)


def explain(number: int, shape: Sequence[int | None], seen: str, names: Sequence[Name]) -> Explained | None:
    """The number as the product of `shape`, or None if it is not that product, or a size is not known (None)."""
    sizes = tuple(size for size in shape if size is not None)
    if len(sizes) < len(shape) or math.prod(sizes) != number:
        return None
    return Explained(number, sizes, tuple(factor(size, names) for size in sizes), seen)


def factor(size: int, names: Sequence[Name]) -> Factor:
    """A size with the names that had it: axes of the contract in question, else expressions over them, else the axes of
    other places.
    """
    if size == 1:
        return Factor(1)
    same = sorted((n for n in names if n.value == size), key=lambda n: n.rank)
    for rank in (_AXIS, _EXPRESSION, _LOCAL):
        best = tuple(n for n in same if n.rank == rank)
        if best:
            return Factor(size, best)
    return Factor(size)


def coincidences(explained: Explained) -> tuple[str, ...]:
    """Tempting other readings of the number that the seen shape refutes: a square of a named size, such as
    (2*78)*(2*78).
    """
    root = math.isqrt(explained.number)
    sizes = [n for n in explained.shape if n != 1]
    if root * root != explained.number or sizes == [root, root] or len(sizes) < 2:
        return ()
    named = any(root % f.size == 0 for f in explained.factors if f.names and f.size > 1)
    return (f"{root}*{root}",) if named else ()
