"""What a check's function returns: a state and its reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xladoctor.model.diagnosis import Finding
from xladoctor.model.preflight import State
from xladoctor.report.headline import headline
from xladoctor.workers.classify import UNKNOWN


@dataclass(frozen=True)
class Verdict:
    """As in `Check`, without what the runner knows (name, title, seconds)."""

    state: State
    message: str
    todo: str | None = None
    slugs: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


def of_findings(findings: Sequence[Finding], state: State, message: str) -> Verdict:
    """Findings of the doctor as the reason of a verdict; the first is what to begin with."""
    first = findings[0]
    todo = f"{first.remedies[0].title}: {first.remedies[0].how}" if first.remedies else None
    where = f" ({first.location})" if first.location else ""
    return Verdict(state, f"{message}: {headline(first)}{where}", todo, slugs(findings), details(findings))


def slugs(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The classes, each once."""
    return tuple(dict.fromkeys(f.slug for f in findings))


def details(findings: Iterable[Finding]) -> tuple[str, ...]:
    """A line each."""
    return tuple(f"{f.code} {f.slug}: {headline(f)}" for f in findings)


def explained(slug: str | None) -> str | None:
    """The command that says more of a class; None of one that is not known."""
    from xladoctor.rules import UnknownRule, by_slug

    if slug is None or slug == UNKNOWN:
        return None
    try:
        by_slug(slug)
    except UnknownRule:
        return None
    return f"xladoctor explain {slug}"
