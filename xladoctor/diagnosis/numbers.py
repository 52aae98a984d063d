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


@dataclass(frozen=True)
class Name:
    """A name that had a value in the run: an axis of a contract, an expression over such axes, or a setting."""

    name: str
    value: int
    by: str
    rank: int = 0


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
    settings: Iterable[tuple[str, int, str]],
    local: Iterable[Binding] = (),
) -> tuple[Name, ...]:
    """Every name that can explain a size: axes, expressions over them, settings, local axes of other places."""
    found = [Name(b.name, b.value, b.by, 0) for b in bindings.values()]
    values = {b.name: b.value for b in bindings.values()}
    for expression in dict.fromkeys(expressions):
        value = evaluate(expression, values)
        if value is not None:
            parts = ", ".join(f"{n} = {v}" for n, v in values.items() if n in expression)
            found.append(Name(expression, value, parts, 1))
    known = {n.name for n in found}
    found.extend(Name(name, value, by, 2) for name, value, by in settings if name not in known)
    found.extend(Name(b.name, b.value, b.by, 3) for b in local if b.name not in known)
    return tuple(found)


def explain(number: int, shape: Sequence[int], seen: str, names: Sequence[Name]) -> Explained | None:
    """The number as the product of `shape`, or None if it is not that product."""
    if math.prod(shape) != number:
        return None
    return Explained(number, tuple(shape), tuple(factor(size, names) for size in shape), seen)


def factor(size: int, names: Sequence[Name]) -> Factor:
    """A size with the names that had it: axes of the contract in question and expressions over them; else settings;
    else the local names of other places.
    """
    if size == 1:
        return Factor(1)
    same = sorted((n for n in names if n.value == size), key=lambda n: n.rank)
    best = [n for n in same if n.rank < 2] or [n for n in same if n.rank == 2]
    return Factor(size, tuple(best or same))


def coincidences(number: int, shape: Sequence[int]) -> tuple[str, ...]:
    """Tempting other readings of the number that the seen shape refutes: a square, such as 156*156."""
    root = math.isqrt(number)
    sizes = [n for n in shape if n != 1]
    if root * root != number or sizes == [root, root] or len(sizes) < 2:
        return ()
    return (f"{root}*{root}",)
