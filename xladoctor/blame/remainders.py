"""Divisions that leave a rest, where the sizes that do not fit come from one: the two numbers are at fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.values import Array, Clash, Origin
from xladoctor.sources.names import walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_FAR = 8


def of_remainders(clash: Clash, run: Follower) -> Iterator[Candidate]:
    """The lines in which the numbers stand that do not divide each other."""
    seen: set[tuple[str, int]] = set()
    wanted = [d.origin for v in clash.values if isinstance(v, Array) for d in v.dims or ()]
    for start in dict.fromkeys([*(side.origin for side in clash.sides), *wanted]):
        for origin, _ in chain(start, _FAR):
            at = (origin.file, origin.line)
            numbers = _divided(at, run) if "//" in origin.text and at not in seen else None
            seen.add(at)
            if numbers is None:
                continue
            reason = f"{numbers[0]} does not divide by {numbers[1]}: {numbers[0] % numbers[1]} is left over."
            for number in numbers:
                place = _written(origin, number)
                if place is not None:
                    yield Candidate(*place, 7.5, reason, None, "constant", strong=True)


def _divided(at: tuple[str, int], run: Follower) -> tuple[int, int] | None:
    """The two numbers of a division at a line that leaves a rest."""
    source = run.files.source(at[0])
    for node in walk(source.tree) if source is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and node.lineno == at[1]:
            left, right = run.numbers.get(node.left, set()), run.numbers.get(node.right, set())
            if len(left) == len(right) == 1:
                whole, part = next(iter(left)), next(iter(right))
                if part > 1 and whole > part and whole % part:
                    return whole, part
    return None


def _written(origin: Origin, number: int) -> tuple[str, int] | None:
    """Where a number stands as such on the way to a division."""
    for parent, depth in chain(origin, _FAR):
        if depth and parent.kind == "constant" and parent.text == str(number):
            return parent.file, parent.line
    return None
