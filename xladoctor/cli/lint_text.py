"""The findings of `lint` on a terminal: one line that an editor can jump to, and what it means, for each."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from xladoctor.report.text import clip, line, lines

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
    if finding.details.get("fix"):
        page.para(finding.details["fix"], indent=4, hang=2, first="--fix: ")
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
    safe = sum("fix" in finding.details for finding in diagnosis.findings)
    return f"xladoctor lint: {', '.join(said) or 'nothing found'}" + (f" ({safe} fixable with --fix)" if safe else "")


def statistics(diagnosis: Diagnosis, format: str) -> str:
    """How often each code was found, the most frequent first, and of how many --fix can make a fix."""
    counts = Counter((finding.code, finding.slug) for finding in diagnosis.findings)
    safe = Counter(finding.code for finding in diagnosis.findings if "fix" in finding.details)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    if format == "json":
        found = [{"code": code, "class": slug, "count": n, "fixable": safe[code]} for (code, slug), n in rows]
        whole = {"schema": "xladoctor.lint-statistics/1", "statistics": found, "problems": list(diagnosis.problems)}
        return json.dumps(whole, indent=1) + "\n"
    width = len(str(max(counts.values(), default=0)))
    text = [f"{n:>{width}}  {code}  {'[*]' if safe[code] else '[ ]'}  {slug}" for (code, slug), n in rows]
    text += [f"could not be read: {lines(problem)}" for problem in diagnosis.problems]
    if safe:
        text.append(f"[*] fixable with --fix: {safe.total()} of {counts.total()}")
    return "".join(f"{row}\n" for row in text) or "nothing found\n"
