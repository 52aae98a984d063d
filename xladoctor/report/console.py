"""The diagnosis for a person with a dead run: the answer on the first screen, the tables below it."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.diagnosis.model import Diagnosis, Finding, Location, Proof, Remedy
from xladoctor.report import console_tables, facts
from xladoctor.report.page import Page, place
from xladoctor.report.text import clip
from xladoctor.report.view import View

VERDICTS = {
    "failed": ("FAILED", "bold red"),
    "warnings": ("WARNINGS", "bold yellow"),
    "healthy": ("HEALTHY", "bold green"),
}
_LEVELS = {"error": "bold red", "warning": "bold yellow", "note": "bold"}
_STATUS = {"confirmed": "red", "refuted": "green", "untested": "yellow"}
_RESULTS = {"verified": "green", "failed": "red", "untested": "yellow"}
_FEW = 3
_ONE_LINE = 240


def render(diagnosis: Diagnosis, page: Page, view: View | None = None) -> str:
    """Writes the report on `page`, and returns what is on it."""
    view = view or View()
    _verdict(page, diagnosis, view)
    if view.quiet:
        return page.text()
    _bullets(page, "Could not be read", diagnosis.problems, "bold yellow")
    roots = [finding for finding in diagnosis.findings if finding.role == "root"]
    if not roots:
        _bullets(page, "Notes", diagnosis.notes)
    for finding in roots:
        _finding(page, finding, "Root cause", view)
    others = [finding for finding in diagnosis.findings if finding.role != "root"]
    _others(page, others, view)
    _remedies(page, diagnosis, view)
    if roots:
        _bullets(page, "Notes", diagnosis.notes)
    console_tables.render(page, diagnosis, view)
    console_tables.next_commands(page, diagnosis, view)
    return page.text()


def _verdict(page: Page, diagnosis: Diagnosis, view: View) -> None:
    word, style = VERDICTS.get(diagnosis.verdict, (str(diagnosis.verdict), "bold"))
    aside = "" if view.target_status is None else f" ({ended(view.target_status, diagnosis.verdict == 'failed')})"
    page.parts(("xladoctor: ", "bold"), (word, style), (f"  {diagnosis.source}", ""), (aside, "dim"))
    if view.quiet and diagnosis.root:
        root = diagnosis.root
        page.parts((f"{root.code} {root.slug}: {root.title}", ""), indent=2)
        if root.location:
            page.parts((f"at {root.location}", ""), indent=2)
    elif not diagnosis.findings:
        page.para("Nothing was found that looks wrong.")


def ended(status: int, failed: bool) -> str:
    """How the program ended, in words; a negative status is the signal that ended it."""
    if status >= 0:
        return f"{'although ' if failed and status == 0 else ''}the program ended with {status}"
    import signal

    known = {int(number): number.name for number in signal.Signals}
    return f"the program was killed by {known.get(-status, f'signal {-status}')}"


def _finding(page: Page, finding: Finding, heading: str, view: View) -> None:
    page.blank()
    page.parts(
        (heading, _LEVELS.get(finding.level, "bold")),
        (f"  {finding.code} {finding.slug}", "bold"),
        ("  ", ""),
        (finding.status, _STATUS.get(finding.status, "")),
    )
    page.para(finding.title, style="bold")
    if finding.location:
        _at(page, finding.location)
    if finding.message.strip() and finding.message.strip() != finding.title.strip():
        page.para(finding.message)
    _facts(page, finding)
    if view.verbose:
        named = [(k, str(v)) for k in ("op", "node", "device", "layer") if (v := getattr(finding, k))]
        named += [("dims", facts.sizes_text(finding.dims))] if finding.dims else []
        page.table([*named, *facts.rest(finding)], indent=4, styles=["dim", ""])
    elif finding.layer:
        page.table([("layer", finding.layer)], indent=4, styles=["dim", ""])
    if view.verbose:
        _evidence(page, finding.evidence, whole=True)
    elif finding.role == "root":
        _evidence(page, finding.evidence, whole=False)


def _at(page: Page, location: Location) -> None:
    inside = f" in {location.function}" if location.function else ""
    page.parts(("at ", "dim"), (place(location), "cyan"), (inside, "dim"), indent=2)


def _facts(page: Page, finding: Finding) -> None:
    shapes = facts.shapes(finding)
    if shapes:
        page.para(", ".join(f"{key} {value}" for key, value in shapes), indent=4, hang=2, style="bold")
    said = [(axis.name, f"= {axis.value}", f"bound by {axis.by}" if axis.by else "") for axis in facts.axes(finding)]
    page.table(said, indent=4, styles=["bold", "bold", "dim"])
    for number in facts.numbers(finding):
        product = f" = {number.factors}" if number.factors else ""
        page.para(f"{number.value}{product}", indent=4, hang=4, style="bold")
        if number.meaning:
            page.para(number.meaning, indent=8)


def _evidence(page: Page, evidence: Sequence[Proof], whole: bool) -> None:
    shown = evidence if whole else evidence[:_FEW]
    for proof in shown:
        where = f" [{proof.where}]" if proof.where else ""
        said = proof.text if whole else clip(proof.text.strip().partition("\n")[0], _ONE_LINE)
        page.para(f"{said}{where}", indent=4, hang=2, style="dim", first="- ")
    if len(evidence) > len(shown):
        page.parts((f"- {len(evidence) - len(shown)} more (--verbose)", "dim"), indent=4)


def _others(page: Page, findings: Sequence[Finding], view: View) -> None:
    serious = [f for f in findings if f.level != "note" or view.verbose]
    shown = serious if view.verbose else serious[:_FEW]
    for finding in shown:
        heading = "Consequence" if finding.level == "error" else str(finding.level).capitalize()
        _finding(page, finding, heading, view)
    left = [finding for finding in findings if finding not in shown]
    if left:
        page.heading("Also found", "--verbose for all of it")
        page.table([(f.code, f.slug, f.title) for f in left], styles=["", "", ""])


def _remedies(page: Page, diagnosis: Diagnosis, view: View) -> None:
    remedies: dict[str, Remedy] = {}
    for finding in sorted(diagnosis.findings, key=lambda f: f.role != "root"):
        if finding.level != "note" or view.verbose:
            for remedy in finding.remedies:
                remedies.setdefault(remedy.id, remedy)
    if not remedies:
        return
    page.heading("What to do")
    shown = list(remedies.values()) if view.verbose else list(remedies.values())[:_FEW]
    for number, remedy in enumerate(shown, 1):
        page.para(f"{remedy.title} ({remedy.safety}; {tested(remedy)})", hang=3, first=f"{number}. ", style="bold")
        if remedy.how.strip() and remedy.how.strip() != remedy.title.strip():
            page.para(remedy.how, indent=5)
    if len(remedies) > len(shown):
        page.parts((f"{len(remedies) - len(shown)} more (--verbose)", "dim"), indent=2)


def tested(remedy: Remedy) -> str:
    """What is known of a remedy, in words."""
    said = {"verified": "verified by running it", "failed": "FAILED when tried"}.get(remedy.result, "not tested yet")
    if remedy.deviation is not None:
        said += f", deviation {facts.number_text(remedy.deviation)}"
    if remedy.speed_ratio is not None:
        said += f", speed ratio {facts.number_text(remedy.speed_ratio)}"
    return said


def _bullets(page: Page, title: str, said: Sequence[str], style: str = "bold") -> None:
    if said:
        page.heading(title, style=style)
        for item in said:
            page.para(item, hang=2, first="- ")
