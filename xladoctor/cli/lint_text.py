"""The findings of `lint` on a terminal: one line that an editor can jump to, and what it means, for each."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from xladoctor.report.text import clip, line

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis, Finding
    from xladoctor.report.page import Page

_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold"}
_SOURCE = 110


def as_console(diagnosis: Diagnosis, page: Page, verbose: bool, quiet: bool) -> str:
    """All findings, warnings first; with `quiet` the count alone, with `verbose` the source, the way and the remedy."""
    for finding in () if quiet else diagnosis.findings:
        _finding(page, finding, verbose)
    for problem in diagnosis.problems:
        page.para(problem, indent=0, hang=2, style="bold yellow", first="could not be read: ")
    for note in diagnosis.notes if verbose else diagnosis.notes[1:]:
        if not quiet:
            page.para(note, indent=0, hang=2, style="dim")
    page.parts((_summary(diagnosis), "bold"))
    return page.text()


def _finding(page: Page, finding: Finding, verbose: bool) -> None:
    place = finding.location
    where = f"{place.file}:{place.line}" if place and place.line else place.file if place else ""
    column = finding.details.get("column")
    if place and place.line and column:
        where += f":{column}"
    if not (place and place.line) and finding.details.get("cell"):
        where += f":cell {finding.details['cell']}:{finding.details['cell_line']}"
    head = ((where, "cyan"), (f" {finding.level}", _STYLES.get(finding.level, "")), (f" {finding.code}", "bold"))
    page.parts(*head, (f" {finding.slug}", ""))
    page.para(finding.message, indent=4)
    if finding.details.get("leads_to"):
        page.parts((f"becomes {finding.details['leads_to']}", "dim"), indent=4)
    shown = finding.evidence[1:] if not verbose else finding.evidence
    for proof in shown[: None if verbose else 1]:
        page.parts((clip(line(proof.text), _SOURCE), "dim"), indent=4)
    if verbose:
        for remedy in finding.remedies[:2]:
            page.para(f"{remedy.title}: {remedy.how}", indent=4, hang=2, first="- ")


def _summary(diagnosis: Diagnosis) -> str:
    counts = Counter(finding.level for finding in diagnosis.findings)
    said = [
        f"{counts[level]} {level}{'' if counts[level] == 1 else 's'}"
        for level in ("error", "warning", "note")
        if counts[level]
    ]
    return f"xladoctor lint: {', '.join(said) or 'nothing found'}"
