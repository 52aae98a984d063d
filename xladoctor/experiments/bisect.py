"""The first of a row of ops with which a program fails, by bisection. Nothing here knows of graphs or workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from xladoctor.model.replay import Signature

Try = Signature | None | Literal["unknown"]
"""A failure, nothing wrong, or that it could not be tried."""


@dataclass(frozen=True)
class Found:
    """`number` is the first op with which it fails so (from 1); None if that could not be settled, and why (`note`)."""

    number: int | None
    signature: Signature | None
    tries: int
    others: tuple[tuple[int, Signature], ...] = ()
    """Other failures that were met on the way, and with how many ops."""
    note: str | None = None


def first_failing(attempt: Callable[[int], Try], ops: int, wanted: Signature | None = None) -> Found:
    """The smallest k for which `attempt(k)`, the first k of `ops` ops, fails in the wanted way.

    Without `wanted`, in the way in which all of them fail. Takes at most 1 + ceil(log2(ops)) attempts. It is relied on
    that what fails with the first k ops fails with more of them. An attempt that shows another failure is taken as one
    that does not show the wanted one, and one that could not be made as one that may.
    """
    whole = attempt(ops)
    tries = 1
    if whole is None:
        return Found(None, None, tries, note="with all ops it does not fail")
    if wanted is None and isinstance(whole, Signature):
        wanted = whole
    low, high = 0, ops  # with `low` ops it does not fail so, with `high` it does or may
    seen: Signature | None = whole if isinstance(whole, Signature) and _same(whole, wanted) else None
    others: list[tuple[int, Signature]] = []
    if isinstance(whole, Signature) and seen is None:
        others.append((ops, whole))
    while high - low > 1:
        middle = (low + high) // 2
        found = attempt(middle)
        tries += 1
        if found == "unknown":
            high, seen = middle, None
        elif found is not None and _same(found, wanted):
            high, seen, wanted = middle, found, wanted or found
        else:
            low = middle
            if found is not None:
                others.append((middle, found))
    if seen is None:
        return Found(None, None, tries, tuple(others), "no part that could be tried failed in the same way")
    return Found(high, seen, tries, tuple(others))


def _same(found: Signature, wanted: Signature | None) -> bool:
    return wanted is None or found == wanted
