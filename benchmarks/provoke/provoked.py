"""What the doctor makes of provoked messages: `python -m benchmarks.provoke.provoked JOURNAL... [--missed]`.

Each distinct template (numbers, shapes and quoted names taken out) counts once. The truth is what was spoiled: a
rank, a
dimension, a number of inputs, weights, an index or a key. What is
spoiled by an index can be refused as a value (a negative size): that is counted apart.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.provoke.score import is_shape, root
from xladoctor.model.diagnosis import Finding

SHAPES = frozenset({"rank", "dimension", "count", "weights"})
_LAST = re.compile(r"\n(?=[\w.]+(?:Error|Exception|Warning)\b)")
_QUOTED = re.compile(r"\{\{[^}]*\}\}|'[^'\n]*'|\"[^\"\n]*\"|\x1b\[[\d;]*m")
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
    def result(self) -> str:
        """`shape`, or the class."""
        return "nothing" if self.finding is None else "shape" if is_shape(self.finding) else self.finding.slug


def template(said: str) -> str:
    """The message of the last exception of a traceback, without its numbers, shapes and names."""
    last = _LAST.split(said)[-1][:600]
    return _NUMBER.sub("N", _SHAPED.sub("S", _QUOTED.sub("Q", last)))[:160]


def read(journals: list[Path]) -> list[Said]:
    """The distinct templates of journals, each as the doctor reads its first message."""
    first: dict[str, dict[str, str]] = {}
    for journal in journals:
        for line in journal.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("spoilt"):
                first.setdefault(template(row["said"]), row)
    return [Said(key, row["name"], row["way"], row["spoilt"], root(row["said"])) for key, row in first.items()]


def main() -> None:
    """Print how often each thing that was spoiled is called a shape failure, and on request what is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journals", nargs="+", type=Path)
    parser.add_argument(
        "--missed", action="store_true", help="the templates of spoiled shapes that are called otherwise"
    )
    asked = parser.parse_args()
    rows = read(asked.journals)
    counts = Counter((row.spoilt, row.result) for row in rows)
    for (spoilt, result), number in sorted(counts.items()):
        print(f"{spoilt:10} {result:24} {number:5}")
    shapes = [row for row in rows if row.spoilt in SHAPES]
    right = sum(row.result == "shape" for row in shapes)
    types = [row for row in rows if row.spoilt == "dtype"]
    wrong = sum(row.result == "shape" for row in types)
    print(f"{len(rows)} templates; shapes {right}/{len(shapes)}; types called a shape {wrong}/{len(types)}")
    for row in rows if asked.missed else ():
        if (row.spoilt in SHAPES) != (row.result == "shape"):
            print(row.spoilt, row.result, row.name, row.way, "|", " ".join(row.template.split())[:150])


if __name__ == "__main__":
    main()
