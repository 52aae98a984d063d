"""Diagnoses as workflow commands of GitHub Actions: `::error file=..,line=..,title=..::message`.

The runner takes a line for a command if it begins with `::`, or holds `##[` anywhere; a value ends at a line break, a
property also at a comma, and `%25`, `%0D`, `%0A`, `%3A` and `%2C` stand for what would end it. Reference:
actions/runner, `src/Runner.Common/ActionCommand.cs`, and actions/toolkit, `packages/core/src/command.ts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.report.findings import heading, status
from xladoctor.report.places import line_of, shown
from xladoctor.report.text import clip, line, lines

_WORDS = {"error": "error", "warning": "warning"}
_MESSAGE = 4000  # the runner cuts at 4096 characters
_REMEDIES = 3


def render(diagnoses: Sequence[Diagnosis]) -> str:
    """A plain line with each verdict, and below it a command for each finding, the root first."""
    return "".join(f"{said}\n" for diagnosis in diagnoses for said in _lines(diagnosis))


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    verdict = f"xladoctor: {line(diagnosis.verdict).upper()}  {line(diagnosis.source)}"
    yield verdict.replace("##[", "## [")
    for problem in diagnosis.problems:
        yield _command("error", {"title": "xladoctor: could not be read"}, problem)
    for finding in diagnosis.findings:
        yield _finding(finding)


def _finding(finding: Finding) -> str:
    place = shown(finding)
    properties = {"title": f"{finding.code} {finding.slug}: {finding.title}"}
    if place:
        number = line_of(place)
        properties = {"file": place.file, **({"line": str(number)} if number else {}), **properties}
    return _command(_WORDS.get(finding.level, "notice"), properties, _message(finding))


def _message(finding: Finding) -> str:
    said = [f"{heading(finding)} ({status(finding)}). {finding.message}"]
    if finding.location is None and finding.evidence:
        said.append(f"Seen: {line(finding.evidence[0].text)}")
    if finding.op or finding.node:
        said.append(f"Op {finding.op or '?'}" + (f", node {finding.node}" if finding.node else ""))
    said += [f"- {remedy.title} ({remedy.safety}, {remedy.result})" for remedy in finding.remedies[:_REMEDIES]]
    return "\n".join(said)


def _command(word: str, properties: dict[str, str], message: str) -> str:
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{word} {given}::{_data(clip(lines(message).strip(), _MESSAGE))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(line(text)).replace(":", "%3A").replace(",", "%2C")
