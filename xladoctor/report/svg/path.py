"""The path of the data through the watched functions, with the first violation marked."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.report.html import Markup
from xladoctor.report.stations import Station
from xladoctor.report.svg.canvas import WIDE, Canvas

_STEP, _INDENT, _LEFT, _TOP = 40, 22, 26, 26
_WIDTH = 1000


def data_path(name: str, stations: Sequence[Station]) -> Markup:
    """A line with a station for each place, from top to bottom.

    Args:
        name: of the picture on its page.
        stations: from top to bottom.
    """
    first = next((s for s in stations if s.first), None)
    said = "The watched functions that the data pass through, from top to bottom, with their shapes. "
    said += f"First violation: {first.place}, {first.remark or ''}" if first else "No contract is broken."
    canvas = Canvas(name, "The path of the data through the watched functions", said)
    at = [(_LEFT + _INDENT * min(s.depth, 8), _TOP + _STEP * n) for n, s in enumerate(stations)]
    wrong = False
    for n, station in enumerate(stations):
        x, y = at[n]
        if station.first:
            canvas.rect(2, y - 19, _WIDTH - 4, _STEP - 2, "f-mark", round_=4)
        if n:
            before = at[n - 1]
            kind = "line-bad" if wrong else "line"
            kind += " dash" if station.calls or stations[n - 1].calls else ""
            middle = y - _STEP / 2
            canvas.path(f"M{before[0]} {before[1]}V{middle:g}H{x}V{y}", kind)
        wrong = wrong or station.first
    for (x, y), station in zip(at, stations, strict=True):
        _station(canvas, x, y, station)
    return canvas.svg(_WIDTH, _TOP + _STEP * len(stations))


def _station(canvas: Canvas, x: float, y: float, station: Station) -> None:
    left = x + 18
    if station.calls:
        canvas.circle(x, y, 3, "f-dim")
        number = station.calls
        canvas.text(left, y + 4, f"{number} other call{'' if number == 1 else 's'}", "t-dim t-s")
        return
    state = station.state
    if state in ("broken", "failed"):
        canvas.cross(x, y, 10 if station.first else 7)
    elif state == "ok":
        canvas.tick(x, y, 7)
    else:
        canvas.circle(x, y, 6, "f-bg")
    room = int((_WIDTH - left) / WIDE)
    place = station.place
    end = canvas.text(left, y + 1, place, "t-b t-bad" if station.first else "t-b", room)
    canvas.text(end + 12, y + 1, station.shapes, "", max(int((_WIDTH - end - 12) / WIDE), 8))
    if station.first:
        canvas.text(left, y + 16, f"FIRST VIOLATION: {station.remark or ''}", "t-bad t-s", 140)
    elif station.remark:
        canvas.text(left, y + 15, station.remark, "t-bad t-s", 140)
    elif station.layer:
        canvas.text(left, y + 15, f"layer {station.layer}", "t-dim t-s", 140)
