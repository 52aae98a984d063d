"""The settings timeline: who wrote what when, who read it to decide, between the milestones."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.report.html import Markup
from xladoctor.report.stations import SettingMoment
from xladoctor.report.svg.canvas import NARROW, WIDE, Canvas

_LANE, _TOP, _MARK = 34, 30, 7
_FEWEST, _WIDEST = 46, 110


def settings(name: str, moments: Sequence[SettingMoment]) -> Markup:
    """Columns are moments in order (their seconds stand below: real time would put all on one spot), rows are settings.

    Args:
        name: of the picture on its page.
        moments: in order.
    """
    lanes = list(dict.fromkeys(m.setting for m in moments if not m.is_milestone))
    miles = [m for m in moments if m.is_milestone]
    left = max([len(lane) for lane in lanes] + [8]) * WIDE + 20
    step = min(max((860 - left) / max(len(moments), 1), _FEWEST), _WIDEST)
    height = _TOP + _LANE * len(lanes) + 22
    said = "; ".join(f"{m.t:g} s {m.setting} {m.action} {m.value}".strip() for m in moments)
    canvas = Canvas(name, "Writes and reads of settings, in order of time", said)
    for row, lane in enumerate(lanes):
        y = _TOP + _LANE * row + 14
        canvas.text(6, y + 4, lane, "t-b")
        canvas.line(left - 6, y, left + step * len(moments), y, "grid")
    for n, moment in enumerate(moments):
        x = left + step * n + step / 2
        seconds = _seconds(moment)
        if not n or _seconds(moments[n - 1]) != seconds:
            canvas.text(x, height - 6, seconds, "t-dim t-s t-m")
        if moment.is_milestone:
            number = miles.index(moment) + 1
            canvas.line(x, _TOP - 8, x, height - 18, "line dash")
            canvas.rect(x - 10, 4, 20, 18, "f-head", moment.setting, 9)
            canvas.text(x, 17, number, "t-s t-m")
            continue
        y = _TOP + _LANE * lanes.index(moment.setting) + 14
        _mark(canvas, x, y, moment)
        value = moment.value
        canvas.text(x, y - 10, value, "t-s t-m" + (" t-bad" if moment.wrong else ""), max(int(step / NARROW), 5))
    return canvas.svg(left + step * len(moments) + 14, height)


def _seconds(moment: SettingMoment) -> str:
    return f"{moment.t:.2f}" if moment.t < 100 else f"{moment.t:.0f}"


def _mark(canvas: Canvas, x: float, y: float, moment: SettingMoment) -> None:
    tip = f"{moment.setting} {moment.action} {moment.value} {moment.note or ''}".strip()
    if moment.wrong:
        canvas.cross(x, y, _MARK)
    elif moment.action == "read":
        canvas.circle(x, y, _MARK - 1, "f-bg", tip)
    elif moment.action == "start":
        canvas.circle(x, y, 3, "f-dim", tip)
    else:
        canvas.rect(x - _MARK + 1, y - _MARK + 1, 2 * _MARK - 2, 2 * _MARK - 2, "f-dim", tip)
