"""What all renderers of a preflight say alike."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from xladoctor.report.text import line

if TYPE_CHECKING:
    from xladoctor.model.preflight import Preflight


_WORDS = {"go": "GO", "no-go": "NO-GO", "unchecked": "NOT CHECKED", "interrupted": "INTERRUPTED"}
_STYLES = {"go": "bold green", "unchecked": "bold yellow"}


def answer(found: Preflight) -> str:
    """The answer in a word."""
    return _WORDS[found.verdict]


def style(found: Preflight) -> str:
    """How it is shown on a terminal."""
    return _STYLES.get(found.verdict, "bold red")


def verdict(found: Preflight) -> str:
    """The answer; a go of some of the checks says of how many, and each check without an answer is named."""
    said = answer(found)
    if found.go and len(found.checks) < found.there_are:
        said += f" as far as was asked: {len(found.checks)} of {found.there_are} checks"
    if found.verdict in ("go", "unchecked") and found.unchecked:
        names = ", ".join(c.name for c in found.unchecked)
        said += f" (not checked: {names})" if found.go else f" ({names})"
    return said


def next_commands(found: Preflight) -> list[tuple[str, str]]:
    """(command, what it shows) after a preflight that is no go; none where nothing failed."""
    failed = [c for c in found.checks if c.state == "fail"]
    commands = []
    if found.rehearsed and any(c.name == "rehearsal" for c in failed):
        commands.append((f"xladoctor scan {quote(line(found.rehearsed))}", "the lines, the shapes and what to do"))
    slugs = dict.fromkeys(slug for c in failed for slug in c.slugs[:1])
    commands += [(f"xladoctor explain {quote(line(slug))}", "what this class of failure is") for slug in slugs]
    return commands


def plan_rows(found: Preflight) -> list[list[str]]:
    """The table of batches, with its heads; empty where none are known."""
    if not found.plan:
        return []
    rows = [["phase", "rows", "batch", "full", "last", "epochs", "ran", "from"]]
    for b in found.plan:
        numbers = ["?" if n is None else str(n) for n in (b.rows, b.size, b.full, b.last)]
        irregular = b.full is None and b.observed
        if irregular:
            numbers[1:] = [" ".join(map(str, b.sizes)), "", ""]
        origin = f"{b.origin}; {b.unknown}" if b.unknown else b.origin
        rows.append([b.phase, *numbers, str(b.epochs or ""), "" if b.ran is None else str(b.ran), origin])
    return rows
