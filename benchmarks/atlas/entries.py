"""What journals of `benchmarks.atlas.run` say, summed up.

`python -m benchmarks.atlas.entries VERSION=JOURNAL... [--more VERSION=JOURNAL...] [--ways VERSION=FILE...]`, the files
those of `benchmarks.atlas.workarounds`. Ops that no journal has keep what the tables say of them, and so do the other
calls of ops in the journals of `--more`.

Writes `xladoctor/rules/atlas.csv`, the differences that the doctor knows, `xladoctor/rules/compositions.csv`, what the
compositions are, `benchmarks/atlas/coverage.csv`, what was tried of each op, or why nothing was, and
`benchmarks/atlas/calls.csv`, the valid calls.
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

from benchmarks.atlas.run import BASES, PREFIX
from xladoctor.rules.atlas import COMPOSITION_FIELDS, COMPOSITIONS, FIELDS, FILE, MINOR

COVERAGE = Path(__file__).with_name("coverage.csv")
_NO_ANSWER = "its valid call ends the process without XLA, or gives two results"
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
        elif "finished" in row and not one.calls:
            one.why = one.why or ("its inputs cannot be made" if row["finished"] == "lost" else _NO_ANSWER)
    for one in ops.values():
        one.why = "" if one.calls else one.why
    return dict(sorted(ops.items()))


def _by(side: str) -> str:
    return "by XLA" if side == "xla" else "eagerly"


@dataclass
class Trial:
    """The ways around that were tried in one call, and those that held."""

    tried: set[str] = field(default_factory=set)
    holds: set[str] = field(default_factory=set)


Trials = Mapping[tuple[str, str, str, str], "dict[str, Trial]"]
"""{(op, edge, input, kind): {element type: what came of the ways around}}."""


def trials(rows: Iterable[Mapping[str, Any]]) -> Trials:
    """What came of the ways around in which calls; a call may have rows of several runs."""
    calls: dict[tuple[str, str, str, str], dict[str, Trial]] = defaultdict(lambda: defaultdict(Trial))
    for row in rows:
        if "holds" in row and not row.get("gone"):
            one = calls[row["name"], row["edge"], row["argument"], row["kind"]][row["dtype"]]
            one.tried.update(row.get("tried", row["holds"]))
            one.holds.update(row["holds"])
    return calls


def entries(version: str, rows: Iterable[Mapping[str, Any]], ways: Trials | None = None) -> list[dict[str, str]]:
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
        units = [_units(members, way) for way in ("eager", "xla")]
        values = (version, op, edge, argument, kind, types, f"{size:.2g}" if size else "", *map(_cut, shown), *units)
        row = dict(zip(FIELDS, (*values, "yes" if in_graph else "", "", "", ""), strict=True))
        _with_trials(row, (ways or {}).get((op, edge, argument, kind), {}))
        found.append(row)
    return found


def _units(members: Iterable[Mapping[str, Any]], way: str) -> str:
    """The most units in the last place that a way is from the result in float64, in all types that have one."""
    found = [float(m["units"][way]) for m in members if m.get("units")]
    return f"{max(found):.2g}" if found else ""


def _with_trials(row: dict[str, str], of_types: Mapping[str, Trial]) -> None:
    """Puts what came of the ways around into a row of the table, beside what it says of other types."""
    told = set(row["tried_types"].split())
    trials = [of_types[of] for of in row["types"].split() or [""] if of in of_types and of not in told]
    if not trials:
        return
    held = set.intersection(*(one.holds for one in trials), *([set(row["workarounds"].split())] if told else []))
    row["workarounds"] = " ".join(sorted(held))
    row["tried"] = " ".join(sorted(set(row["tried"].split()).union(*(one.tried for one in trials))))
    row["tried_types"] = " ".join(sorted(told | (set(row["types"].split()) & set(of_types))))


def _with_earlier_trials(row: dict[str, str], before: Mapping[str, str] | None) -> None:
    """Keeps what came of the ways around when the same difference of the same version was measured before."""
    if before is None or before["types"] == row["types"] == "":
        row.update({key: before[key] for key in ("workarounds", "tried")} if before and not row["tried"] else {})
        return
    types = set(before["tried_types"].split()) & set(row["types"].split())
    told = set(row["tried_types"].split())
    if not types - told:
        return
    held = set(before["workarounds"].split())
    row["workarounds"] = " ".join(sorted(held & set(row["workarounds"].split()) if told else held))
    row["tried"] = " ".join(sorted({*row["tried"].split(), *before["tried"].split()}))
    row["tried_types"] = " ".join(sorted(types | told))


def merged(
    table: list[dict[str, str]], rows: list[Mapping[str, Any]], version: str, ways: Trials
) -> list[dict[str, str]]:
    """The table with a journal of further calls: in place of what it says of these, beside what it says of others."""
    asked: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        if "edge" in row:
            asked[row["name"], row["edge"], row["argument"]].add(row["dtype"])
    kept = [_without(row, asked) if row["version"] == version else row for row in table]
    found = {tuple(row[key] for key in _KEY): row for row in kept if row is not None}
    always = {
        (row["op"], row["kind"]) for row in found.values() if row["version"] == version and row["edge"] == "valid"
    }
    for new in entries(version, rows, ways):
        old = found.get(tuple(new[key] for key in _KEY))
        if new["edge"] != "valid" and (new["op"], new["kind"]) in always:
            continue
        found[tuple(new[key] for key in _KEY)] = new if old is None else _joined(old, new)
    return list(found.values())


_KEY = ("version", "op", "edge", "argument", "kind")


def _without(row: dict[str, str], asked: Mapping[tuple[str, str, str], set[str]]) -> dict[str, str] | None:
    """A row of the table without the types that were asked again; None where it has no other."""
    again = asked.get((row["op"], row["edge"], row["argument"]), set())
    types = [of for of in row["types"].split() or [""] if of not in again]
    tried = [of for of in row["tried_types"].split() if of in types]
    return {**row, "types": " ".join(types), "tried_types": " ".join(tried)} if types else None


def _joined(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    both = {key: " ".join(sorted({*old[key].split(), *new[key].split()})) for key in ("types", "tried", "tried_types")}
    held = [set(row["workarounds"].split()) for row in (old, new) if row["tried_types"]]
    size = _larger(old["size"], new["size"])
    units = {key: _larger(old[key], new[key]) for key in ("eager_units", "xla_units")}
    in_graph = old["in_graph"] if old["in_graph"] == new["in_graph"] else ""
    around = " ".join(sorted(set.intersection(*held))) if held else ""
    return {**old, **both, **units, "size": size, "in_graph": in_graph, "workarounds": around}


def _larger(first: str, second: str) -> str:
    """The larger of two numbers of the table; an empty one is none."""
    return max((first, second), key=lambda text: float(text or -1.0))


def _kind(row: Mapping[str, Any]) -> str:
    return str((row.get("xla") or {}).get("kind", ""))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journals", nargs="*", metavar="VERSION=JOURNAL")
    parser.add_argument("--more", nargs="*", default=[], metavar="VERSION=JOURNAL", help="of further calls of ops")
    parser.add_argument("--ways", nargs="*", default=[], metavar="VERSION=FILE")
    asked = parser.parse_args()
    composed = _composed()
    ways: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for version, file in (one.split("=", 1) for one in asked.ways):
        ways[version] += read(Path(file))
    table, tried = _table(FILE), _table(COVERAGE)
    for row in table:
        row.update({key: row.get(key) or "" for key in FIELDS})
        key = (row["op"], row["edge"], row["argument"], row["kind"])
        _with_trials(row, trials(ways[row["version"]]).get(key, {}) if row["version"] in ways else {})
    for number, one in enumerate([*asked.journals, *asked.more]):
        version, file = one.split("=", 1)
        rows: list[Any] = [_with_ways(row) for row in read(Path(file))]
        names = {row["name"] for row in rows}
        of_version = trials([*ways[version], *rows])
        before = {tuple(row[key] for key in _KEY): row for row in table}
        told = {row["op"]: row for row in tried if row["version"] == version and row["op"] in names}
        tried = [row for row in tried if row["version"] != version or row["op"] not in names]
        if number < len(asked.journals):
            table = [row for row in table if row["version"] != version or row["op"] not in names]
            told = {}
        table = merged(table, rows, version, of_version)
        for row in table:
            _with_earlier_trials(row, before.get(tuple(row[key] for key in _KEY)))
        tried += [_covered(version, op, one, told.get(op)) for op, one in coverage(rows).items()]
        _keep_calls(rows)
    gone = lambda row: row["op"].startswith(PREFIX) and row["op"] not in composed  # noqa: E731
    table, tried = ([row for row in rows if not gone(row)] for rows in (table, tried))
    _write(COMPOSITIONS, list(composed.values()), COMPOSITION_FIELDS)
    order = lambda row: ([int(part) for part in row["version"].split(".")], row["op"])  # noqa: E731
    _write(FILE, sorted(table, key=order), FIELDS)
    _write(COVERAGE, sorted(tried, key=order), ("version", "op", "types", "calls", "not_compared", "why"))


def _covered(version: str, op: str, one: Tried, before: Mapping[str, str] | None) -> dict[str, str]:
    """The row of an op, with what the table says of element types that were not asked again."""
    types, calls, not_compared, why = set(one.types), one.calls, one.not_compared, one.why
    if before is not None:
        if types - set(before["types"].split() or [""]):
            calls, not_compared = calls + int(before["calls"]), not_compared + int(before["not_compared"])
        else:
            calls, not_compared = max(calls, int(before["calls"])), max(not_compared, int(before["not_compared"]))
        types |= set(before["types"].split())
        why = "" if calls else why or before["why"]
    counts = {"calls": str(calls), "not_compared": str(not_compared)}
    return {"version": version, "op": op, "types": " ".join(sorted(types)), **counts, "why": why}


def _keep_calls(rows: Iterable[Mapping[str, Any]]) -> None:
    """Adds the valid calls that were found to those that are known."""
    known = _table(BASES)
    names = {row["op"] for row in known}
    found = {row["name"]: row["call"] for row in rows if row.get("call") and ":" not in row["name"]}
    known += [{"op": op, "call": call} for op, call in found.items() if op not in names]
    _write(BASES, sorted(known, key=lambda row: row["op"]), ("op", "call"))


def _composed() -> dict[str, dict[str, str]]:
    """{name in the tables: the row of a composition}."""
    from benchmarks.atlas.compositions import COMPOSITIONS as FUNCTIONS

    return {
        PREFIX + name: {"name": name, "about": " ".join(one.about), "what": one.what}
        for name, one in sorted(FUNCTIONS.items())
    }


def _with_ways(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a journal; that of a composition says which ways around were tried."""
    from benchmarks.atlas.compositions import COMPOSITIONS as FUNCTIONS

    composition = FUNCTIONS.get(row["name"].removeprefix(PREFIX)) if "holds" in row else None
    return row if composition is None else {**row, "tried": list(composition.ways)}


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
