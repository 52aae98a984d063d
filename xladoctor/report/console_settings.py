"""The settings timeline of the console report."""

from __future__ import annotations

from xladoctor.diagnosis.model import Diagnosis
from xladoctor.report import facts, text, timeline
from xladoctor.report.page import Page, place
from xladoctor.report.view import View

_MOMENTS = 24
_CAPS = (8, 60, 16, 32, 1000)


def render(page: Page, diagnosis: Diagnosis, view: View) -> None:
    """Who wrote which setting, and who read it to decide; what does not bear on XLA only where `verbose`."""
    moments = timeline.folded(diagnosis.settings)
    governing = [switch for path in diagnosis.xla_paths for switch in map(str, path.governed_by)]
    shown = moments if view.verbose else timeline.telling(moments, governing)[:_MOMENTS]
    page.heading("Settings", "seconds since the start; who wrote them, who read them to decide")
    rows = []
    for moment in shown:
        event = moment.event
        setting, action, value = timeline.words(event)
        times = f" x{moment.times}" if moment.times > 1 else ""
        where = place(event.location, short=not view.verbose) if event.location else ""
        last = " ".join(part for part in (where, event.note or "") if part)
        time = facts.number_text(event.t, 4)
        cells = [time, setting, f"{action}{times}", value, last]
        rows.append([text.clip(text.line(cell), cap) for cell, cap in zip(cells, _CAPS, strict=True)])
    whole = [row for row in rows if row[2]]
    widths = page.widths(whole)[:4] if whole else [8, 0, 0, 0]
    for row in rows:
        if row[2]:
            page.row(row, widths, 2, ["dim", "", "", "", "dim"])
        else:
            page.parts((row[0].ljust(widths[0] + 2), "dim"), (row[1], "bold"), (f"  {row[4]}", "dim"), indent=2)
    if len(moments) > len(shown):
        page.parts((f"… {len(moments) - len(shown)} more (--verbose)", "dim"), indent=2)
