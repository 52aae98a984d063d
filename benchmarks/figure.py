"""A measured figure, and how figures are shown."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    """One measurement: a value in `unit`, its peer's, their ratio, and the ratio that must not be exceeded."""

    name: str
    value: float
    unit: str
    peer: str
    peer_value: float
    limit: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times the peer's value."""
        return self.value / self.peer_value

    @property
    def kept(self) -> bool:
        """Whether the limit holds (also where there is none)."""
        return self.limit is None or self.ratio <= self.limit


def as_json(figures: Sequence[Figure]) -> str:
    """The figures as data."""
    rows = [{**asdict(figure), "ratio": figure.ratio, "kept": figure.kept} for figure in figures]
    machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    return json.dumps({"schema": "xladoctor.benchmarks/1", "machine": machine, "figures": rows}, indent=2)


def as_table(figures: Sequence[Figure]) -> str:
    """The figures as an aligned table."""
    heads = ("figure", "value", "peer", "peer's", "ratio", "limit", "")
    rows = [
        (
            figure.name,
            f"{figure.value:.1f} {figure.unit}",
            figure.peer,
            f"{figure.peer_value:.1f} {figure.unit}",
            f"{figure.ratio:.2f}",
            "" if figure.limit is None else f"{figure.limit:.1f}",
            "" if figure.limit is None else "kept" if figure.kept else "MISSED",
        )
        for figure in figures
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (heads, *rows)
    )
