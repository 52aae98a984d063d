"""The map of a sweep: for which batch sizes, under which settings, it passes and fails."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from xladoctor.model.replay import Outcome
from xladoctor.report.html import Markup
from xladoctor.report.replay.words import failure, varied
from xladoctor.report.svg.canvas import NARROW, WIDE, Canvas

_CELL, _TOP = 34, 34
_PER_ROW = 24
_MANY = 72
_FINE = ("passed", "refused")


_Found = dict[tuple[int | None, str], Outcome]


def sweep(name: str, outcomes: Sequence[Outcome]) -> Markup:
    """A field for each case: columns are batch sizes, rows what was varied.

    Args:
        name: of the picture on its page.
        outcomes: of the cases that were tried.
    """
    sizes = sorted({o.case.batch for o in outcomes}, key=lambda b: (b is None, b or 0))
    lanes = list(dict.fromkeys(varied(o.case) for o in outcomes))
    failed = {o.case.batch for o in outcomes if o.state not in _FINE}
    bad = [str(size) for size in sizes if size in failed]
    shown = ", ".join(bad[:_MANY]) + (f" and {len(bad) - _MANY} more" if len(bad) > _MANY else "")
    said = f"{len(outcomes)} cases; " + (f"bad at batch sizes {shown}" if bad else "none is bad")
    canvas = Canvas(name, "Which batch sizes pass and which fail", said)
    left = max([len(lane) for lane in lanes] + [5]) * WIDE + 16
    found = {(o.case.batch, varied(o.case)): o for o in outcomes}
    columns = _columns(sizes, lanes, found)
    wide = max([_CELL] + [len(label) * NARROW + 6 for label, _ in columns])
    y: float = _TOP
    per_row = max(int(_PER_ROW * _CELL / wide), 1)
    for start in range(0, len(columns), per_row):
        part = columns[start : start + per_row]
        canvas.text(6, y - 10, "batch", "t-dim t-s")
        for n, (label, _) in enumerate(part):
            canvas.text(left + wide * n + wide / 2, y - 10, label, "t-s t-m")
        for lane in lanes:
            canvas.text(6, y + _CELL / 2 + 4, lane, "t-b")
            for n, (label, size) in enumerate(part):
                case = found.get((size, lane))
                if case is not None:
                    _case(canvas, left + wide * n + (wide - _CELL) / 2, y, case, label)
            y += _CELL
        y += _TOP
    width = left + wide * min(len(columns), per_row) + 10
    return canvas.svg(max(width, 320), y - _TOP + 8 + _legend(canvas, y - _TOP + 22, outcomes))


def _columns(sizes: Sequence[int | None], lanes: Sequence[str], found: _Found) -> list[tuple[str, int | None]]:
    """(label, a size of it): each size for itself, or, where there are many, neighbours that went the same way.

    `1–15` are all of these sizes, `1…15` some of them.
    """
    if len(sizes) <= _MANY:
        return [("?" if size is None else str(size), size) for size in sizes]

    def went(size: int | None) -> tuple[object, ...]:
        cases = [found.get((size, lane)) for lane in lanes]
        return (size is None, *(case and (case.state, failure(case)) for case in cases))

    out: list[tuple[str, int | None]] = []
    for _, group in groupby(sizes, key=went):
        same = list(group)
        first, last = same[0], same[-1]
        if first is None or last is None or first == last:
            label = "?" if first is None else str(first)
        else:
            label = f"{first}{'–' if last - first == len(same) - 1 else '…'}{last}"
        out.append((label, first))
    return out


def _case(canvas: Canvas, x: float, y: float, outcome: Outcome, label: str) -> None:
    tip = f"batch {label} {varied(outcome.case)}: {outcome.state} {failure(outcome)}"
    middle = (x + _CELL / 2, y + _CELL / 2)
    if outcome.state == "passed":
        canvas.rect(x + 2, y + 2, _CELL - 4, _CELL - 4, "o-ok", tip, 4)
        canvas.tick(*middle, 7)
    elif outcome.state == "refused":
        canvas.rect(x + 2, y + 2, _CELL - 4, _CELL - 4, "f-bg dash", tip, 4)
        canvas.text(middle[0], middle[1] + 4, "–", "t-dim t-m")
    else:
        canvas.rect(x + 2, y + 2, _CELL - 4, _CELL - 4, "o-bad", tip, 4)
        sign = {"silent": "≠", "crashed": "†", "timed-out": "…"}.get(outcome.state)
        if sign is None:
            canvas.cross(*middle, 7)
        else:
            canvas.text(middle[0], middle[1] + 5, sign, "t-bad t-b t-m")


def _legend(canvas: Canvas, y: float, outcomes: Sequence[Outcome]) -> float:
    said = {
        "passed": "✓ passes",
        "failed": "✗ fails",
        "silent": "≠ wrong without an error",
        "crashed": "† the process dies",
        "timed-out": "… takes too long",
        "refused": "– could not be tried",
    }
    x = 6.0
    for state in [key for key in said if any(o.state == key for o in outcomes)]:
        x = canvas.text(x, y, said[state], "t-dim t-s") + 2 * NARROW
    return 24
