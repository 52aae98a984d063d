"""The map of a sweep: for which batch sizes, under which settings, it passes and fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xladoctor.report.html import Markup
from xladoctor.report.svg.canvas import NARROW, WIDE, Canvas

_CELL, _TOP = 34, 34
_PER_ROW = 24


def sweep(name: str, rows: Sequence[dict[str, Any]]) -> Markup:
    """A field for each case: columns are batch sizes, rows what was varied.

    Args:
        name: of the picture on its page.
        rows: `{"batch", "vary", "outcome": "passed" | "failed" | "silent" | "crashed" | "timed-out" | "refused",
            "class"}`.
    """
    sizes = sorted({r["batch"] for r in rows}, key=lambda b: (b is None, b or 0))
    lanes = list(dict.fromkeys(str(r.get("vary") or "") for r in rows))
    bad = sorted({str(r["batch"]) for r in rows if r["outcome"] not in ("passed", "refused")})
    said = f"{len(rows)} cases; " + (f"bad at batch sizes {', '.join(bad)}" if bad else "none is bad")
    canvas = Canvas(name, "Which batch sizes pass and which fail", said)
    left = max([len(lane) for lane in lanes] + [5]) * WIDE + 16
    found = {(r["batch"], str(r.get("vary") or "")): r for r in rows}
    y: float = _TOP
    for start in range(0, len(sizes), _PER_ROW):
        part = sizes[start : start + _PER_ROW]
        canvas.text(6, y - 10, "batch", "t-dim t-s")
        for n, size in enumerate(part):
            canvas.text(left + _CELL * n + _CELL / 2, y - 10, "?" if size is None else size, "t-s t-m")
        for lane in lanes:
            canvas.text(6, y + _CELL / 2 + 4, lane, "t-b")
            for n, size in enumerate(part):
                case = found.get((size, lane))
                if case is not None:
                    _case(canvas, left + _CELL * n, y, case)
            y += _CELL
        y += _TOP
    width = left + _CELL * min(len(sizes), _PER_ROW) + 10
    return canvas.svg(max(width, 320), y - _TOP + 8 + _legend(canvas, y - _TOP + 22, rows))


def _case(canvas: Canvas, x: float, y: float, case: dict[str, Any]) -> None:
    outcome, kind = str(case["outcome"]), str(case.get("class") or "")
    tip = f"batch {case['batch']} {case.get('vary') or ''}: {outcome} {kind}"
    middle = (x + _CELL / 2, y + _CELL / 2)
    if outcome == "passed":
        canvas.rect(x + 2, y + 2, _CELL - 4, _CELL - 4, "o-ok", tip, 4)
        canvas.tick(*middle, 7)
    elif outcome == "refused":
        canvas.rect(x + 2, y + 2, _CELL - 4, _CELL - 4, "f-bg dash", tip, 4)
        canvas.text(middle[0], middle[1] + 4, "–", "t-dim t-m")
    else:
        canvas.rect(x + 2, y + 2, _CELL - 4, _CELL - 4, "o-bad", tip, 4)
        sign = {"silent": "≠", "crashed": "†", "timed-out": "…"}.get(outcome)
        if sign is None:
            canvas.cross(*middle, 7)
        else:
            canvas.text(middle[0], middle[1] + 5, sign, "t-bad t-b t-m")


def _legend(canvas: Canvas, y: float, rows: Sequence[dict[str, Any]]) -> float:
    said = {
        "passed": "✓ passes",
        "failed": "✗ fails",
        "silent": "≠ wrong without an error",
        "crashed": "† the process dies",
        "timed-out": "… takes too long",
        "refused": "– could not be tried",
    }
    x = 6.0
    for outcome in [key for key in said if any(r["outcome"] == key for r in rows)]:
        x = canvas.text(x, y, said[outcome], "t-dim t-s") + 2 * NARROW
    return 24
