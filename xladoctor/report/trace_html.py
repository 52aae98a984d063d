"""A trace, and two traces side by side, as one page to look through: every tensor, nothing folded."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.diagnosis.model import ShapeRow
from xladoctor.diagnosis.trace_model import StepDiff, Trace, TraceDiff, TracedStep
from xladoctor.report import html, trace_words
from xladoctor.report.facts import shape_text
from xladoctor.report.html import esc
from xladoctor.report.shapes import calls, contract_of, remark, runtime_text

_HEADS = ("Place", "Tensor", "Contract", "As traced", "At run time", "Remark")
_WIDTHS = (30, 12, 12, 13, 13, 20)
_DIFF_HEADS = ("Place", "Tensor", "A", "B", "Differs in")
_DIFF_WIDTHS = (30, 12, 22, 22, 14)


def render(trace: Trace) -> str:
    """The page."""
    first = any(row.first_violation for step in trace.steps for row in step.shapes)
    mood = {"broken": "bad", "kept": "ok"}.get(trace.verdict, "dim")
    body = [
        f"<h1>Shape trace of <code>{esc(trace.source)}</code></h1>",
        f'<p class="{mood}">{esc(trace_words.verdict(trace))}'
        + (' <a href="#first">To the first</a>' if first else "")
        + "</p>",
        *html.bullets("Could not be read", trace.problems),
    ]
    marked = False
    for number, step in enumerate(trace.steps, 1):
        body += _step(step, number, not marked)
        marked = marked or any(row.first_violation for row in step.shapes)
    if trace.places:
        rows = [(p.place, p.contract, "found" if p.found else p.reason, p.origin) for p in trace.places]
        body += ["<h2>Places</h2>", html.small(("Place", "Contract", "In this run", "From"), rows)]
    body += html.bullets("Notes", trace.notes)
    return html.page(trace.schema, trace.tool_version, f"Shape trace: {trace.source}", body)


def render_diff(diff: TraceDiff) -> str:
    """The page."""
    body = [
        "<h1>Two runs side by side</h1>",
        html.small(("", "Run"), (("A", diff.a), ("B", diff.b))),
        f"<p>{esc(trace_words.differs(diff))}</p>",
    ]
    for title, found in (("First difference", diff.first), ("First contract broken", diff.first_broken)):
        if found is not None:
            link = ' <a href="#first">Show</a>' if found == diff.first else ""
            body.append(f"<p><b>{title}:</b> {esc(trace_words.sentence(found))}{link}</p>")
    body += html.bullets("Could not be read", diff.problems)
    for step in diff.steps:
        body += _step_diff(step)
    body += html.bullets("Notes", diff.notes)
    return html.page(diff.schema, diff.tool_version, f"{diff.a} and {diff.b}", body)


def _step(step: TracedStep, number: int, anchor: bool) -> Iterator[str]:
    outcome = trace_words.OUTCOMES[step.outcome]
    bad = f' <span class="bad">{outcome}</span>' if outcome else ""
    yield f"<h2>{number}. {esc(step.name)}{bad}</h2>"
    where = f"at <code>{esc(step.location)}</code>; " if step.location else ""
    yield f'<p class="dim">{where}run-time shapes: {esc(trace_words.basis(step))}</p>'
    if step.notes:
        yield "<ul>" + "".join(f"<li>{esc(note)}</li>" for note in step.notes) + "</ul>"
    if step.bindings:
        yield html.small(("Axis", "Size", "Bound by"), trace_words.axes(step))
    if step.shapes:
        rows = []
        for call in calls(step.shapes):
            rows += [_row(row, n == 0, anchor) for n, row in enumerate(call.rows)]
        yield from html.table(_HEADS, _WIDTHS, rows)


def _row(row: ShapeRow, leads: bool, anchor: bool) -> str:
    name = ""
    if leads:
        name = str(row.place) + (f" in layer {row.layer}" if row.layer else "")
        name += f", iteration {row.iteration}" if row.iteration is not None else ""
    kind = "first" if row.first_violation else "broken" if row.violation else ""
    said = remark(row)
    if row.state == "not-executed":
        kind, said = kind or "skip", said or "traced, not executed"
    cells = (name, f"{row.phase} {row.tensor}", contract_of(row), shape_text(row.static), runtime_text(row), said)
    return html.row(cells, kind, "first" if row.first_violation and anchor else "")


def _step_diff(step: StepDiff) -> Iterator[str]:
    yield f"<h2>{esc(step.name)}</h2>"
    yield f"<p>{len(step.rows)} differ, {step.same} are the same by name.</p><ul>"
    for name, side in (("A", step.a), ("B", step.b)):
        if side is not None:
            yield f"<li>{name}: {esc(trace_words.basis(side))} {trace_words.OUTCOMES[side.outcome]}</li>"
    yield "".join(f"<li>{esc(note)}</li>" for note in step.notes) + "</ul>"
    rows = []
    for found in step.rows:
        row = found.row
        name = str(row.place) + (f" in layer {row.layer}" if row.layer else "")
        name += f", iteration {row.iteration}" if row.iteration is not None else ""
        cells = (
            name,
            f"{row.phase} {row.tensor}",
            trace_words.side(found.a, found.named_a),
            trace_words.side(found.b, found.named_b),
            ("First difference: " if found.first else "") + trace_words.kinds(found),
        )
        kind = "first" if found.first else "broken" if "violation" in found.kinds else ""
        rows.append(html.row(cells, kind, "first" if found.first else ""))
    if rows:
        yield from html.table(_DIFF_HEADS, _DIFF_WIDTHS, rows)
