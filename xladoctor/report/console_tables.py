"""The lower half of the console report: shapes, XLA paths, settings, hypotheses, environment, and what to
type next.
"""

from __future__ import annotations

from shlex import quote

from xladoctor.diagnosis.model import Diagnosis, Location, ShapeRow, XlaPath
from xladoctor.report import facts, shapes, text, timeline
from xladoctor.report.page import Page
from xladoctor.report.view import View

_STEPS = 16
_MOMENTS = 24
_CAPS = (8, 60, 16, 32, 1000)
_VERDICTS = {"confirmed": "red", "refuted": "green", "untested": "yellow"}


def render(page: Page, diagnosis: Diagnosis, view: View) -> None:
    """All tables for which there is something to show. Of a healthy run only `verbose` shows what was recorded."""
    if not diagnosis.findings and not view.verbose:
        if diagnosis.shapes or diagnosis.settings:
            page.para("What was recorded: --verbose", style="dim")
        return
    _shapes(page, diagnosis, view)
    _xla_paths(page, diagnosis, view)
    _settings(page, diagnosis, view)
    _hypotheses(page, diagnosis, view)
    _compilations(page, diagnosis, view)
    _isolated(page, diagnosis)
    _environment(page, diagnosis, view)


def _shapes(page: Page, diagnosis: Diagnosis, view: View) -> None:
    if not diagnosis.shapes:
        return
    found = shapes.calls(diagnosis.shapes)
    every: list[shapes.Step | int] = [shapes.Step((call,)) for call in found]
    steps = every if view.verbose else shapes.shortened(shapes.folded(found), _STEPS)
    page.heading("Shapes", "in call order; as traced, and as run")
    rows = [r for step in steps if not isinstance(step, int) for call in step.calls for r in call.rows]
    table = [_shape_cells(row) for row in rows]
    heads = ["", "tensor", "contract", "traced", "at run time"]
    widths = [max(map(len, column)) for column in zip(heads, *table, strict=True)]
    page.row([*heads, ""], widths, 3, ["dim"] * 6)
    for step in steps:
        if isinstance(step, int):
            page.parts((f"… {step} more calls (--verbose)", "dim"), indent=2)
        else:
            _step(page, step, widths, view)


def _step(page: Page, step: shapes.Step, widths: list[int], view: View) -> None:
    for part in step.parts:
        if isinstance(part, shapes.Step):
            _step(page, part, widths, view)
        else:
            _call(page, part, widths, view)
    if step.times > 1:
        page.parts((f"… {shapes.repetition(step)}", "dim"), indent=5)


def _call(page: Page, call: shapes.Call, widths: list[int], view: View) -> None:
    first = call.first
    skipped = all(row.state == "not-executed" for row in call.rows)
    style = "dim" if skipped else ""
    said = str(first.place) if view.verbose else call.name
    aside = "  traced, not executed" if skipped else ""
    layer = f"  layer {first.layer}" if first.layer else ""
    if not view.verbose and first.layer and len(said) + len(layer) + 16 > page.width:
        layer = f"  layer …/{str(first.layer).rpartition('/')[2]}"
    turn = f"  iteration {first.iteration}" if first.iteration is not None else ""
    mark = ("! ", "bold red") if call.violated else ("  ", "")
    page.parts(mark, (said, "dim" if skipped else "bold"), (layer + turn, "dim"), (aside, "dim italic"))
    if view.verbose and first.caller:
        page.parts((f"called at {first.caller}", "dim"), indent=5)
    for row in call.rows:
        wrong = "bold red" if row.violation or row.first_violation else style
        cells = _shape_cells(row)
        page.row([*cells, text.line(shapes.remark(row))], widths, 3, [style, style, style, wrong, wrong, wrong])


def _shape_cells(row: ShapeRow) -> list[str]:
    cells = [
        str(row.phase),
        str(row.tensor),
        shapes.contract_of(row),
        facts.shape_text(row.static),
        shapes.runtime_text(row),
    ]
    return [text.clip(text.line(cell), cap) for cell, cap in zip(cells, (4, 20, 20, 24, 24), strict=True)]


def _xla_paths(page: Page, diagnosis: Diagnosis, view: View) -> None:
    if not diagnosis.xla_paths:
        return
    page.heading("XLA", "what put it on, and what did not")
    for path in diagnosis.xla_paths:
        word, style = {True: ("on ", "bold"), False: ("off", "dim")}.get(path.effective, ("?  ", "yellow"))  # type: ignore[arg-type]
        page.parts((word, style), ("  ", ""), (path.mechanism, style), (f"  {path.function or ''}", ""), indent=2)
        page.para(xla_words(path), indent=7, style="" if path.effective else "dim")
        if path.location:
            page.parts(("at ", "dim"), (_place(path.location), "cyan"), indent=7)


