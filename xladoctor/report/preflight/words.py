"""What all renderers of a preflight say alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xladoctor.preflight.model import Preflight


def answer(found: Preflight) -> str:
    """The answer in a word."""
    if found.interrupted:
        return "INTERRUPTED"
    return "GO" if found.go else "NO-GO"


def verdict(found: Preflight) -> str:
    """The answer; a go of some of the checks says of how many."""
    if found.go and len(found.checks) < found.there_are:
        return f"{answer(found)} as far as was asked: {len(found.checks)} of {found.there_are} checks"
    return answer(found)


def plan_rows(found: Preflight) -> list[list[str]]:
    """The table of batches, with its heads; empty where none are known."""
    if not found.plan:
        return []
    rows = [["phase", "rows", "batch", "full", "last", "epochs", "from"]]
    for b in found.plan:
        numbers = [b.rows, b.size, b.full, b.last, b.epochs]
        rows.append([b.phase, *("?" if n is None else str(n) for n in numbers[:4]), str(b.epochs or ""), b.origin])
    return rows
