"""The findings of the console report: the short form of the first screen, and the whole one."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.model.shapes import sizes_text
from xladoctor.report import blamed, facts, findings
from xladoctor.report import excerpt as excerpts
from xladoctor.report.headline import first_sentence, headline, is_first_sentence
from xladoctor.report.page import Page, place
from xladoctor.report.text import clip, line
from xladoctor.report.view import View

_SIGNS = {"-": "red", "+": "green"}
_LEVELS = {"error": "bold red", "warning": "bold yellow", "note": "bold"}
_FEW = 2
_ONE_LINE = 240
_MESSAGE = 480


def brief(page: Page, finding: Finding, view: View) -> None:
    """What, where and why of a finding, one below the other."""
    what(page, finding, view)
    _reasons(page, finding)


def what(page: Page, finding: Finding, view: View) -> None:
    """The headline, the class behind it, the place, and its source lines with a caret."""
    _head(page, finding)
    is_root = finding.role == "root"
    if finding.location:
        # The layer is that of the failure: not of a line elsewhere that is suspected.
        layer = finding.layer if is_root and not blamed.moved(finding) else None
        _at(page, finding.location, layer, blamed.heading(finding))
    if is_root:
        _source(page, finding.location, view)
        _blame(page, finding, view)


def _blame(page: Page, finding: Finding, view: View) -> None:
    """What does not fit, and the other lines that may be at fault, each with its source."""
    if blamed.why(finding):
        page.para(blamed.why(finding))
    for row in blamed.rows(finding):
        inside = f" in {row.location.function}" if row.location.function else ""
        page.parts((f"{row.what} ", "dim"), (place(row.location), "cyan"), (inside, "dim"), indent=2)
        code = next((s.code for s in finding.suspects if s.location == row.location and s.code), "")
        if code:
            page.para(clip(code, _ONE_LINE), indent=4, hang=2)
        if row.reason:
            page.para(row.reason, indent=4, hang=2, style="dim")


def why(page: Page, finding: Finding) -> None:
    """The shapes, the numbers and the evidence under a heading of their own; nothing that the headline says already."""
    before = page.height
    page.heading("Why")
    heading = page.height
    _reasons(page, finding)
    if page.height == heading:
        page.drop(heading - before)


def _reasons(page: Page, finding: Finding) -> None:
    rows = facts.shapes(finding)
    is_root = finding.role == "root"
    made = findings.made(finding)
    if made:
        page.para(made, indent=4, hang=2)
    # Expected and seen once: a headline that has them is enough.
    title = headline(finding)
    kept = [row for row in rows if row[0] == "contract" or row[1] not in title]
    bound = [f"{axis.name} = {axis.value}" + (f" by {axis.by}" if axis.by else "") for axis in facts.axes(finding)]
    named = [f"{key} {value}" for key, value in kept] + bound
    if named:
        page.para(", ".join(named), indent=4, hang=2, style="bold")
    said = clip(_without_headline(finding), _MESSAGE)
    if said and said.strip().rstrip(".") != title:
        page.para(said)
    for number in facts.numbers(finding):
        product = f" = {number.factors}" if number.factors else ""
        page.flow(((f"{number.value}{product}", "bold"),), number.short, indent=4, hang=4, style="dim")
    if is_root and findings.basis(finding) and finding.level == "error":
        page.para(findings.basis(finding), style="dim")
    if is_root and not rows:
        _evidence(page, findings.told_once(finding.evidence), whole=False)


def _without_headline(finding: Finding) -> str:
    """The message without its first sentence, where that is what the headline says."""
    said = findings.beyond(finding)
    first = first_sentence(finding)
    return said[len(first) :].strip() if is_first_sentence(finding) and said.startswith(first) else said


def _source(page: Page, location: Location | None, view: View) -> None:
    excerpt = excerpts.of(location, view.excerpts)
    if excerpt is None:
        return
    for row, is_caret in excerpts.drawn(excerpt, page.width - 5):
        page.verbatim(row, style="bold red" if is_caret else "")
    if excerpt.note:
        page.para(excerpt.note, indent=4, style="dim")


def whole(page: Page, finding: Finding, view: View) -> None:
    """Everything that is known of it."""
    from xladoctor.report import details

    _head(page, finding)
    if finding.location:
        _at(page, finding.location, None, blamed.heading(finding))
    if finding.role == "root":
        _source(page, finding.location, view)
        _blame(page, finding, view)
    if finding.message.strip() and finding.message.strip().rstrip(".") != headline(finding):
        page.para(finding.message)
    if findings.basis(finding):
        page.para(findings.basis(finding), style="dim")
    _facts(page, finding)
    named = [(k, str(v)) for k in ("op", "node", "device", "layer") if (v := getattr(finding, k))]
    named += [("dims", sizes_text(finding.dims))] if finding.dims else []
    known = [(what, ", ".join(value for value in values if value)) for what, values in details.known(finding)]
    page.table([*named, *known, *facts.flat(details.unknown(finding))], indent=4, styles=["dim", ""])
    _edits(page, finding)
    _evidence(page, findings.told_once(finding.evidence), whole=True)


def _edits(page: Page, finding: Finding) -> None:
    """Every edit that was tried on a copy, as a diff, with what came of it."""
    tried = finding.details.get("edits")
    for edit in tried if isinstance(tried, list | tuple) else ():
        if not isinstance(edit, dict):
            continue
        where = f"{edit.get('file')}:{edit.get('line')}"
        page.para(f"Edit tried at {where}: {edit.get('why')}. Result: {edit.get('said')}.", indent=4, hang=2)
        for row in str(edit.get("diff") or "").splitlines():
            if not row.startswith(("---", "+++")):
                page.verbatim(row, indent=6, style=_SIGNS.get(row[:1], "dim"))


def _head(page: Page, finding: Finding) -> None:
    page.blank()
    page.para(headline(finding), indent=0, hang=2, style=_LEVELS.get(finding.level, "bold"))
    pieces = [(findings.heading(finding), ""), (f"  {finding.code} {finding.slug}", "")]
    if finding.level == "error" or finding.status != "confirmed":
        pieces.append((f"  {findings.status(finding)}", ""))
    page.parts(*pieces, indent=2)


def _at(page: Page, location: Location, layer: str | None, heading: str = "at") -> None:
    inside = f" in {location.function}" if location.function else ""
    where = f"  {heading} {page.near(place(location))}{inside}, layer {line(layer)}"
    fits = layer and len(where) < page.width
    page.parts(
        (f"{heading} ", "dim"),
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
        said = proof.text if whole else clip(findings.telling_line(proof), _ONE_LINE)
        page.para(f"{said}{where}", indent=4, hang=2, style="dim", first="- ")
