"""The settings timeline of the console report."""

from __future__ import annotations

from xladoctor.model.diagnosis import Diagnosis
from xladoctor.report import facts, text, timeline
from xladoctor.report.page import Page, place

_CAPS = (8, 60, 16, 32, 1000)


def render(page: Page, diagnosis: Diagnosis) -> None:
    """Who wrote which setting, and who read it to decide."""
    moments = timeline.folded(diagnosis.settings)
    page.heading("Settings", "seconds since the start; the lines that wrote and read them")
    rows = []
    for moment in moments:
        event = moment.event
        setting, action, value = timeline.words(event)
        times = f" x{moment.times}" if moment.times > 1 else ""
        where = place(event.location) if event.location else ""
        last = " ".join(part for part in (where, event.note or "") if part)
        time = facts.number_text(event.t, 4)
        cells = [time, setting, f"{action}{times}", value, last]
        rows.append([text.clip(text.line(cell), cap) for cell, cap in zip(cells, _CAPS, strict=True)])
    whole = [row for row in rows if row[3]]
    widths = page.widths(whole)[:4] if whole else [0, 0, 0, 0]
    widths[0] = max((page.widths([row])[0] for row in rows), default=0)
    for row in rows:
        if row[3]:
            page.row(row, widths, 2, ["dim", "", "", "", "dim"])
        else:
            said = f"{row[1]} {row[2].strip()}" if row[2] else row[1]
            page.parts((row[0].ljust(widths[0] + 2), "dim"), (said, "bold"), (f"  {row[4]}", "dim"), indent=2)
