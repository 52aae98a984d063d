"""Diagnoses as CSV: one row a finding, and one for a source without findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.model.diagnosis import Diagnosis
from xladoctor.report.csv_table import table

# The first column is the number of the finding within its source, 0 where there is none.
HEADS = (
    "xladoctor_finding", "source", "verdict", "code", "class", "level", "role", "status", "title", "message", "op",
    "node", "device", "dims", "layer", "file", "line", "function", "seen_at", "remedies", "problems",
)  # fmt: skip


def render(diagnoses: Sequence[Diagnosis]) -> str:
    """The table, with one line of names on top."""
    return table(HEADS, (row for diagnosis in diagnoses for row in rows(diagnosis)))


def rows(diagnosis: Diagnosis) -> Iterator[Sequence[Any]]:
    """The rows of one diagnosis, a value for each of `HEADS`."""
    problems = "; ".join(map(str, diagnosis.problems))
    if not diagnosis.findings:
        empty = (None,) * (len(HEADS) - 4)
        yield (0, diagnosis.source, diagnosis.verdict, *empty, problems)
    for number, found in enumerate(diagnosis.findings, 1):
        at = found.location
        yield (
            number, diagnosis.source, diagnosis.verdict, found.code, found.slug, found.level, found.role, found.status,
            found.title, found.message, found.op, found.node, found.device, " ".join(map(str, found.dims)),
            found.layer, at and at.file, at and at.line, at and at.function,
            " ".join(dict.fromkeys(proof.where for proof in found.evidence if proof.where)),
            " ".join(f"{remedy.id}({remedy.safety},{remedy.result})" for remedy in found.remedies), problems,
        )  # fmt: skip
