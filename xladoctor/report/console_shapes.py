"""The shape table of the console report."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.diagnosis.model import ShapeRow
from xladoctor.report import facts, shapes, text
from xladoctor.report.page import Page
from xladoctor.report.view import View

_STEPS = 16


def render(page: Page, shape_rows: Sequence[ShapeRow], view: View) -> None:
    """The table, with repetitions folded unless `verbose`."""
    found = shapes.calls(shape_rows)
    every: list[shapes.Step | int] = [shapes.Step((call,)) for call in found]
    steps = every if view.verbose else shapes.shortened(shapes.folded(found), _STEPS)
    page.heading("Shapes", "in call order; as traced, and as run")
    rows = [r for step in steps if not isinstance(step, int) for call in step.calls for r in call.rows]
    table = [_shape_cells(row) for row in rows]
    heads = ["", "tensor", "contract", "traced", "at run time"]
    widths = page.widths([heads, *table])
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
