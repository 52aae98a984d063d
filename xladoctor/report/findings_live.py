"""A finding at the moment at which it is found: a few lines under the time."""

from __future__ import annotations

from datetime import datetime

from xladoctor.model.diagnosis import Finding
from xladoctor.report.page import Page, place
from xladoctor.report.text import clip

_STYLES = {"error": "bold red", "warning": "bold yellow"}
_MOST = 300


def render(finding: Finding, page: Page, now: datetime | None = None) -> str:
    """Writes it on `page`, and returns what is on it."""
    time = (now or datetime.now()).strftime("%H:%M:%S")
    style = _STYLES.get(finding.level, "bold")
    page.flow(((time, "dim"), (f"  {finding.code} {finding.slug}", style)), finding.title, hang=10)
    page.para(clip(finding.message, _MOST), indent=10)
    if finding.location:
        page.para(f"at {place(finding.location)}", indent=10)
    where = next((proof.where for proof in finding.evidence if proof.where), None)
    if where:
        page.para(f"said in {where}", indent=10)
    page.blank()
    return page.text()
