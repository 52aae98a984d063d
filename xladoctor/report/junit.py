"""Diagnoses as JUnit XML: a suite for each source, a test case for each finding.

Errors are failures. Warnings and notes pass, with their text as the output of the case. What could not be read is an
error of the suite. A source without findings has one case that passes, so that a report shows that it was looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Tree

from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.report.findings import heading, status
from xladoctor.report.places import line_of, shown
from xladoctor.report.text import line, lines

_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!-- xladoctor.junit/1 -->\n'
# Characters that no XML 1.0 document may hold, not even as a reference, beyond those that `text.lines` shows.
_FORBIDDEN = re.compile("[\ufffe\uffff]")


def render(diagnoses: Sequence[Diagnosis]) -> str:
    """The document."""
    suites = [_suite(diagnosis) for diagnosis in diagnoses]
    root = Tree.Element("testsuites", {"name": "xladoctor", **_counts([case for suite in suites for case in suite])})
    root.extend(suites)
    Tree.indent(root)
    return f"{_HEAD}{Tree.tostring(root, encoding='unicode')}\n"


def _suite(diagnosis: Diagnosis) -> Tree.Element:
    cases = [_case(diagnosis, finding) for finding in diagnosis.findings]
    for number, problem in enumerate(diagnosis.problems, 1):
        case = _element("testcase", classname="xladoctor", name=f"input {number} is readable")
        case.append(_element("error", _text(problem), message=problem, type="unreadable"))
        cases.append(case)
    if not cases:
        cases.append(_element("testcase", classname="xladoctor", name=f"no finding: {diagnosis.verdict}"))
    suite = _element("testsuite", name=diagnosis.source, **_counts(cases))
    suite.extend(cases)
    return suite


def _case(diagnosis: Diagnosis, finding: Finding) -> Tree.Element:
    case = _element("testcase", classname=f"xladoctor.{finding.slug}", name=f"{finding.code} {finding.title}")
    place = shown(finding)
    if place:
        case.set("file", _line(place.file))
        number = line_of(place)
        if number:
            case.set("line", str(number))
    text = _body(finding)
    if finding.level == "error":
        case.append(_element("failure", text, message=finding.message, type=f"{finding.code} {finding.slug}"))
    else:
        case.append(_element("system-out", text))
    return case


def _body(finding: Finding) -> str:
    said = [f"{heading(finding)}, {status(finding)}: {finding.message}"]
    for name in ("op", "node", "device", "layer"):
        value = getattr(finding, name)
        said += [f"{name}: {value}"] if value else []
    said += [f"at {finding.location}"] if finding.location else []
    said += [f"{proof.kind} {proof.where or ''}: {proof.text}" for proof in finding.evidence]
    said += [f"remedy {r.id} ({r.safety}, {r.result}): {r.title}. {r.how}" for r in finding.remedies]
    return _text("\n".join(map(str, said)))


def _counts(cases: Sequence[Tree.Element]) -> dict[str, str]:
    failures = sum(case.find("failure") is not None for case in cases)
    errors = sum(case.find("error") is not None for case in cases)
    return {"tests": str(len(cases)), "failures": str(failures), "errors": str(errors), "skipped": "0"}


def _element(tag: str, text: str | None = None, /, **attributes: object) -> Tree.Element:
    made = Tree.Element(tag, {name: _line(value) for name, value in attributes.items()})
    made.text = text
    return made


def _text(value: object) -> str:
    return _FORBIDDEN.sub("\ufffd", lines(value))


def _line(value: object) -> str:
    return _FORBIDDEN.sub("\ufffd", line(value))
