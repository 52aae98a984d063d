"""A trace, and two traces side by side, as Markdown for an issue."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.trace import StepDiff, Trace, TraceDiff, TracedStep
from xladoctor.report import layer_lines, trace_words
from xladoctor.report.markdown import at, md_comment
from xladoctor.report.markdown_tables import code, prose, shape_rows, table
from xladoctor.report.text import md

_FEW = 60


def render(trace: Trace) -> str:
    """The document, with a line break at its end."""
    parts = [
        _comment(trace.schema, trace.tool_version),
        f"# Shape trace: {md(trace_words.verdict(trace))}",
        f"Run: {code(trace.source)}",
        *_bullets("Could not be read", trace.problems),
    ]
    if trace.layers:
        parts += ["## Layers", _layers(trace)]
    for number, step in enumerate(trace.steps, 1):
        parts += _step(step, number, trace)
    rows = [
        (code(p.place), code(p.contract), prose("found" if p.found else p.reason or "missing")) for p in trace.places
    ]
    if rows:
        parts += ["## Places", table(("Place", "Contract", "In this run"), rows)]
    return "\n\n".join([*parts, *_bullets("Notes", trace.notes)]) + "\n"


def render_diff(diff: TraceDiff) -> str:
    """The document, with a line break at its end."""
    parts = [
        _comment(diff.schema, diff.tool_version),
        "# Two runs side by side",
        f"- A: {code(diff.a)}\n- B: {code(diff.b)}",
        *_summary(diff),
        *_bullets("Could not be read", diff.problems),
    ]
    for step in diff.steps:
        parts += _step_diff(step)
    return "\n\n".join([*parts, *_bullets("Notes", diff.notes)]) + "\n"


def diff_parts(diff: TraceDiff) -> list[str]:
    """The shapes that differ, as sections of a document about two runs; nothing where none do."""
    if not diff.differs:
        return []
    return ["## Shapes", *_summary(diff), *(part for step in diff.steps for part in _step_diff(step, "### "))]


def _summary(diff: TraceDiff) -> list[str]:
    parts = [md(trace_words.differs(diff))]
    for title, found in (("First difference", diff.first), ("First contract broken", diff.first_broken)):
        if found is not None:
            parts.append(f"**{title}:** {md(trace_words.sentence(found))}; contract {code(found[1].row.contract)}")
    return parts


def _layers(trace: Trace) -> str:
    listed = []
    for one in layer_lines.folded(trace.layers):
        title, into, out = map(code if one.row is not None else prose, (one.title, *one.shapes))
        places = ", ".join(code(trace_words.near(place, trace).place) for place in one.places)
        listed.append((title, into, out, prose(one.facts), places))
    return table(("Layer", "In", "Out", "Known", "Made, called"), listed)


def _step(step: TracedStep, number: int, trace: Trace) -> list[str]:
    outcome = trace_words.OUTCOMES[step.outcome]
    parts = [f"## {number}. {md(step.name)}" + (f" ({outcome})" if outcome else "")]
    where = f"At {at(trace_words.near(step.location, trace))}. " if step.location else ""
    parts.append(f"{where}Run-time shapes: {md(trace_words.basis(step))}.")
    parts += ["\n".join(f"- {md(note)}" for note in step.notes)] if step.notes else []
    if step.shapes:
        parts.append(shape_rows(step.shapes))
    if step.bindings:
        axes = [(code(axis), code(size), prose(by)) for axis, size, by in trace_words.axes(step)]
        parts.append(table(("Axis", "Size", "Bound by"), axes))
    return parts


def _step_diff(step: StepDiff, hashes: str = "## ") -> list[str]:
    parts = [f"{hashes}{md(step.name)}", f"{len(step.rows)} differ, {step.same} are the same by name."]
    sides = [(n, s) for n, s in (("A", step.a), ("B", step.b)) if s is not None]
    lines = [f"- {name}: {md(trace_words.basis(s))} {trace_words.OUTCOMES[s.outcome]}".rstrip() for name, s in sides]
    parts.append("\n".join([*lines, *(f"- {md(note)}" for note in step.notes)]))
    rows = []
    for found in step.rows[:_FEW]:
        said = ("**First difference.** " if found.first else "") + prose(trace_words.kinds(found))
        layer = f" in layer {code(found.row.layer)}" if found.row.layer else ""
        turn = f", iteration {found.row.iteration}" if found.row.iteration is not None else ""
        rows.append(
            (
                code(found.row.place) + layer + turn,
                f"{prose(found.row.phase)} {code(found.row.tensor)}",
                code(trace_words.side(found.a, found.named_a)),
                code(trace_words.side(found.b, found.named_b)),
                said,
            )
        )
    if len(step.rows) > _FEW:
        rows.append((f"*{len(step.rows) - _FEW} more*", "", "", "", ""))
    return [*parts, table(("Place", "Tensor", "A", "B", "Differs in"), rows)] if rows else parts


def _comment(schema: str, version: str) -> str:
    return f"<!-- {schema} written by xladoctor {md_comment(version)} -->"


def _bullets(title: str, said: Sequence[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {md(item)}" for item in said)] if said else []
