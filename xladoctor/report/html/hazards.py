"""What `lint` found as one page: a section a file, and in it each hazard with its line of code and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.report import facts, html
from xladoctor.report.html import Section, breakable, code, esc, fence, mixed, section

_LEVELS = {"error": "bad", "warning": "warn", "note": "dim"}
_BOXES = {"error": "root", "warning": "mild"}


def render(diagnosis: Diagnosis) -> str:
    """The page."""
    title = summary(diagnosis)
    serious = next((level for level in _LEVELS if any(f.level == level for f in diagnosis.findings)), "")
    head = [
        f'<p class="kicker {_LEVELS.get(serious, "ok")}">Lint</p>',
        f"<h1>{esc(title)}</h1>",
        html.facts([("Read", code(diagnosis.source))], "facts brief"),
    ]
    return html.page(diagnosis.schema, diagnosis.tool_version, f"Lint: {title}", head, list(_sections(diagnosis)))


def summary(diagnosis: Diagnosis) -> str:
    """How many findings of each level there are, in how many files."""
    counts = Counter(finding.level for finding in diagnosis.findings)
    parts = [facts.count(counts[level], level) for level in _LEVELS if counts[level]]  # type: ignore[index]
    if not parts:
        return "Nothing found"
    return f"{', '.join(parts)} in {facts.count(len(_by_file(diagnosis.findings)), 'file')}"


def _by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """The findings of each file in the order of its lines; files with what is serious first."""
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.location.file if finding.location else "", []).append(finding)
    worst = list(_LEVELS)
    ordered = sorted(files, key=lambda name: (min(worst.index(f.level) for f in files[name]), name))
    return {name: sorted(files[name], key=_line) for name in ordered}


def _line(finding: Finding) -> int:
    line = finding.location.line if finding.location else None
    return line if isinstance(line, int) else 0


def _sections(diagnosis: Diagnosis) -> Iterator[Section]:
    for number, (name, found) in enumerate(_by_file(diagnosis.findings).items(), 1):
        yield section(f"file-{number}", _below(name, diagnosis.source) or "Without a file", _file(found))
    yield from html.bullets("problems", "Could not be read", diagnosis.problems)
    yield from html.bullets("notes", "Notes", diagnosis.notes)


def _below(name: str, read: str) -> str:
    """A file by its path in the folder that was read: the head of the page names that once."""
    return name.removeprefix(f"{read.rstrip('/')}/")


def _file(found: Sequence[Finding]) -> Iterator[str]:
    for finding in found:
        where = f"Line {_line(finding)}: " if _line(finding) else ""  # a number, so nothing to escape
        level = f'<span class="{_LEVELS.get(finding.level, "dim")}">{esc(finding.level)}</span>'
        yield f'<div class="box {_BOXES.get(finding.level, "")}"><h3>{where}{level} {esc(finding.title)}</h3>'
        for proof in finding.evidence:
            place = proof.where if proof.where and not _is_here(proof.where, finding) else ""
            if place:
                yield f"<p>{breakable(place)}</p>"
            number = f"{_line(finding)} | " if proof.kind == "source" and not place and _line(finding) else ""
            yield fence(f"{number}{proof.text}")
        yield f"<p>{mixed(finding.message)} {code(finding.code)} {code(finding.slug)}</p>"
        for remedy in finding.remedies[:1]:
            yield f"<p><strong>{mixed(remedy.title)}.</strong> {mixed(remedy.how)}</p>"
        yield "</div>"


def _is_here(place: str, finding: Finding) -> bool:
    return finding.location is not None and place == finding.location.place
