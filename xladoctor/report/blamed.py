"""What is to blame, for the first screen: the line at fault, what does not fit, the other suspects, where it raised."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.model.diagnosis import Finding, Location
from xladoctor.model.frozen import dataclass

_SHOWN = 2


@dataclass(frozen=True)
class Row:
    """One line of source with what is said of it."""

    what: str
    location: Location
    reason: str = ""


def heading(finding: Finding) -> str:
    """What stands before the place of a finding."""
    if not finding.suspects or not moved(finding):
        return "at"
    return "likely at fault:" if finding.suspects[0].likeliness == "likely" else "perhaps at fault:"


def moved(finding: Finding) -> bool:
    """Whether another line is suspected than the one that raised."""
    return isinstance(finding.raised_at, Location) and not _same(finding.raised_at, finding.location)


def why(finding: Finding) -> str:
    """What does not fit, and why the first line is suspected; empty where no line is."""
    if not finding.suspects:
        return ""
    from xladoctor.model.blame import Constraint, Suspect

    said = finding.constraint.text if isinstance(finding.constraint, Constraint) else ""
    first = finding.suspects[0]
    if not (said or moved(finding)):
        return ""
    reason = first.reason if isinstance(first, Suspect) and _same(first.location, finding.location) else ""
    return f"{said} {reason}".strip()


def rows(finding: Finding, most: int = _SHOWN) -> Iterator[Row]:
    """The other lines, likeliest first: suspects, and where it raised."""
    if not finding.suspects:
        return
    others = [
        s
        for s in finding.suspects
        if s.specific and isinstance(s.location, Location) and not _same(s.location, finding.location)
    ]
    raised = finding.raised_at
    for suspect in [s for s in others if not _same(s.location, raised)][: most - 1]:
        yield Row("or", suspect.location, suspect.reason)
    if raised is not None and moved(finding):
        yield Row("raised at" if finding.level == "error" else "used at", raised)


def _same(one: Location | None, other: Location | None) -> bool:
    return (
        one is not None
        and other is not None
        and (one.file, one.line, one.cell)
        == (
            other.file,
            other.line,
            other.cell,
        )
    )
