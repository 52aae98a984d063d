"""The diagnosis for a person with a dead run: one screen with the answer, and everything else where asked for."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Diagnosis, Finding, Remedy
from xladoctor.report import checked, console_findings, console_tables, facts, findings
from xladoctor.report.headline import headline
from xladoctor.report.page import Page, place
from xladoctor.report.text import clip
from xladoctor.report.view import View

VERDICTS = {
    "failed": ("FAILED", "bold red"),
    "warnings": ("WARNINGS", "bold yellow"),
    "healthy": ("HEALTHY", "bold green"),
}
_NOTHING_CHECKED = ("ENDED WITH 0; nothing could be checked", "bold")
_NOTHING_FOUND = ("NOTHING FOUND", "bold green")
_FEW = 3
_OTHERS = 2
_SOURCE = 20
_HOW = 300
_NOTES = 200


def render(diagnosis: Diagnosis, page: Page, view: View | None = None) -> str:
    """Writes the report on `page`, and returns what is on it."""
    view = view or View()
    _verdict(page, diagnosis, view)
    if view.quiet:
        return page.text()
    page.bullets("Could not be read", diagnosis.problems, "bold yellow")
    roots = [finding for finding in diagnosis.findings if finding.role == "root"]
    if not roots:
        _notes(page, diagnosis, view)
    others = [finding for finding in diagnosis.findings if finding.role != "root"]
    if view.verbose or not roots:
        for finding in roots:
            console_findings.whole(page, finding, view)
        _others(page, others, view)
        _remedies(page, diagnosis, view)
    else:
        # What and where, what to do, and only then why: the first screen is the answer.
        console_findings.what(page, roots[0], view)
        _remedies(page, diagnosis, view)
        console_findings.why(page, roots[0])
        for finding in roots[1:]:
            console_findings.brief(page, finding, view)
        _others(page, others, view)
    if roots:
        _notes(page, diagnosis, view)
    console_tables.render(page, diagnosis, view)
    console_tables.next_commands(page, diagnosis, view)
    return page.text()


def _verdict(page: Page, diagnosis: Diagnosis, view: View) -> None:
    word, style = VERDICTS.get(diagnosis.verdict, (str(diagnosis.verdict), "bold"))
    log_alone = view.run_dir is None and not diagnosis.environment.get("command")
    if diagnosis.verdict == "healthy" and log_alone:
        word, style = _NOTHING_FOUND
    agreed = checked.agreed(diagnosis.checked)
    if diagnosis.verdict == "healthy" and agreed:
        word = f"{word}: {agreed}"
    elif diagnosis.verdict == "healthy" and view.target_status == 0 and checked.nothing(diagnosis.checked):
        word, style = _NOTHING_CHECKED
    aside = "" if view.target_status is None else f" ({how_it_ended(diagnosis, view.target_status)})"
    # A command is cut, since its reader typed it; a path never is.
    is_command = not view.verbose and " -" in diagnosis.source
    room = page.width - len(f"xladoctor: {word}  {aside}") - 1
    source = clip(diagnosis.source, max(room, _SOURCE)) if is_command else diagnosis.source
    page.flow((("xladoctor: ", "bold"), (word, style)), f"{source}{aside}", hang=2)
    if view.quiet and diagnosis.root:
        root = diagnosis.root
        page.parts((f"{root.code} {root.slug}: {headline(root)}", ""), indent=2)
        if root.location:
            page.parts((f"at {root.location}", ""), indent=2)
    elif diagnosis.findings:
        line = checked.summary(diagnosis.checked)
        if line:
            page.para(f"Checked: {line}.")
    else:
        nothing = checked.left_out(diagnosis.checked)
        if nothing is None and view.target_status == 0 and not diagnosis.checked:
            nothing = "nothing could be checked: XLA compiled no function, and no function with rows was traced"
        page.para(
            "Nothing in this log looks wrong. The doctor did not see the run itself."
            if log_alone
            else f"Nothing was found that looks wrong{f'; {nothing}' if nothing else ''}."
        )


def how_it_ended(diagnosis: Diagnosis, status: int) -> str:
    """How the program ended, in words; the status of what the doctor or a person stopped is not the program's."""
    stopped = {"timed-out": "stopped by the doctor at the time-out", "interrupted": "interrupted"}
    word = stopped.get(str(diagnosis.environment.get("stopped")))
    return word or ended(status, diagnosis.verdict == "failed")


def ended(status: int, failed: bool) -> str:
    """How the program ended, in words; a negative status is the signal that ended it."""
    if status >= 0:
        return f"{'although ' if failed and status == 0 else ''}the program ended with {status}"
    import signal

    known = {int(number): number.name for number in signal.Signals}
    return f"the program was killed by {known.get(-status, f'signal {-status}')}"


def _finding(page: Page, finding: Finding, view: View) -> None:
    if view.verbose:
        console_findings.whole(page, finding, view)
    else:
        console_findings.brief(page, finding, view)


def _others(page: Page, findings: Sequence[Finding], view: View) -> None:
    serious = [f for f in findings if f.level != "note" or view.verbose]
    shown = serious if view.verbose else serious[:_OTHERS]
    for finding in shown:
        _finding(page, finding, view)
    left = [finding for finding in findings if finding not in shown]
    if left:
        page.heading("Also found", "--verbose for all of it")
        page.table([(f.code, f.slug, headline(f)) for f in left[:_FEW]], styles=["", "", ""])
        if len(left) > _FEW:
            page.parts((f"… {facts.count(len(left) - _FEW, 'more finding')}", "dim"), indent=2)


def _remedies(page: Page, diagnosis: Diagnosis, view: View) -> None:
    every = findings.remedies(diagnosis.findings)
    remedies = every if view.verbose else findings.remedies(findings.decisive(diagnosis.findings))
    if not remedies:
        return
    shown = remedies if view.verbose else remedies[:_FEW]
    page.heading("What to do", f"{len(every) - len(shown)} more: --verbose" if len(every) > len(shown) else "")
    root = diagnosis.root
    # The line stands under the root cause already.
    known = f": {place(root.location)}" if root and root.location and not view.verbose else "\0"
    for number, remedy in enumerate(shown, 1):
        title = remedy.title.removesuffix(known)
        page.para(f"{title} ({remedy.safety}; {findings.tested(remedy)})", hang=3, first=f"{number}. ", style="bold")
        if number == 1 or view.verbose:
            _how(page, remedy, view)
    tried = root.details.get("edits") if root else None
    if isinstance(tried, list | tuple) and tried and not any(r.change and r.result == "verified" for r in every):
        page.para(
            f"{facts.count(len(tried), 'edit')} tried on a copy; the program runs with none of them.", style="dim"
        )


def _how(page: Page, remedy: Remedy, view: View) -> None:
    for sign, code in findings.as_diff(remedy):
        page.verbatim(f"{sign} {code}", indent=5, style="red" if sign == "-" else "green")
    how = findings.how(remedy)
    if how:
        page.para(how if view.verbose else clip(how, _HOW), indent=5)


def _notes(page: Page, diagnosis: Diagnosis, view: View) -> None:
    notes = diagnosis.notes if view.verbose else [clip(str(note), _NOTES) for note in diagnosis.notes[:_FEW]]
    page.bullets("Notes", notes)
    if len(diagnosis.notes) > len(notes):
        page.parts((f"… {facts.count(len(diagnosis.notes) - len(notes), 'more note')} (--verbose)", "dim"), indent=2)
