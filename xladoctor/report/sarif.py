"""Diagnoses as SARIF 2.1.0, for code scanning services and editors: one run a source, one result a finding.

A result points at the user's line, or else at the line of the log that says it; the lines of the evidence are related
locations. The rules carry the texts of `xladoctor explain`.
Reference: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from xladoctor.model.diagnosis import Diagnosis, Finding, Location
from xladoctor.report.json_ import plain
from xladoctor.report.places import evidence_places, line_of, shown
from xladoctor.report.text import line, lines, stop

SCHEMA_URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = ("error", "warning", "note")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_RELATED = 8
# What only this tool has: kept as properties, with the keys of the diagnosis.
_OWN = ("role", "status", "op", "node", "device", "dims", "layer", "evidence", "remedies", "details")


def render(diagnoses: Sequence[Diagnosis]) -> str:
    """The log, as JSON in ASCII."""
    log = {
        # First, so that `--output` knows its own files.
        "properties": {"schema": "xladoctor.sarif/1"},
        "$schema": SCHEMA_URI,
        "version": "2.1.0",
        "runs": [_run(diagnosis) for diagnosis in diagnoses],
    }
    return json.dumps(log, indent=2, allow_nan=False) + "\n"


def _run(diagnosis: Diagnosis) -> dict[str, Any]:
    codes = list(dict.fromkeys(str(finding.code) for finding in diagnosis.findings))
    first = {str(finding.code): finding for finding in reversed(diagnosis.findings)}
    driver = {
        "name": "xladoctor",
        "version": line(diagnosis.tool_version) or "unknown",
        "rules": [_rule(code, first[code]) for code in codes],
    }
    said = [("error", text) for text in diagnosis.problems] + [("note", text) for text in diagnosis.notes]
    invocation: dict[str, Any] = {
        # Whether the analysis could be made; the verdict is about the program that was looked at.
        "executionSuccessful": not diagnosis.problems,
        "toolExecutionNotifications": [{"level": level, "message": _message(text)} for level, text in said],
    }
    return {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, codes.index(str(finding.code))) for finding in diagnosis.findings],
        "properties": {"verdict": plain(diagnosis.verdict), "source": plain(diagnosis.source)},
    }


def _rule(code: str, finding: Finding) -> dict[str, Any]:
    from xladoctor.rules import UnknownRule, by_code

    try:
        rule = by_code(code)
    except UnknownRule:
        # A diagnosis that another version wrote.
        return {"id": code, "name": line(finding.slug), "shortDescription": _message(finding.title)}
    help_text = f"{rule.why}\n\nHow to tell it apart: {rule.tell_apart}"
    return {
        "id": rule.code,
        "name": rule.slug,
        "shortDescription": _message(rule.title),
        "fullDescription": _message(rule.what),
        "help": _message(help_text),
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": ["tensorflow", "xla"], "references": list(rule.references)},
    }


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    place = shown(finding)
    related = [at for at in evidence_places(finding) if at != place][:_RELATED]
    result: dict[str, Any] = {
        "ruleId": str(finding.code),
        "ruleIndex": rule,
        "level": finding.level if finding.level in _LEVELS else "none",
        "message": _message(f"{stop(finding.title)} {finding.message}"),
        "partialFingerprints": {"xladoctor/v1": _fingerprint(finding)},
        "properties": {key: plain(getattr(finding, key)) for key in _OWN},
    }
    if place:
        result["locations"] = [_location(place)]
    if related:
        result["relatedLocations"] = [_location(at, number) for number, at in enumerate(related, 1)]
    return result


def _location(at: Location, number: int | None = None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(str(at.file))}
    row = line_of(at)
    if row:
        physical["region"] = {"startLine": row}
    made: dict[str, Any] = {"physicalLocation": physical}
    if number is not None:
        made["id"] = number
    if at.function:
        made["logicalLocations"] = [{"name": line(at.function), "kind": "function"}]
    return made


def _artifact(file: str) -> dict[str, str]:
    """The address of a file: absolute paths as `file:` addresses, others below the sources' root."""
    path = line(file)
    if _DRIVE.match(path):
        return {"uri": "file:///" + quote(path.replace("\\", "/"), safe="/:")}
    if path.startswith("/"):
        return {"uri": "file://" + quote("/" + path.lstrip("/"))}
    return {"uri": quote(path.removeprefix("./")) or "unknown", "uriBaseId": "%SRCROOT%"}


def _message(text: object) -> dict[str, str]:
    # Braces mark placeholders, `[..](..)` a link: neither may come out of a log (SARIF 3.11.5, 3.11.6).
    said = lines(text).strip().replace("](", "] (").replace("{", "{{").replace("}", "}}")
    return {"text": said or "-"}


def _fingerprint(finding: Finding) -> str:
    """The same for the same failure in the same place of the code, whatever its line and its sizes are."""
    at = finding.location
    parts = (finding.code, finding.op, finding.layer, finding.node, at and at.file, at and at.function)
    return hashlib.sha256(json.dumps(plain(parts)).encode()).hexdigest()[:32]
