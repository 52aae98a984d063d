"""What the doctor makes of provoked messages: `python -m benchmarks.provoke.provoked JOURNAL... [--missed]`.

Each distinct template (numbers, shapes and quoted names taken out) counts once. The truth is what was spoiled
(`truth.py`): a rank, a dimension, a number of inputs, weights, an index, a type or a key. What is spoiled by an index
can be refused as a value (a negative size): that is counted apart.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.provoke.score import is_shape, root
from benchmarks.provoke.truth import SHAPES, right
from xladoctor.model.diagnosis import Finding

_LAST = re.compile(r"\n(?=[\w.]+(?:Error|Exception|Warning)\b)")
_QUOTED = re.compile(r"\{\{[^}]*\}\}|'[^'\n]*'|\"[^\"\n]*\"|\x1b\[[\d;]*m")
# What stands around every message: the name's rooms, the stack of the op, what called it.
_AROUND = re.compile(
    r"^(?:[a-z_]\w*\.)+(?=[A-Z])|Graph execution error:|^Detected at node .*|^Stack trace for op.*|^ *File .*\n?.*|"
    r" ?\[Op:\w+\].*| ?\[\[.*|(?<=: )Q |^\t.*|tf2xla conversion failed.*|"
    r"^(?:Errors may have originated|Function call stack:)[\s\S]*",
    re.MULTILINE,
)
_SHAPED = re.compile(r"[\[(][<=\d,\s?None:]*[\])]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Said:
    """One template: what was spoiled where, and what the doctor calls it."""

    template: str
    name: str
    way: str
    spoilt: str
    finding: Finding | None

    @property
    def slug(self) -> str:
        """The class, or `nothing`."""
        return self.finding.slug if self.finding else "nothing"

    @property
    def as_shape(self) -> bool:
        """Whether it is called a failure of shapes."""
        return self.finding is not None and is_shape(self.finding)

    @property
    def exact(self) -> bool:
        """Whether the class is one of those that are right."""
        return self.slug in right(self.name, self.spoilt)


def template(said: str) -> str:
    """The message of the last exception of a traceback, without its numbers, shapes and names."""
    last = _AROUND.sub("", _QUOTED.sub("Q", _LAST.split(said)[-1][:12_000]))
    return " ".join(_NUMBER.sub("N", _SHAPED.sub("S", last)).split())[:160]


def read(journals: list[Path], but: list[Path] | None = None) -> list[Said]:
    """The distinct templates of journals, each as the doctor reads its first message; `but`: journals whose templates
    are left out.
    """
    known = {template(row["said"]) for row in rows(but or [])}
    first: dict[str, dict[str, str]] = {}
    for row in rows(journals):
        key = template(row["said"])
        if key not in known:
            first.setdefault(key, row)
    return [Said(key, row["name"], row["way"], row["spoilt"], root(row["said"])) for key, row in first.items()]


def rows(journals: list[Path]) -> list[dict[str, str]]:
    """What was said of spoiled calls."""
    lines = (line for path in journals for line in path.read_text(encoding="utf-8").splitlines())
    # A text that was cut at its head is left out.
    return [r for r in map(json.loads, lines) if r.get("spoilt") and r.get("said", "").startswith("Traceback")]


def table(said: list[Said]) -> list[str]:
    """For each thing that was spoiled: templates, called a failure of shapes, of the right class."""
    lines = [f"{'spoilt':10} {'templates':>9} {'as shape':>9} {'exact':>6}"]
    for spoilt in sorted({row.spoilt for row in said}):
        some = [row for row in said if row.spoilt == spoilt]
        lines.append(f"{spoilt:10} {len(some):9} {sum(r.as_shape for r in some):9} {sum(r.exact for r in some):6}")
    shapes = [row for row in said if row.spoilt in SHAPES]
    exact, called = sum(r.exact for r in shapes), sum(r.as_shape for r in shapes)
    share = exact / max(len(shapes), 1)
    lines.append(f"shapes: {called} of {len(shapes)} called so, {exact} of the right class ({share:.3f})")
    return lines


def main() -> None:
    """Print how often each thing that was spoiled is called a shape failure, and on request what is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journals", nargs="+", type=Path)
    parser.add_argument("--but", nargs="*", type=Path, default=[], help="journals whose templates do not count")
    parser.add_argument("--missed", action="store_true", help="the templates whose class is not right")
    parser.add_argument("--ways", action="store_true", help="a table for each way of calling")
    asked = parser.parse_args()
    said = read(asked.journals, asked.but)
    print("\n".join(table(said)))
    for way in sorted({row.way for row in said}) if asked.ways else ():
        print(f"\n{way}", "\n".join(table([row for row in said if row.way == way])), sep="\n")
    missed = [row for row in said if not row.exact] if asked.missed else []
    print(Counter((row.spoilt, row.slug) for row in missed) if missed else "", end="\n" if missed else "")
    for row in sorted(missed, key=lambda row: (row.spoilt, row.slug)):
        print(row.spoilt, row.slug, row.name, row.way, "|", " ".join(row.template.split())[:170])


if __name__ == "__main__":
    main()
