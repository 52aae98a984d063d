"""What the doctor makes of the labelled templates: precision and recall of "this is about shapes"."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from benchmarks.provoke import corpus, fill
from benchmarks.provoke.templates import Template
from xladoctor.logs import read_log
from xladoctor.model.diagnosis import Finding
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings

LABELS = Path(__file__).with_name("labels.csv")
SHAPE = frozenset(
    {"loop-shape-mismatch", "branch-shape-mismatch", "wrong-shape-silent", "dynamic-dimension-unsupported"}
)


@dataclass(frozen=True)
class Judged:
    """A template, what a person called it and what the doctor says."""

    template: Template
    label: str
    draw: str
    finding: Finding | None

    @property
    def as_shape(self) -> bool:
        """Whether the doctor calls it a failure of shapes."""
        return self.finding is not None and is_shape(self.finding)


def is_shape(finding: Finding) -> bool:
    """A class of the family XD3, or one of those that are about shapes under XLA."""
    return finding.code.startswith("XD3") or finding.slug in SHAPE


def root(log: str) -> Finding | None:
    """The first error of a log."""
    found = findings(Evidence(source="log", log=read_log(io.BytesIO(log.encode()), name="log")))
    return next((f for f in found if f.level == "error"), None)


def labels() -> dict[str, tuple[str, str]]:
    """{template id: (shape | other | either, draw)}, as read by a person. The first draw was labelled before the rules
    were written; the second and third are templates with words of sizes, labelled before they were scored.
    """
    with LABELS.open(newline="", encoding="utf-8") as file:
        return {row["id"]: (row["label"], row["draw"]) for row in csv.DictReader(file)}


def judged() -> list[Judged]:
    """Every labelled template that the unpacked wheels hold."""
    known = corpus.distinct()
    return [Judged(known[key], *said, root(fill.log(known[key]))) for key, said in labels().items() if key in known]


def precision_recall(rows: list[Judged]) -> tuple[float, float]:
    """Of shape against other; templates that can be called either count for nothing."""
    positive = [row for row in rows if row.as_shape and row.label != "either"]
    wanted = [row for row in rows if row.label == "shape"]
    right = sum(row.label == "shape" for row in positive)
    return right / max(len(positive), 1), sum(row.as_shape for row in wanted) / max(len(wanted), 1)
