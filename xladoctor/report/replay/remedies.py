"""Remedies that were tried: what came of each, at which price."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xladoctor.report.document import Bullets, Item, Part
from xladoctor.report.replay.words import count

if TYPE_CHECKING:
    from xladoctor.model.replay import Replay, Tested

_STYLES = {"cured": "green", "worse": "red", "not applicable": "dim"}


def part(found: Replay, all_of_it: bool) -> Part | None:
    """One point a remedy; what changes the numbers is told loudly."""
    if not found.remedies:
        return None
    trials = Bullets(tuple(Item(said(one), verdict(one), _style(one)) for one in _ordered(found)))
    return Part("remedies", "Remedies", f"{count(len(found.remedies), 'trial')}, in worker processes", (trials,))


def _style(one: Tested) -> str:
    return "bold red" if one.changes_numerics else _STYLES.get(one.result, "")


def verdict(one: Tested) -> str:
    """Cured, or what else came of it."""
    if one.changes_numerics and one.result == "cured":
        return "no error any more, but other numbers"
    if one.result == "unverified":
        return "it passes, its numbers not verified"
    return one.result


def said(one: Tested) -> str:
    """One remedy in a sentence, with what came of it besides the verdict."""
    title = f"{one.title} ({one.how})" if one.how else one.title
    return "; ".join([title, *_more(one)])


def _more(one: Tested) -> Iterator[str]:
    if one.result == "another failure" and one.signature is not None:
        yield one.signature.slug + (f" ({one.signature.op})" if one.signature.op else "")
    if one.message:
        yield one.message
    if one.result == "cured" and one.deviation is not None and not one.changes_numerics:
        yield f"deviation from the reference {one.deviation:.2g}"
    if one.speed_ratio is not None:
        yield f"{one.speed_ratio:.2g} times as fast as the reference, which runs plainly"


def _ordered(found: Replay) -> list[Tested]:
    rank = {"cured": 0, "unverified": 1, "another failure": 2, "no effect": 3, "worse": 4, "not applicable": 5}
    return sorted(found.remedies, key=lambda t: rank[t.result] + (1 if t.changes_numerics else 0))
