"""Diagnoses for GitLab: a Code Quality report, which merge requests show beside the lines that it names.

A list of issues with `description`, `check_name`, `fingerprint`, `severity` and `location`. GitLab compares the
fingerprints of two pipelines, so they are made of what stays the same from run to run: class, file, line and message
without its numbers. Reference: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from xladoctor.report.exports import Export

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis, Finding

_SEVERITIES = {"error": "critical", "warning": "minor", "note": "info"}


def render(diagnoses: Sequence[Diagnosis]) -> str:
    """One list of all findings, and of what could not be read. No two of them have the same fingerprint."""
    import json

    issues: list[dict[str, Any]] = []
    count: dict[str, int] = {}
    for identity, issue in (found for diagnosis in diagnoses for found in _issues(diagnosis)):
        count[identity] = count.get(identity, 0) + 1
        issues.append({**issue, "fingerprint": _digest(f"{identity}\0{count[identity]}")})
    return json.dumps(issues, indent=1) + "\n"


def _issues(diagnosis: Diagnosis) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each issue, with what tells it from others in every run."""
    for problem in diagnosis.problems:
        yield _issue("unreadable", "blocker", problem, diagnosis.source, 1)
    for finding in diagnosis.findings:
        yield _finding(finding, diagnosis.source)


def _finding(finding: Finding, source: str) -> tuple[str, dict[str, Any]]:
    """A finding at the user's line; one that has none stands at the beginning of what was read."""
    from xladoctor.report.places import line_of, shown

    place = shown(finding)
    file, number = (place.file, line_of(place) or 1) if place else (source, 1)
    said = f"{finding.code} {finding.title}: {finding.message}"
    return _issue(finding.slug, _SEVERITIES.get(finding.level, "info"), said, file, number)


def _issue(name: str, severity: str, said: str, file: str, number: int) -> tuple[str, dict[str, Any]]:
    import re

    from xladoctor.report.text import line

    path = line(file).removeprefix("./") or "unknown"
    issue = {
        "check_name": f"xladoctor/{name}",
        "severity": severity,
        "description": line(said),
        "location": {"path": path, "lines": {"begin": number}},
    }
    words = re.sub(r"\d+", "#", said)
    return "\0".join((name, path, str(number), words)), issue


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:40]


EXPORT = Export("gitlab", render, ending=".codequality.json", begins=(b'[\n {\n  "check_name": "xladoctor/', b"[]\n"))
