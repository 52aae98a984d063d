"""The shape table of one call in a trace, for a terminal: every place, with repetitions folded unless `verbose`."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import ShapeRow
from xladoctor.model.shapes import shape_text
from xladoctor.report import shapes, text
from xladoctor.report.console_shapes import step_rows
from xladoctor.report.page import Page
from xladoctor.report.view import View

_STEPS = 16
_HEADS = ("", "tensor", "contract", "traced", "at run time")


def render(page: Page, rows: Sequence[ShapeRow], view: View) -> None:
    """Writes the table on `page`: one line a tensor below the line of its place."""
    found = shapes.calls(rows)
    whole: list[shapes.Step | int] = [shapes.Step((call,)) for call in found]
    steps = whole if view.verbose else shapes.shortened(shapes.folded(found), _STEPS)
    shown = [row for step in steps if not isinstance(step, int) for call in step.calls for row in call.rows]
    widths = page.widths([_HEADS, *(_cells(row) for row in shown)])
    page.row([*_HEADS, ""], widths, 3, ["dim"] * 6)
    for step in steps:
        if isinstance(step, int):
            page.parts((f"… {step} more calls (--verbose)", "dim"), indent=2)
        else:
            step_rows(page, step, widths, view, _call)


def _call(page: Page, call: shapes.Call, widths: list[int], view: View) -> None:
    first = call.first
    skipped = all(row.state == "not-executed" for row in call.rows)
    style = "dim" if skipped else ""
    layer = f"  layer {first.layer}" if first.layer else ""
    turn = f"  iteration {first.iteration}" if first.iteration is not None else ""
    aside = "  traced, not executed" if skipped else ""
    name = str(first.place) if view.verbose else call.name
    mark = ("! ", "bold red") if call.violated else ("  ", "")
    page.parts(mark, (name, "dim" if skipped else "bold"), (layer + turn, "dim"), (aside, "dim italic"))
    if view.verbose and first.caller:
        page.parts((f"called at {first.caller}", "dim"), indent=5)
    for row in call.rows:
        wrong = "bold red" if row.violation else style
        page.row([*_cells(row), text.line(shapes.remark(row))], widths, 3, [style] * 3 + [wrong] * 3)


def _cells(row: ShapeRow) -> list[str]:
    said = [str(row.phase), str(row.tensor), shapes.contract_of(row)]
    said += [shape_text(row.static), shapes.runtime_text(row)]
    return [text.clip(text.line(cell), cap) for cell, cap in zip(said, (4, 20, 20, 24, 24), strict=True)]
