"""A replay (`xladoctor.replay/1`, as read from its JSON) as plain rows, before any format.

What is read is foreign: anything of the wrong type is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from xladoctor.model.replay import verdict_of
from xladoctor.report.text import clip

SCHEMA = "xladoctor.replay/1"
# Of a message: what TensorFlow says first; the rest is in the replay's folder.
_LONGEST = 400
_BAD = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SAID = {"compiled": "XLA", "xla": "XLA"}

Replay = dict[str, Any]


def known(found: Iterable[Any]) -> list[Replay]:
    """Those that are replays of a schema that we read."""
    return [r for r in found if isinstance(r, dict) and r.get("schema") == SCHEMA]


def cases(replay: Replay) -> list[dict[str, Any]]:
    """The outcomes of a sweep: `{"batch", "vary", "outcome", "class", "rows", "seconds", "place", "message"}`."""
    out = []
    for item in _dicts(_dict(replay.get("sweep")).get("outcomes")):
        case = _dict(item.get("case"))
        batch = case.get("batch")
        rows = (item.get("rows_in"), item.get("rows_out"))
        out.append(
            {
                "batch": batch if isinstance(batch, int) and not isinstance(batch, bool) else None,
                "vary": _vary(case.get("vary")),
                "outcome": str(item.get("state") or "?"),
                "class": _class(_dict(item.get("signature"))),
                "rows": f"{rows[0]} -> {rows[1]}" if None not in rows else "",
                "seconds": _number(item.get("run_seconds")),
                "compile_seconds": _number(item.get("compile_seconds")),
                "place": item.get("place"),
                "message": item.get("message") or item.get("note"),
            }
        )
    return out


def rules(replay: Replay) -> list[str]:
    """For which sizes it fails, in words."""
    out = []
    for rule in _dicts(_dict(replay.get("sweep")).get("rules")):
        vary = _vary(rule.get("vary"))
        out.append(f"{vary}: {rule.get('text')}" if vary else str(rule.get("text")))
    return out


def isolation(replay: Replay) -> list[tuple[str, str]]:
    """What was isolated, and what it took."""
    found = _dict(replay.get("isolated"))
    if not found:
        return []
    inputs = [f"{_shape(i.get('shape'))} {i.get('dtype') or ''}".strip() for i in _dicts(found.get("inputs"))]
    rows = [(key, found.get(key)) for key in ("op", "node", "layer", "location", "message", "mode")]
    rows.append(("inputs", ", ".join(inputs)))
    effort = [f"{found[key]} {key}" for key in ("ops", "tries", "compilations") if isinstance(found.get(key), int)]
    seconds = _number(found.get("seconds"))
    rows.append(("found among", ", ".join(effort) + (f", in {seconds:.3g} s" if seconds is not None else "")))
    rows.append(("note", found.get("note")))
    return [(key, clip(str(value), _LONGEST)) for key, value in rows if value]


def links(replay: Replay) -> list[dict[str, Any]]:
    """The chain of a dynamic dimension: `{"op", "node", "shape", "what", "source", "where", "why"}`."""
    chain = _dict(replay.get("isolated")).get("chain") or _dict(replay.get("lowering")).get("dynamic")
    return [
        {
            "op": str(link.get("op") or "?"),
            "node": link.get("node"),
            "shape": str(link.get("shape") or ""),
            "what": str(link.get("what") or "carries"),
            "source": link.get("location"),
            "where": link.get("computation"),
            "why": link.get("why"),
        }
        for link in _dicts(chain)
    ]


def agreements(replay: Replay) -> list[dict[str, Any]]:
    """Parity, one row an output and a pair of ways (or one way on other rows)."""
    from xladoctor.model.replay import TESTS

    out = []
    for item in _dicts(_dict(replay.get("parity")).get("agreements")):
        ways = item.get("ways")
        pair = [_SAID.get(str(w), str(w)) for w in ways] if isinstance(ways, list) else []
        test = item.get("test")
        between = f"{TESTS.get(str(test), test)} ({pair[0]})" if test and pair else " / ".join(pair)
        shapes = item.get("shapes")
        both = [_shape(s) for s in shapes] if isinstance(shapes, list) else []
        out.append(
            {
                "output": str(item.get("output") or "?"),
                "ways": between,
                "agree": bool(item.get("agree")),
                "deviation": _number(item.get("deviation")),
                "tolerance": _number(item.get("tolerance")),
                "amplitude": _number(item.get("amplitude")),
                "phase": _number(item.get("phase")),
                "shapes": both[0] if len(set(both)) == 1 else " / ".join(both),
                "rows": ", ".join(map(str, item["rows"])) if isinstance(item.get("rows"), list) else "",
                "class": _class(item),
                "what": item.get("what"),
            }
        )
    return out


def maps(replay: Replay) -> list[dict[str, Any]]:
    """Where outputs deviate, of those whose map was kept: {"output", "ways", "tolerance", "rows": [(row, deviation)],
    "block", "row", "shape", "cells"}, the worst first.
    """
    out = []
    shown = agreements(replay)
    for item, said in zip(_dicts(_dict(replay.get("parity")).get("agreements")), shown, strict=True):
        found = _dict(item.get("map"))
        rows = [(r[0], _far(r[1])) for r in _lists(found.get("rows")) if len(r) == 2 and isinstance(r[0], int)]
        if said["agree"] or not rows:
            continue
        cells = [[_far(v) for v in line] for line in _lists(found.get("cells"))]
        shape = [n for n in _listed(found.get("shape")) if isinstance(n, int)]
        whole = len(shape) == 2 and bool(cells) and all(cells) and len({len(line) for line in cells}) == 1
        block, row = found.get("block"), found.get("row")
        out.append(
            {
                **{k: said[k] for k in ("output", "ways", "tolerance")},
                "rows": rows,
                "block": block if isinstance(block, int) and block > 0 else 1,
                "row": row if isinstance(row, int) else "?",
                "shape": shape if whole else None,
                "cells": cells if whole else [],
            }
        )
    return sorted(out, key=lambda m: max(v for _, v in m["rows"]), reverse=True)


def deviations(replay: Replay) -> tuple[list[list[float | None]], list[str], list[str], float | None]:
    """The matrix of parity (an output a row, a pair of ways a column), its labels and the tolerance.

    Where tolerances differ, the deviations are multiples of their own, and the tolerance is 1.
    """
    # What is about the number of rows has no deviation to show.
    found = [a for a in agreements(replay) if a["deviation"] is not None or (not a["agree"] and a["tolerance"])]
    rows = list(dict.fromkeys(a["output"] for a in found))
    columns = list(dict.fromkeys(a["ways"] for a in found))
    tolerances = {a["tolerance"] for a in found if a["tolerance"]}
    common = next(iter(tolerances)) if len(tolerances) == 1 else 1.0 if tolerances else None
    matrix: list[list[float | None]] = [[None] * len(columns) for _ in rows]
    for a in found:
        value = math.inf if a["deviation"] is None else abs(a["deviation"])
        if len(tolerances) > 1:
            value /= a["tolerance"] or min(tolerances)
        matrix[rows.index(a["output"])][columns.index(a["ways"])] = value
    return matrix, rows, columns, common


def divergence(replay: Replay) -> list[tuple[str, str]]:
    """The first node at which two ways part, and what could not be compared."""
    parity = _dict(replay.get("parity"))
    node = _dict(parity.get("first_node"))
    rows = [(f"first {key}" if key == "node" else key, node.get(key)) for key in ("node", "op", "location", "message")]
    rows.append(("deviation there", number(_number(node.get("deviation")))))
    left_out = parity.get("not_comparable")
    rows.append(("not compared", "; ".join(map(str, left_out)) if isinstance(left_out, list) else ""))
    return [(key, clip(str(value), _LONGEST)) for key, value in rows if value]


def tested(replay: Replay) -> list[dict[str, Any]]:
    """Remedies that were applied and run."""
    keys = ("title", "result", "safety", "how", "message", "remedy")
    return [
        {key: item.get(key) for key in keys}
        | {key: _number(item.get(key)) for key in ("deviation", "speed_ratio")}
        | {"numerics": "changes numerics" if item.get("changes_numerics") else ""}
        | {"verified": verdict_of(item.get("result"), item.get("changes_numerics")) == "verified"}
        for item in _dicts(replay.get("remedies"))
    ]


def lowering(replay: Replay) -> list[tuple[str, str]]:
    """What lowering for another platform gave."""
    found = _dict(replay.get("lowering"))
    if not found:
        return []
    unsupported = found.get("unsupported")
    rows = [
        ("platform", found.get("platform")),
        ("result", "lowers" if found.get("ok") else "does not lower"),
        ("without a kernel", ", ".join(map(str, unsupported)) if isinstance(unsupported, list) else ""),
        ("message", found.get("message")),
        ("note", found.get("note")),
    ]
    return [(key, str(value)) for key, value in rows if value]


def repro(replay: Replay) -> list[tuple[str, str]]:
    """The script that shows the same, and whether it did."""
    found = _dict(replay.get("repro"))
    if not found:
        return []
    did = "fails in the same way in a fresh process" if found.get("reproduced") else "does NOT show the failure"
    rows = [("script", found.get("path")), ("run again", did), ("message", found.get("message"))]
    return [(key, str(value)) for key, value in rows if value]


def number(value: float | None) -> str:
    """A measured number, or nothing."""
    return "" if value is None else f"{value:.3g}"


def _class(item: dict[str, Any]) -> Any:
    # `slug` in Python, `class` in JSON.
    return item.get("class") or item.get("slug")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, Sequence) else []


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return _BAD.get(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _far(value: Any) -> float:
    """A deviation; what is no number is as far as can be."""
    number = _number(value)
    return math.inf if number is None else number


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _lists(value: Any) -> list[list[Any]]:
    return [v for v in _listed(value) if isinstance(v, list)]


def _vary(value: Any) -> str:
    pairs = [p for p in value if isinstance(p, list | tuple) and len(p) == 2] if isinstance(value, list | tuple) else []
    return ", ".join(f"{name}={setting}" for name, setting in pairs)


def _shape(value: Any) -> str:
    from xladoctor.report.facts import shape_text

    return shape_text(value)
