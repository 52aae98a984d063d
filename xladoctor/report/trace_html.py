"""A trace, and two traces side by side, as one page to look through: every tensor, nothing folded."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.model.trace import StepDiff, Trace, TraceDiff, TracedStep
from xladoctor.report import html, layer_lines, stations, svg, trace_words
from xladoctor.report.html import Markup, Section, breakable, code, esc, section
from xladoctor.report.html.tables import SHAPE_HEADS, SHAPE_WIDTHS, at, shape_row
from xladoctor.report.shapes import calls

_DIFF_HEADS = ("Place", "Tensor", "A", "B", "Differs in")
_DIFF_WIDTHS = (30, 12, 22, 22, 14)
_MOODS = {"broken": "bad", "kept": "ok"}


def render(trace: Trace) -> str:
    """The page."""
    first = any(row.first_violation for step in trace.steps for row in step.shapes)
    link = ' <a href="#first">To the first</a>' if first else ""
    verdict = trace_words.title(trace)
    head = [
        f'<p class="kicker {_MOODS.get(trace.verdict, "dim")}">Shape trace: {verdict}</p>',
        f"<h1>{esc(trace_words.verdict(trace))}</h1>",
        html.facts([("Run", code(trace.source))]),
        f"<p>{link}</p>" if link else "",
    ]
    sections = html.bullets("problems", "Could not be read", trace.problems)
    sections += _layers(trace)
    sections += _functions(trace)
    marked = False
    for number, step in enumerate(trace.steps, 1):
        sections.append(_step(step, number, not marked, trace))
        marked = marked or any(row.first_violation for row in step.shapes)
    if trace.places:
        rows = [
            (breakable(p.place), code(p.contract), "found" if p.found else p.reason, p.origin) for p in trace.places
        ]
        table = html.small(("Place", "Contract", "In this run", "From"), rows, "The places that were watched")
        sections.append(section("places", "Places", [table]))
    sections += html.bullets("notes", "Notes", trace.notes)
    return html.page(trace.schema, trace.tool_version, f"Shape trace: {trace.source}", head, sections)


def _layers(trace: Trace) -> list[Section]:
    """The layers that were called, folded as on the console."""
    if not trace.layers:
        return []
    rows = []
    for one in layer_lines.folded(trace.layers):
        title = (breakable if one.row is not None else esc)(one.title)
        into, out = map(code, one.shapes)
        places = ", ".join(breakable(trace_words.near(place, trace).place) for place in one.places)
        rows.append((title, into, out, one.facts, Markup(places)))
    heads = ("Layer", "In", "Out", "Known", "Made, called")
    return [section("layers", "Layers", [html.small(heads, rows, "The layers that were called")])]


def _functions(trace: Trace) -> list[Section]:
    """The user's functions that TensorFlow traced."""
    if not trace.functions:
        return []
    rows = [
        (
            breakable(f"{f.name}{' (XLA)' if f.xla else ''}"),
            code(", ".join(f.inputs)),
            str(f.traces),
            breakable(trace_words.near(place, trace).place) if (place := f.defined or f.called) is not None else "",
        )
        for f in trace.functions
    ]
    table = html.small(("Function", "Inputs", "Traces", "Defined"), rows, "The functions that TensorFlow traced")
    return [section("functions", "Functions", [table])]


def render_diff(diff: TraceDiff) -> str:
    """The page."""
    head = [
        '<p class="kicker dim">Two runs side by side</p>',
        f"<h1>{esc(trace_words.differs(diff))}</h1>",
        html.facts([("A", code(diff.a)), ("B", code(diff.b))]),
    ]
    for title, found in (("First difference", diff.first), ("First contract broken", diff.first_broken)):
        if found is not None:
            link = ' <a href="#first">Show</a>' if found == diff.first else ""
            head.append(f"<p><strong>{title}:</strong> {esc(trace_words.sentence(found))}{link}</p>")
    sections = html.bullets("problems", "Could not be read", diff.problems)
    sections += diff_sections(diff)
    sections += html.bullets("notes", "Notes", diff.notes)
    return html.page(diff.schema, diff.tool_version, f"{diff.a} and {diff.b}", head, sections)


def diff_sections(diff: TraceDiff) -> list[Section]:
    """A section for each step."""
    return [_step_diff(step, number) for number, step in enumerate(diff.steps, 1)]


def _step(step: TracedStep, number: int, anchor: bool, trace: Trace) -> Section:
    outcome = trace_words.OUTCOMES[step.outcome]
    title = f"{number}. {step.name}" + (f": {outcome}" if outcome else "")
    return section(f"step{number}", title, _step_body(step, number, anchor, trace))


def _step_body(step: TracedStep, number: int, anchor: bool, trace: Trace) -> Iterator[str]:
    where = f"at {at(trace_words.near(step.location, trace))}; " if step.location else ""
    yield f'<p class="dim">{where}run-time shapes: {esc(trace_words.basis(step))}</p>'
    if step.notes:
        yield html.items(step.notes)
    if step.bindings:
        rows = [(code(name), value, by) for name, value, by in trace_words.axes(step)]
        yield html.small(("Axis", "Size", "Bound by"), rows, "The axes")
    if not step.shapes:
        return
    if step.broken:
        yield html.figure(
            svg.data_path(f"figure-path{number}", stations.stations(step.shapes)),
            "The path of the data. A tick: the contract is kept; a cross: it is broken, or the call failed.",
        )
    rows_ = []
    for call in calls(step.shapes):
        rows_ += [
            shape_row(row, n == 0, "first" if row.first_violation and anchor else "") for n, row in enumerate(call.rows)
        ]
    yield from html.table(SHAPE_HEADS, SHAPE_WIDTHS, rows_, f"Every tensor of step {number}")


def _step_diff(step: StepDiff, number: int) -> Section:
    return section(f"step{number}", step.name, _step_diff_body(step))


def _step_diff_body(step: StepDiff) -> Iterator[str]:
    yield f"<p>{len(step.rows)} differ, {step.same} are the same by name.</p>"
    sides = [(n, s) for n, s in (("A", step.a), ("B", step.b)) if s is not None]
    said = [f"{n}: {trace_words.basis(s)} {trace_words.OUTCOMES[s.outcome]}" for n, s in sides]
    if said or step.notes:
        yield html.items([*said, *step.notes])
    rows = []
    for found in step.rows:
        row = found.row
        name = str(row.place) + (f" in layer {row.layer}" if row.layer else "")
        name += f", iteration {row.iteration}" if row.iteration is not None else ""
        first = Markup("<strong>First difference.</strong> ") if found.first else Markup("")
        cells = (
            breakable(name),
            f"{row.phase} {row.tensor}",
            trace_words.side(found.a, found.named_a),
            trace_words.side(found.b, found.named_b),
            Markup(first + esc(trace_words.kinds(found))),
        )
        kind = "first" if found.first else "broken" if "violation" in found.kinds else ""
        rows.append(html.row(cells, kind, "first" if found.first else "", mono=4))
    if rows:
        yield from html.table(_DIFF_HEADS, _DIFF_WIDTHS, rows, "Tensors that differ")