def xla_words(path: XlaPath) -> str:
    """A sentence on one mechanism."""
    said = f"asked for {path.requested}, resolved to {path.resolved}"
    said += f"; governed by {', '.join(map(str, path.governed_by))}" if path.governed_by else "; no switch governs it"
    return f"{said}. {path.note}" if path.note else f"{said}."


def _place(location: Location, short: bool = False) -> str:
    file = str(location.file)
    if short:
        file = file.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{location.line}" if location.line else file


def _settings(page: Page, diagnosis: Diagnosis, view: View) -> None:
    if not diagnosis.settings:
        return
    moments = timeline.folded(diagnosis.settings)
    governing = [switch for path in diagnosis.xla_paths for switch in map(str, path.governed_by)]
    shown = moments if view.verbose else timeline.telling(moments, governing)[:_MOMENTS]
    page.heading("Settings", "seconds since the start; who wrote them, who read them to decide")
    rows = []
    for moment in shown:
        event = moment.event
        setting, action, value = timeline.words(event)
        times = f" x{moment.times}" if moment.times > 1 else ""
        where = _place(event.location, short=not view.verbose) if event.location else ""
        last = " ".join(part for part in (where, event.note or "") if part)
        time = facts.number_text(event.t, 4)
        cells = [time, setting, f"{action}{times}", value, last]
        rows.append([text.clip(text.line(cell), cap) for cell, cap in zip(cells, _CAPS, strict=True)])
    widths = [max(map(len, column)) for column in zip(*(r for r in rows if r[2]), strict=True)][:4] or [8, 0, 0, 0]
    for row in rows:
        if row[2]:
            page.row(row, widths, 2, ["dim", "", "", "", "dim"])
        else:
            page.parts((row[0].ljust(widths[0] + 2), "dim"), (row[1], "bold"), (f"  {row[4]}", "dim"), indent=2)
    if len(moments) > len(shown):
        page.parts((f"… {len(moments) - len(shown)} more (--verbose)", "dim"), indent=2)


def _hypotheses(page: Page, diagnosis: Diagnosis, view: View) -> None:
    if not diagnosis.hypotheses:
        return
    page.heading("Hypotheses", "each with what this run says of it")
    for claim in diagnosis.hypotheses:
        page.parts(
            (f"{text.line(claim.verdict):<10}", _VERDICTS.get(claim.verdict, "")),
            (f" {claim.id}", "bold"),
            (f"  {claim.origin}", "dim"),
            indent=2,
        )
        page.para(claim.title, indent=13)
        for proof in claim.evidence if view.verbose else claim.evidence[:1]:
            where = f" [{proof.where}]" if proof.where else ""
            page.para(f"{proof.text}{where}", indent=13, hang=2, style="dim", first="- ")


def _compilations(page: Page, diagnosis: Diagnosis, view: View) -> None:
    if not (view.verbose and diagnosis.compilations):
        return
    page.heading("Traces and compilations")
    page.table(
        [
            (
                c.kind,
                c.function,
                "XLA" if c.xla else "",
                "" if c.seconds is None else f"{facts.number_text(c.seconds)} s",
                ", ".join(map(str, c.inputs)),
            )
            for c in diagnosis.compilations
        ],
        styles=["", "", "", "dim", "dim"],
        caps=(8, 48, 3, 10),
    )


def _isolated(page: Page, diagnosis: Diagnosis) -> None:
    if diagnosis.isolated:
        page.heading("Isolated")
        page.table(facts.flat(diagnosis.isolated), styles=["dim", ""])
    if diagnosis.reproducer:
        page.parts(("Reproducer  ", "bold"), (diagnosis.reproducer, "cyan"))


def _environment(page: Page, diagnosis: Diagnosis, view: View) -> None:
    rows = facts.flat(diagnosis.environment)
    if not rows:
        return
    shown = rows if view.verbose else facts.foremost(rows)
    page.heading("Environment")
    page.table(shown, styles=["dim", ""], caps=(32,))
    if len(rows) > len(shown):
        page.parts((f"… {len(rows) - len(shown)} more (--verbose)", "dim"), indent=2)


def next_commands(page: Page, diagnosis: Diagnosis, view: View) -> None:
    """Where the recording lies, and the commands that go on from here."""
    rows = []
    if view.run_dir:
        folder = quote(text.line(view.run_dir))
        rows.append((f"xladoctor scan {folder} --verbose", "everything that was recorded"))
        rows.append((f"xladoctor scan {folder} --format markdown", "the report as a document"))
    root = diagnosis.root
    if root:
        rows.append((f"xladoctor explain {quote(text.line(root.code))}", "what this class of failure is"))
    if not rows:
        return
    page.heading("Next")
    for command, why in rows:
        page.parts((command, ""), (f"  # {why}", "dim"), indent=2)
    if view.run_dir:
        page.parts(("The run folder: ", ""), (view.run_dir, "cyan"), indent=2)
