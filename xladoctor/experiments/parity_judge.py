"""What the measured differences between ways mean: agreement, or a class of silent failure. Pure functions.

A worker measures (`probes.graph.parity`); here it is decided. Two rules keep what is merely rounding out of the
findings: a deviation within the tolerance that was measured for the step agrees; and one beyond it does so too, where
every op on the way gave, plainly and on the values that it had under XLA, what it gave under XLA.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xladoctor.model.replay import Agreement, DeviationMap

PLAIN, XLA = "plain", "xla"
EVERY = "every output"
_TESTS = ("size", "permuted", "few", "alone", "copies")
_ROWS = 32


def agreements(told: Mapping[str, Any], node: Mapping[str, Any] | None) -> tuple[list[Agreement], list[str]]:
    """(the ways compared, what cannot be compared) of an answer to `parity`; `node` is the answer about the first node
    at which plain mode and XLA part, if that was asked.
    """
    found: list[Agreement] = []
    notes: list[str] = []
    ways = told["ways"]
    passed = [w for w, t in ways.items() if t["outcome"] == "passed"]
    if PLAIN not in passed and passed:
        error = ways[PLAIN]["error"] or {}
        raised = f"plain mode raises {error.get('kind')}: {_line(error.get('message'))}"
        found += [
            Agreement(
                EVERY,
                (PLAIN, way),
                False,
                (None, None),
                slug="parity-divergence",
                what=f"{raised}; {way} returns numbers",
            )
            for way in passed
        ]
    for way, outcome in ways.items():
        if way != PLAIN and outcome["outcome"] != "passed" and PLAIN in passed:
            notes.append(f"{way}: {_why(outcome)}" + (f" ({outcome['note']})" if outcome.get("note") else ""))
    if not passed:
        notes.append(f"no way passes: {'; '.join(f'{w}: {_why(t)}' for w, t in ways.items())}")
    bearers = node is not None and node.get("node") is None and not node.get("error") and not node.get("unchecked")
    drawn = node is not None and "Random" in str((node.get("node") or {}).get("op"))
    for row in told["agreements"]:
        a, b = row["ways"]
        if row["apart"] and row["deviation"] is not None and b == XLA:
            if row.get("seeded") and drawn:
                notes.append(f"{row['output']}: from one seed, XLA draws other numbers than plain mode")
                continue
            if bearers:
                notes.append(
                    f"{row['output']}: plain mode and XLA differ by {_number(row['deviation'])}, beyond the tolerance "
                    f"of {_number(row['tolerance'])}, but every op gives the same in both on the same values: the step "
                    "enlarges rounding"
                )
                found.append(_agreement(row, (a, b), None))
                continue
        slug = None
        if row["apart"]:
            slug = "wrong-shape-silent" if row["deviation"] is None else "parity-divergence"
        if slug is None and (row["tolerance"] or 0.0) >= 1.0:
            notes.append(f"{row['output']}: rounding alone changes it altogether, so that no ways can be compared")
        found.append(_agreement(row, (a, b), slug))
    return found, notes


def of_rows(told: Mapping[str, Any], way: str) -> tuple[list[Agreement], list[str]]:
    """(each test of rows on each output, what cannot be said) of an answer about the rows of one way."""
    if told.get("skipped"):
        return [], [f"rows ({way}): {told['skipped']}"]
    notes = [
        f"rows ({way}): {f['test']} does not run: {_line((f['error'] or {}).get('message'))}" for f in told["failed"]
    ]
    if not told.get("other_sizes", True):
        notes.append(f"rows ({way}): the step was traced for {told['batch']} rows; other sizes cannot be tried")
    notes += [
        f"{name}: no rows of its own at any batch size, so its rows cannot be compared" for name in told["without_rows"]
    ]
    found = []
    for test in _TESTS:
        for name in dict.fromkeys(t["output"] for t in told["tests"] if t["test"] == test):
            same = [t for t in told["tests"] if t["test"] == test and t["output"] == name]
            found.append(_test(test, name, same, way, told))
    return found, notes


def drawn(told: Mapping[str, Any]) -> list[str]:
    """What is said of outputs that depend on numbers drawn at random."""
    free = told.get("random", {}).get("free", [])
    names = ", ".join(told.get("left_out", ()))
    if not free:
        return []
    return [f"{names or 'an output'}: depends on {', '.join(free)}, which draws other numbers at every call"]


def first_node(answer: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """{"node", "op", "location", "deviation", "message"} of the answer about the first node, or None."""
    node = (answer or {}).get("node")
    if not node:
        return None
    frames = node.get("sources") or ()
    where = None
    if frames:
        file, line, function = frames[-1]
        where = f"{file}:{line} in {function}"
    told = {"node": node["node"], "op": node["op"], "location": where, "deviation": node.get("deviation")}
    if node.get("shapes"):
        told["shapes"] = node["shapes"]
    return {**told, "message": _line(node.get("message")) or None}


def _test(test: str, name: str, same: Sequence[Mapping[str, Any]], way: str, told: Mapping[str, Any]) -> Agreement:
    if test == "size":
        row = same[0]
        what = f"{row['size']} rows in, {_rows_of(row['shapes'][0])} out; {row['right_at']} in, {row['right_at']} out"
        return _agreement(row, (way, way), "wrong-shape-silent", test, what)
    apart = [t for t in same if t["deviation"] is None or t["rows"] or _above(t)]
    if not apart:
        worst = max(same, key=lambda t: float(t["deviation"] or 0.0))
        return _agreement(worst, (way, way), None, test)
    worst = max(apart, key=lambda t: float("inf") if t["deviation"] in (None, "inf") else float(t["deviation"]))
    if worst["deviation"] is None:
        return _agreement(worst, (way, way), "wrong-shape-silent", test)
    rows = sorted({r for t in apart for r in t["rows"]})[:_ROWS]
    follows = [pair for t in apart for pair in t.get("follows", ())]
    return _agreement({**worst, "rows": rows}, (way, way), "wrong-pairing", test, _pairing(name, follows, told))


def _pairing(name: str, follows: Sequence[Sequence[int]], told: Mapping[str, Any]) -> str:
    """What rows depend on: on all of their batch, or on other rows than their own."""
    batch = told["batch"]
    others = [d for d in told["depends"] if d["output"] == name and set(d["rows"]) - {d["row"]}]
    parts = []
    if follows:
        pairs = ", ".join(f"row {a} gives what row {b} should" for a, b in follows[:3])
        parts.append(f"it follows the wrong row: {pairs}")
    if others:
        first = others[0]
        whole = all(len(d["rows"]) >= batch for d in others)
        which = "every row" if whole else f"rows {', '.join(map(str, first['rows'][:8]))}"
        kind = "a row depends on its neighbours" if whole else "rows are paired with the wrong ones"
        parts.append(f"{kind}: row {first['row']} of {first['input']} changes {which} of {name}")
    return "; ".join(parts) or "a row depends on the rows beside it"


def _agreement(
    row: Mapping[str, Any], ways: tuple[str, str], slug: str | None, test: str | None = None, what: str | None = None
) -> Agreement:
    shapes = tuple(None if s is None else list(s) for s in row["shapes"])
    return Agreement(
        output=str(row["output"]),
        ways=ways,
        agree=slug is None,
        shapes=(shapes[0], shapes[1]),
        deviation=_float(row["deviation"]),
        tolerance=_float(row["tolerance"]),
        amplitude=_float(row.get("amplitude")),
        phase=_float(row.get("phase")),
        rows=tuple(row.get("rows") or ()),
        slug=slug,
        test=test,
        what=what,
        map=_map(row.get("map")),
    )


def _map(told: Mapping[str, Any] | None) -> DeviationMap | None:
    """The map that a worker made (`probes.graph.deviation_map`)."""
    if told is None:
        return None
    rows = tuple((int(row), float(far)) for row, far in told["rows"])
    cells = None if told["cells"] is None else tuple(tuple(map(float, line)) for line in told["cells"])
    shape = None if told["shape"] is None else (int(told["shape"][0]), int(told["shape"][1]))
    return DeviationMap(rows, int(told["block"]), int(told["row"]), shape, cells)


def _above(row: Mapping[str, Any]) -> bool:
    return bool(row["deviation"] == "inf" or row["deviation"] > (row["tolerance"] or 0.0))


def _rows_of(shape: Sequence[int] | None) -> str:
    return "none" if not shape else str(shape[0])


def _float(value: Any) -> float | None:
    """JSON knows no infinity: the largest float stands for it."""
    if value is None:
        return None
    return 1.7976931348623157e308 if value == "inf" else float(value)


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.2g}"


def _why(outcome: Mapping[str, Any]) -> str:
    error = outcome.get("error") or {}
    verb = "cannot be run" if outcome["outcome"] == "refused" else "fails"
    return f"{verb}: {error.get('kind')}: {_line(error.get('message'))}"


def _line(text: Any) -> str:
    return str(text or "").strip().split("\n")[0][:300]


def names(items: Iterable[Any]) -> str:
    """Names with commas."""
    return ", ".join(map(str, items))
