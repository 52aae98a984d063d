"""What journals of `benchmarks.atlas.run` say, summed up: `python -m benchmarks.atlas.entries VERSION=JOURNAL...`.

Writes `xladoctor/rules/atlas.csv`, the differences that the doctor knows, and `benchmarks/atlas/coverage.csv`, what was
tried of each op, or why nothing was.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xladoctor.rules.atlas import FIELDS, FILE, MINOR

COVERAGE = Path(__file__).with_name("coverage.csv")
_NONE = frozenset({"", *MINOR})


@dataclass
class Tried:
    """What was tried of one op in one version: element types, calls, and why it was left out if it was."""

    types: set[str] = field(default_factory=set)
    calls: int = 0
    not_compared: int = 0
    why: str = ""


def read(journal: Path) -> Iterator[dict[str, Any]]:
    """The rows of a journal; of a call that was made twice (a process had ended in between) the last."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for number, line in enumerate(journal.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        key = (row["name"], row["dtype"], row["edge"], row["argument"]) if "edge" in row else (number,)
        rows.pop(key, None)
        rows[key] = row
    yield from rows.values()


def coverage(rows: Iterable[Mapping[str, Any]]) -> dict[str, Tried]:
    """{op: what was tried of it}."""
    ops: dict[str, Tried] = defaultdict(Tried)
    for row in rows:
        one = ops[row["name"]]
        if "left-out" in row or "died" in row:
            one.why = str(row.get("left-out") or f"the process ended or hung ({row['died']})")
        elif "refused" in row:
            one.why = one.why or f"the valid call is refused {_by(row['refused'])}: {row['words'][:100]}"
        elif "edge" in row and not row.get("again"):
            one.types.add(row["dtype"])
            one.calls += 1
        elif row.get("again"):
            one.not_compared += 1
    for one in ops.values():
        one.why = "" if one.calls else one.why
    return dict(sorted(ops.items()))


def _by(side: str) -> str:
    return "by XLA" if side == "xla" else "eagerly"


def entries(version: str, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """One row for each op, edge, input and kind of difference, with the element types that show it. What ordinary
    values show already has no rows of edges.
    """
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = defaultdict(list)
    rows = list(rows)
    # What an op does with ordinary values already is no matter of the edge.
    always = {(row["name"], _kind(row)) for row in rows if row.get("edge") == "valid"}
    for row in rows:
        kind = _kind(row)
        if kind not in _NONE and (row["edge"] == "valid" or (row["name"], kind) not in always):
            groups[row["name"], row["edge"], row["argument"], kind].append(row)
    found = []
    for (op, edge, argument, kind), members in sorted(groups.items()):
        shown = members[0]["xla"].get("shown") or ("", "")
        size = max(float(m["xla"].get("size") or 0.0) for m in members)
        in_graph = all((m.get("graph") or {}).get("kind", "") == kind for m in members)
        types = " ".join(sorted({m["dtype"] for m in members}))
        values = (version, op, edge, argument, kind, types, f"{size:.2g}" if size else "", *map(_cut, shown))
        found.append(dict(zip(FIELDS, (*values, "yes" if in_graph else ""), strict=True)))
    return found


def _kind(row: Mapping[str, Any]) -> str:
    return str((row.get("xla") or {}).get("kind", ""))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journals", nargs="+", metavar="VERSION=JOURNAL")
    table: list[dict[str, str]] = []
    tried: list[dict[str, Any]] = []
    for given in parser.parse_args().journals:
        version, _, file = given.partition("=")
        rows = list(read(Path(file)))
        table += entries(version, rows)
        tried += [
            {"version": version, "op": op, "types": " ".join(sorted(one.types)), "calls": one.calls,
             "not_compared": one.not_compared, "why": one.why}
            for op, one in coverage(rows).items()
        ]  # fmt: skip
    _write(FILE, table, FIELDS)
    _write(COVERAGE, tried, ("version", "op", "types", "calls", "not_compared", "why"))


def _write(file: Path, rows: list[Any], fields: tuple[str, ...]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
