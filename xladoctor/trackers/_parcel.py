"""What a tracker gets of a diagnosis: plain texts, made harmless, and no object of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis
    from xladoctor.report.view import View

_LONGEST = 500
"""Characters of one text: trackers refuse longer values of a tag."""


@dataclass(frozen=True)
class Parcel:
    """One diagnosis, ready to be logged.

    Attributes:
        name: what a run is to be called that is made for it.
        verdict: the verdict and the root cause, as names and values.
        heads: the names of the columns of the table of findings.
        rows: a finding each; of a healthy run one that says so.
        page: the diagnosis as one page of HTML that loads nothing.
    """

    name: str
    verdict: dict[str, str]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    page: str

    @classmethod
    def of(cls, told: dict[str, Any]) -> Parcel:
        """From what `asdict` and JSON made of one."""
        rows = tuple(tuple(row) for row in told["rows"])
        return cls(told["name"], told["verdict"], tuple(told["heads"]), rows, told["page"])

    def columns(self) -> list[tuple[str, tuple[str, ...]]]:
        """The table by its columns."""
        return list(zip(self.heads, zip(*self.rows, strict=True), strict=True))

    @property
    def failed(self) -> bool:
        """Whether the run failed."""
        return self.verdict["verdict"] == "failed"


def parcel_of(diagnosis: Diagnosis, view: View) -> Parcel:
    """The parcel of a diagnosis."""
    from pathlib import PurePath

    from xladoctor.report import csv_, render

    at = view.run_dir or diagnosis.source
    return Parcel(
        name=_text(f"xladoctor {PurePath(at).name}"),
        verdict=_verdict(diagnosis, view),
        heads=csv_.HEADS,
        rows=tuple(tuple(map(_text, row)) for row in csv_.rows(diagnosis)),
        page=render(diagnosis, "html", None, view),
    )


def _verdict(diagnosis: Diagnosis, view: View) -> dict[str, str]:
    """What is known of these; the verdict always is."""
    from xladoctor.report.headline import headline

    root = diagnosis.root
    at = root.location if root else None
    known = {
        "verdict": diagnosis.verdict,
        "headline": headline(root) if root else None,
        "code": root.code if root else None,
        "class": root.slug if root else None,
        "status": root.status if root else None,
        "location": f"{at.file}:{at.line}" if at else None,
        "source": diagnosis.source,
        "run_dir": view.run_dir,
        "exit_status": view.target_status,
        "xladoctor_version": diagnosis.tool_version,
    }
    return {name: _text(value) for name, value in known.items() if value not in (None, "")}


def _text(value: Any) -> str:
    from xladoctor.report.text import clip, line

    return "" if value is None else clip(line(value), _LONGEST)
