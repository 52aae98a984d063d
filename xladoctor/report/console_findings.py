"""The findings of the console report: the short form of the first screen, and the whole one."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.report import facts, findings
from xladoctor.report.page import Page, place
from xladoctor.report.text import clip, line

_LEVELS = {"error": "bold red", "warning": "bold yellow", "note": "bold"}
_STATUS = {"confirmed": "red", "refuted": "green", "untested": "yellow"}
_FEW = 2
_ONE_LINE = 240
_MESSAGE = 480


def brief(page: Page, finding: Finding) -> None:
    """What, where, the shapes and the numbers; nothing twice, and of the evidence what is not said already."""
    _head(page, finding)
    rows = facts.shapes(finding)
    said = clip(findings.beyond(finding), _MESSAGE)
    is_root = finding.role == "root"
    repeated = said.lower().startswith(finding.title.strip().lower())
    if not said or not (repeated or (facts.numbers(finding) and not is_root)):
        page.para(finding.title, style="bold")
    if finding.location:
        _at(page, finding.location, finding.layer if is_root else None)
    made = findings.made(finding)
    if made:
        page.para(made, indent=4, hang=2)
    # Expected and seen once: a title that has them is enough.
    kept = [row for row in rows if row[0] == "contract" or row[1] not in finding.title]
    bound = [f"{axis.name} = {axis.value}" + (f" by {axis.by}" if axis.by else "") for axis in facts.axes(finding)]
    named = [f"{key} {value}" for key, value in kept] + bound
    if named:
        page.para(", ".join(named), indent=4, hang=2, style="bold")
    if said and said != finding.title.strip():
        page.para(said)
    for number in facts.numbers(finding):
        product = f" = {number.factors}" if number.factors else ""
        page.flow(((f"{number.value}{product}", "bold"),), number.short, indent=4, hang=4, style="dim")
    if is_root and findings.basis(finding) and finding.level == "error":
        page.para(findings.basis(finding), style="dim")
    if is_root and not rows:
        _evidence(page, findings.told_once(finding.evidence), whole=False)


def whole(page: Page, finding: Finding) -> None:
    """Everything that is known of it."""
    from xladoctor.report import details

    _head(page, finding)
    page.para(finding.title, style="bold")
    if finding.location:
        _at(page, finding.location, None)
    if finding.message.strip() and finding.message.strip() != finding.title.strip():
        page.para(finding.message)
    if findings.basis(finding):
        page.para(findings.basis(finding), style="dim")
    _facts(page, finding)
    named = [(k, str(v)) for k in ("op", "node", "device", "layer") if (v := getattr(finding, k))]
    named += [("dims", facts.sizes_text(finding.dims))] if finding.dims else []
    known = [(what, ", ".join(value for value in values if value)) for what, values in details.known(finding)]
    page.table([*named, *known, *facts.flat(details.unknown(finding))], indent=4, styles=["dim", ""])
    _evidence(page, findings.told_once(finding.evidence), whole=True)


def _head(page: Page, finding: Finding) -> None:
    pieces = [
        (findings.heading(finding), _LEVELS.get(finding.level, "bold")),
        (f"  {finding.code} {finding.slug}", "bold"),
    ]
    if finding.level == "error" or finding.status != "confirmed":
        pieces += [("  ", ""), (findings.status(finding), _STATUS.get(finding.status, ""))]
    page.blank()
    page.parts(*pieces)


def _at(page: Page, location: Location, layer: str | None) -> None:
    inside = f" in {location.function}" if location.function else ""
    where = f"  at {place(location)}{inside}, layer {line(layer)}"
    fits = layer and len(where) < page.width
    page.parts(
        ("at ", "dim"),
        (place(location), "cyan"),
        (inside, "dim"),
        (f", layer {layer}" if fits else "", "dim"),
        indent=2,
    )


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
