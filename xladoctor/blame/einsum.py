"""`einsum`: each letter is one size, wherever it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xladoctor.blame.values import Array, Dim, Value, array, text, unknown

if TYPE_CHECKING:
    from xladoctor.blame.arguments import Args, Kwargs
    from xladoctor.blame.follow import Follower

_PLAIN = re.compile(r"[A-Za-z]*(?:,[A-Za-z]*)*(?:->[A-Za-z]*)?")


def summed(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """What `einsum(equation, ...)` gives; a clash where a letter has two sizes, or an operand another rank."""
    equation = (text(args[0]) or "").replace(" ", "") if args else ""
    given = [array(v) for v in args[1:]]
    terms, arrow, out = equation.partition("->")
    letters = terms.split(",")
    origin = run.origin("operation", "`einsum`", *args[1:])
    if not equation or not _PLAIN.fullmatch(equation) or len(letters) != len(given):
        return unknown(*args[1:])
    sizes: dict[str, tuple[Array, int, Dim]] = {}
    for term, found in zip(letters, given, strict=True):
        if found is None or found.dims is None:
            continue
        if len(term) != len(found.dims):
            sides = [Dim(len(found.dims), found.origin), Dim(len(term), args[0].origin)]
            run.clash("rank", "`einsum`", [found, args[0]], [None, None], sides)
            continue
        for i, (letter, axis) in enumerate(zip(term, found.dims, strict=True)):
            _met(run, sizes, letter, (found, i, axis))
    if not arrow:
        out = "".join(sorted(c for c in set(terms) - {","} if terms.count(c) == 1))
    dims = [sizes[c][2] if c in sizes else Dim(None, origin) for c in out]
    made = Array(dims, origin, "tensor")
    made.inputs = tuple(a for a in given if a is not None)
    return made


def _met(run: Follower, sizes: dict[str, tuple[Array, int, Dim]], letter: str, new: tuple[Array, int, Dim]) -> None:
    """A letter with one more size."""
    old = sizes.get(letter)
    if old is None or (old[2].size is None and new[2].size is not None):
        odd = old is not None and old[2].batch and new[1] > 0
        sizes[letter] = new
    else:
        odd = old[2].size is not None and new[2].size is not None and old[2].size != new[2].size
        odd = odd or (new[2].batch and new[2].size is None and old[1] > 0 and old[2].size is not None)
    if odd and old is not None:
        run.clash("equal", "`einsum`", [old[0], new[0]], [old[1], new[1]], [old[2], new[2]])
