"""Answers from what the doctor knows: bounded, and each foreign text cleaned."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from xladoctor import __version__
from xladoctor.agents import answers
from xladoctor.agents.clean import one_line
from xladoctor.lint.engine import Linted
from xladoctor.model import diagnosis as model
from xladoctor.model.blame import Suspect
from xladoctor.model.shapes import shape_text
from xladoctor.model.trace import FunctionRow, LayerRow, Trace, TracedStep
from xladoctor.report.headline import headline
from xladoctor.report.json_ import plain
from xladoctor.rules import UnknownRule, by_code
from xladoctor.rules.base import Rule

FINDINGS, EVIDENCE, REMEDIES, SUSPECTS, NOTES = 5, 3, 3, 3, 8
LAYERS, TENSORS, FUNCTIONS, HAZARDS, OTHERS = 60, 60, 20, 50, 8
SHORT, SENTENCE, PARAGRAPH = 120, 300, 900
"""Characters."""
LARGEST = 55_000
"""No diagnosis, trace or lint has more characters of JSON than this; with the messages of a run less than 60 000."""

_SHARES = (1, 2, 4, 8, 16, 64)
Answer = TypeVar("Answer")


def _bounded(make: Callable[[int], Answer]) -> Answer:
    """What `make` makes with all entries of its lists, or with the half, the quarter, ... that keeps within the bound:
    long texts, and quotes, which JSON writes with two characters.
    """
    for share in _SHARES:
        answer = make(share)
        if len(json.dumps(plain(answer), ensure_ascii=False)) <= LARGEST:
            break
    return answer


def diagnosis_answer(found: model.Diagnosis, path: str, kind: Any) -> answers.Diagnosis:
    """A diagnosis with its first findings."""
    return _bounded(lambda share: _diagnosis(found, path, kind, _most(FINDINGS, share)))


def _most(limit: int, share: int) -> int:
    return max(limit // share, 1)


def _diagnosis(found: model.Diagnosis, path: str, kind: Any, most: int) -> answers.Diagnosis:
    return answers.Diagnosis(
        notice=answers.NOTICE,
        tool_version=__version__,
        path=one_line(path, SENTENCE),
        kind=kind,
        verdict=found.verdict,
        findings=tuple(_finding(finding) for finding in found.findings[:most]),
        more_findings=max(len(found.findings) - most, 0),
        untrusted_notes=_notes(found.notes),
        untrusted_problems=_notes(found.problems),
    )


def _finding(finding: model.Finding) -> answers.Finding:
    return answers.Finding(
        code=one_line(finding.code, SHORT),
        class_name=one_line(finding.slug, SHORT),
        title=_title(finding.code),
        level=finding.level,
        role=finding.role,
        status=finding.status,
        basis=finding.basis.kind if finding.basis is not None else None,
        untrusted_headline=one_line(headline(finding), SENTENCE),
        untrusted_message=one_line(finding.message, PARAGRAPH),
        untrusted_op=_optional(finding.op, SHORT),
        place=_place(finding.location),
        raised_at=_place(finding.raised_at),
        suspects=tuple(_suspect(suspect) for suspect in finding.suspects[:SUSPECTS]),
        evidence=tuple(
            answers.Evidence(one_line(proof.kind, SHORT), one_line(proof.text, SENTENCE), _optional(proof.where, SHORT))
            for proof in finding.evidence[:EVIDENCE]
        ),
        remedies=tuple(
            answers.Advice(
                one_line(r.id, SHORT), r.safety, r.result, one_line(r.title, SENTENCE), one_line(r.how, PARAGRAPH)
            )
            for r in finding.remedies[:REMEDIES]
        ),
    )


def _title(code: str) -> str:
    """The title of the class: that of a finding may have been made of a log."""
    try:
        return by_code(code).title
    except UnknownRule:
        return ""


def _suspect(suspect: Suspect) -> answers.Suspect:
    place = _place(suspect.location)
    assert place is not None
    return answers.Suspect(
        place, suspect.likeliness, one_line(suspect.code, SENTENCE), one_line(suspect.reason, SENTENCE)
    )


def _place(at: model.Location | None) -> answers.Place | None:
    if at is None:
        return None
    return answers.Place(one_line(at.file, SENTENCE), at.line, _optional(at.function, SHORT), at.cell)


def _optional(value: object | None, limit: int) -> str | None:
    return one_line(value, limit) if value is not None else None


def _notes(texts: Sequence[str]) -> tuple[str, ...]:
    more = (f"{len(texts) - NOTES} more.",) if len(texts) > NOTES else ()
    return (*(one_line(text, SENTENCE) for text in texts[:NOTES]), *more)


def trace_answer(trace: Trace, path: str) -> answers.Trace:
    """A trace with its first rows, those that break a contract before the others."""
    return _bounded(lambda share: _trace(trace, path, share))


def _trace(trace: Trace, path: str, share: int) -> answers.Trace:
    layers, tensors, functions = (_most(limit, share) for limit in (LAYERS, TENSORS, FUNCTIONS))
    rows = [(step, row) for step in trace.steps for row in step.shapes]
    rows.sort(key=lambda found: not found[1].violation)
    return answers.Trace(
        notice=answers.NOTICE,
        path=one_line(path, SENTENCE),
        verdict=trace.verdict,
        layers=tuple(_layer(layer) for layer in trace.layers[:layers]),
        more_layers=max(len(trace.layers) - layers, 0),
        tensors=tuple(_tensor(step, row) for step, row in rows[:tensors]),
        more_tensors=max(len(rows) - tensors, 0),
        functions=tuple(_function(function) for function in trace.functions[:functions]),
        more_functions=max(len(trace.functions) - functions, 0),
        untrusted_notes=_notes(trace.notes),
        untrusted_problems=_notes(trace.problems),
    )


def _layer(layer: LayerRow) -> answers.Layer:
    return answers.Layer(
        untrusted_name=one_line(layer.name, SHORT),
        untrusted_class=one_line(layer.cls, SHORT),
        depth=layer.depth,
        inputs=one_line(", ".join(map(shape_text, layer.inputs)), SHORT),
        outputs=one_line(", ".join(map(shape_text, layer.outputs)), SHORT),
        batches=layer.batches[:SUSPECTS],
        parameters=layer.parameters,
        made=_place(layer.made),
    )


def _tensor(step: TracedStep, row: model.ShapeRow) -> answers.Tensor:
    return answers.Tensor(
        untrusted_call=one_line(step.name, SHORT),
        untrusted_place=one_line(row.place, SHORT),
        untrusted_tensor=one_line(row.tensor, SHORT),
        traced=one_line(shape_text(row.static), SHORT),
        ran=one_line(shape_text(row.runtime), SHORT) if row.runtime is not None else None,
        state=row.state,
        untrusted_contract=_optional(row.contract, SHORT),
        untrusted_violation=_optional(row.violation, SENTENCE),
    )


def _function(function: FunctionRow) -> answers.Function:
    return answers.Function(one_line(function.name, SHORT), function.traces, function.xla, _place(function.defined))


def explanation(rules: Sequence[Rule]) -> answers.Explanation:
    """The first rule in full, and the names of the others."""
    rule = rules[0]
    return answers.Explanation(
        code=rule.code,
        class_name=rule.slug,
        title=rule.title,
        level=rule.level,
        what=rule.what,
        why=rule.why,
        example=rule.example,
        tell_apart=rule.tell_apart,
        remedies=tuple(answers.Remedy(r.id, r.title, r.safety, r.how) for r in rule.remedies),
        references=tuple(rule.references),
        others=tuple(f"{other.code} {other.slug}" for other in rules[1 : 1 + OTHERS]),
    )


def lint_answer(linted: Linted, path: str) -> answers.Lint:
    """The first hazards, and how often each code was found."""
    return _bounded(lambda share: _lint(linted, path, _most(HAZARDS, share)))


def _lint(linted: Linted, path: str, most: int) -> answers.Lint:
    findings = linted.diagnosis.findings
    return answers.Lint(
        notice=answers.NOTICE,
        path=one_line(path, SENTENCE),
        findings=tuple(_hazard(finding) for finding in findings[:most]),
        more_findings=max(len(findings) - most, 0),
        counts=dict(sorted(Counter(finding.code for finding in findings).items())),
        untrusted_notes=_notes(linted.diagnosis.notes),
        untrusted_problems=_notes(linted.diagnosis.problems),
    )


def _hazard(finding: model.Finding) -> answers.Hazard:
    details = finding.details
    at = finding.location
    cell = details.get("cell")
    line = details.get("cell_line") if cell is not None else at.line if at else None
    function = at.function if at else None
    return answers.Hazard(
        code=finding.code,
        class_name=finding.slug,
        level=finding.level,
        place=answers.Place(one_line(at.file if at else "", SENTENCE), line, _optional(function, SHORT), cell),
        column=details.get("column"),
        becomes=details.get("leads_to"),
        untrusted_message=one_line(finding.message, SENTENCE),
        untrusted_code=one_line(finding.evidence[0].text if finding.evidence else "", SENTENCE),
        untrusted_fix=_optional(details.get("fix"), SENTENCE),
    )
