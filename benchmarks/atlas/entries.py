"""What journals of `benchmarks.atlas.run` say, summed up.

`python -m benchmarks.atlas.entries VERSION=JOURNAL... [--ways VERSION=FILE...]`, the files those of
`benchmarks.atlas.workarounds`. Ops that no journal has keep what the tables say of them.

Writes `xladoctor/rules/atlas.csv`, the differences that the doctor knows, `xladoctor/rules/compositions.csv`, what the
compositions are, and `benchmarks/atlas/coverage.csv`, what was tried of each op, or why nothing was.
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

from benchmarks.atlas.run import PREFIX
from xladoctor.rules.atlas import COMPOSITION_FIELDS, COMPOSITIONS, FIELDS, FILE, MINOR

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


Held = Mapping[tuple[str, str, str, str], "list[set[str]]"]
"""{(op, edge, input, kind): the ways around that held, for each call}."""


def held(rows: Iterable[Mapping[str, Any]]) -> Held:
    """Which ways around held in which calls; a call may have rows of several runs."""
    calls: dict[tuple[str, str, str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        if "holds" in row:
            key = (row["name"], row["edge"], row["argument"], row["kind"])
            calls[key][row["dtype"]].update(row["holds"])
    return {key: list(of_types.values()) for key, of_types in calls.items()}


def entries(version: str, rows: Iterable[Mapping[str, Any]], ways: Held | None = None) -> list[dict[str, str]]:
    """One row for each op, edge, input and kind of difference, with the element types that show it. What ordinary
    values show already has no rows of edges. `ways` are the ways around that were tried.
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
        tried = (ways or {}).get((op, edge, argument, kind), ())
        around = set.intersection(*tried) if len(tried) == len(members) else set()
        found.append(dict(zip(FIELDS, (*values, "yes" if in_graph else "", " ".join(sorted(around))), strict=True)))
    return found


def _kind(row: Mapping[str, Any]) -> str:
    return str((row.get("xla") or {}).get("kind", ""))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journals", nargs="*", metavar="VERSION=JOURNAL")
    parser.add_argument("--ways", nargs="*", default=[], metavar="VERSION=FILE")
    asked = parser.parse_args()
    ways: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for version, file in (one.split("=", 1) for one in asked.ways):
        ways[version] += read(Path(file))
    table, tried = _table(FILE), _table(COVERAGE)
    for row in table:
        row.setdefault("workarounds", "")
        _with_ways(row, held(ways[row["version"]]) if row["version"] in ways else {})
    for version, file in (one.split("=", 1) for one in asked.journals):
        rows = list(read(Path(file)))
        names = {row["name"] for row in rows}
        table = [row for row in table if row["version"] != version or row["op"] not in names]
        tried = [row for row in tried if row["version"] != version or row["op"] not in names]
        table += entries(version, rows, held([*ways[version], *rows]))
        tried += [
            {"version": version, "op": op, "types": " ".join(sorted(one.types)), "calls": str(one.calls),
             "not_compared": str(one.not_compared), "why": one.why}
            for op, one in coverage(rows).items()
        ]  # fmt: skip
    composed = _composed()
    gone = lambda row: row["op"].startswith(PREFIX) and row["op"] not in composed  # noqa: E731
    table, tried = ([row for row in rows if not gone(row)] for rows in (table, tried))
    _write(COMPOSITIONS, list(composed.values()), COMPOSITION_FIELDS)
    order = lambda row: ([int(part) for part in row["version"].split(".")], row["op"])  # noqa: E731
    _write(FILE, sorted(table, key=order), FIELDS)
    _write(COVERAGE, sorted(tried, key=order), ("version", "op", "types", "calls", "not_compared", "why"))


def _composed() -> dict[str, dict[str, str]]:
    """{name in the tables: the row of a composition}."""
    from benchmarks.atlas.compositions import COMPOSITIONS as FUNCTIONS

    return {
        PREFIX + name: {"name": name, "about": " ".join(one.about), "what": one.what}
        for name, one in sorted(FUNCTIONS.items())
    }


def _with_ways(row: dict[str, str], ways: Held) -> None:
    """Puts the ways around that were tried since into a row of the table."""
    tried = ways.get((row["op"], row["edge"], row["argument"], row["kind"]), ())
    if tried and len(tried) >= len(row["types"].split() or [""]):
        row["workarounds"] = " ".join(sorted(set.intersection(*tried)))


def _table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def _write(file: Path, rows: list[Any], fields: tuple[str, ...]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
