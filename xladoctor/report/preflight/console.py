"""A preflight on the terminal: one line a check, what to do where it is no pass, and the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.report import text
from xladoctor.report.preflight.words import next_commands, plan_rows, style, verdict

if TYPE_CHECKING:
    from xladoctor.model.preflight import Check, Preflight
    from xladoctor.report.page import Page

_STYLES = {"pass": "green", "warn": "yellow", "fail": "bold red", "unchecked": "yellow", "skipped": "dim"}


def render(found: Preflight, page: Page, verbose: bool) -> str:
    """The checks (with their evidence where `verbose`), the batches, the answer."""
    if found.cached:
        page.para(
            f"Nothing has changed since {found.cached}: this is the answer from that time (--no-cache runs "
            f"the checks again).",
            indent=0,
        )
        page.blank()
    for check in found.checks:
        line(page, check)
        if verbose or check.state in ("fail", "warn", "unchecked"):
            after(page, check, verbose)
    rows = plan_rows(found)
    if rows:
        page.heading("Batches")
        page.table(rows)
    page.blank()
    page.flow([(verdict(found), style(found))], summary(found))
    for note in found.notes:
        page.para(note)
    for number, (command, why) in enumerate(next_commands(found)):
        room = len(command) + len(why) + 13 < page.width
        page.parts((f"  {'' if number else 'Next':<6}", "bold"), (command, ""), (f"  # {why}" if room else "", "dim"))
    if found.folder:
        page.para(f"Kept in {found.folder}", style="dim")
    return page.text()


def line(page: Page, check: Check) -> None:
    """A check's state, name, time and reason."""
    lead = [
        (f"{check.state:<9}", _STYLES[check.state]),
        (f" {check.name:<9}", "bold"),
        (f" {check.seconds:6.1f} s", "dim"),
    ]
    page.flow(lead, text.line(check.message), hang=10)


def after(page: Page, check: Check, verbose: bool) -> None:
    """What to do, and the evidence."""
    if check.todo:
        page.para(check.todo, indent=10, first="-> ", hang=3)
    for detail in check.details if verbose else check.details[1:4]:
        page.para(detail, indent=10, first="- ", hang=2)


def summary(found: Preflight) -> str:
    """How many checks ended how."""
    counts = {s: sum(c.state == s for c in found.checks) for s in ("fail", "unchecked", "warn", "pass", "skipped")}
    words = {"fail": "failed", "warn": "warned", "pass": "passed", "unchecked": "not checked", "skipped": "skipped"}
    told = ", ".join(f"{n} {words[s]}" for s, n in counts.items() if n)
    return f"{found.study}: {told}; {found.seconds:.0f} s"
