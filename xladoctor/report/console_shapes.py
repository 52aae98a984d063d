"""The shape table of the console report: whole, or what stands around the first violation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xladoctor.model.diagnosis import ShapeRow
from xladoctor.model.shapes import shape_text
from xladoctor.report import facts, legend, shapes, text
from xladoctor.report.page import Page
from xladoctor.report.view import View

_STEPS = 16
_ROWS = 5
_HEADS = ("", "tensor", "contract", "traced", "at run time")


def render(page: Page, shape_rows: Sequence[ShapeRow], view: View) -> None:
    """The table, with repetitions folded unless `verbose`."""
    found = shapes.calls(shape_rows)
    every: list[shapes.Step | int] = [shapes.Step((call,)) for call in found]
    steps = every if view.verbose else shapes.shortened(shapes.folded(found), _STEPS)
    page.heading("Shapes", "in call order; as traced, and as run")
    rows = [r for step in steps if not isinstance(step, int) for call in step.calls for r in call.rows]
    widths = page.widths([_HEADS, *(_shape_cells(row) for row in rows)])
    page.row([*_HEADS, ""], widths, 3, ["dim"] * 6)
    for step in steps:
        if isinstance(step, int):
            page.parts((f"… {facts.count(step, 'more call')} (--verbose)", "dim"), indent=2)
        else:
            step_rows(page, step, widths, view, _call)
    said = legend.axes(rows)
    if said:
        page.para(f"Axes: {said}.", hang=6, style="dim")


def around(page: Page, shape_rows: Sequence[ShapeRow]) -> None:
    """The few rows around the first violation; nothing where there is none."""
    steps = shapes.around(shapes.calls(shape_rows), _ROWS)
    if steps and isinstance(steps[-1], int):
        del steps[-1]
    rows = [r for step in steps if not isinstance(step, int) for r in step.rows]
    if not rows:
        return
    widths = page.widths([_HEADS, *(_shape_cells(row) for row in rows)])
    title = f"Shapes, {len(rows)} of {len(shape_rows)}"
    before = 5 + widths[0] + widths[1]
    heads = [title if len(title) <= before else "Shapes", *_HEADS[2:], ""]
    page.blank()
    page.row(heads, [before, *widths[2:]], 0, ["bold", "dim", "dim", "dim", "dim"])
    named: set[tuple[object, ...]] = set()
    for step in steps:
        if isinstance(step, int):
            page.parts((f"… {facts.count(step, 'other call')}", "dim"), indent=2)
            continue
        if step.same_call not in named:
            _name(page, step, View())
        named.add(step.same_call)
        for row in step.rows:
            wrong = "bold red" if row.violation or row.first_violation else ""
            sign = "FIRST VIOLATION" if row.first_violation else "violation" if row.violation else ""
            page.row([*_shape_cells(row), sign], widths, 3, ["", "", "", wrong, wrong, wrong])
    said = legend.names(rows)
    if said:
        page.para(said, style="dim")


Call = Callable[[Page, shapes.Call, list[int], View], None]
"""Writes the rows of one call."""


def step_rows(page: Page, step: shapes.Step, widths: list[int], view: View, call: Call) -> None:
    """The rows of a step: those of its calls, which `call` writes, and how often it was repeated."""
    for part in step.parts:
        if isinstance(part, shapes.Step):
            step_rows(page, part, widths, view, call)
        else:
            call(page, part, widths, view)
    if step.times > 1:
        page.parts((f"… {shapes.repetition(step)}", "dim"), indent=5)


def _call(page: Page, call: shapes.Call, widths: list[int], view: View) -> None:
    style = _name(page, call, view)
    if view.verbose and call.first.caller:
        page.parts((f"called at {call.first.caller}", "dim"), indent=5)
    for row in call.rows:
        wrong = "bold red" if row.violation or row.first_violation else style
        cells = _shape_cells(row)
        page.row([*cells, text.line(shapes.remark(row))], widths, 3, [style, style, style, wrong, wrong, wrong])


def _name(page: Page, call: shapes.Call, view: View) -> str:
    # The line above the rows of a call; gives the style of the rows.
    first = call.first
    skipped = all(row.state == "not-executed" for row in call.rows)
    said = str(first.place) if view.verbose else call.name
    aside = "  traced, not executed" if skipped else ""
    layer = f"  layer {first.layer}" if first.layer else ""
    if not view.verbose and first.layer and len(said) + len(layer) + 16 > page.width:
        layer = f"  layer …/{str(first.layer).rpartition('/')[2]}"
    turn = f"  iteration {first.iteration}" if first.iteration is not None else ""
    mark = ("! ", "bold red") if call.violated else ("  ", "")
    page.parts(mark, (said, "dim" if skipped else "bold"), (layer + turn, "dim"), (aside, "dim italic"))
    return "dim" if skipped else ""


def _shape_cells(row: ShapeRow) -> list[str]:
    cells = [
        str(row.phase),
        str(row.tensor),
        shapes.contract_of(row),
        shape_text(row.static),
        shapes.runtime_text(row),
    ]
    return [text.clip(text.line(cell), cap) for cell, cap in zip(cells, (4, 20, 20, 24, 24), strict=True)]
