"""The tables and pictures of the blocker page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.model.diagnosis import Diagnosis, Location, ShapeRow, StackFrame
from xladoctor.model.shapes import shape_text
from xladoctor.report import facts, findings, html, stack, stations, svg, timeline
from xladoctor.report import legend as legends
from xladoctor.report import shapes as shape_table
from xladoctor.report.html import Markup, breakable, code, esc, mixed
from xladoctor.report.text import clip

_NEAR = 24
_SHORT = 14
_CELL = 600
SHAPE_HEADS = ("Place", "Tensor", "Contract", "As traced", "At run time", "Remark")
SHAPE_WIDTHS = (30, 12, 12, 12, 12, 22)
_VERDICTS = {"refuted": "dim", "verified": "ok", "failed": "bad"}


def at(location: Location | None) -> Markup:
    """A place in the source."""
    if location is None:
        return Markup("")
    place = breakable(location.place)
    return Markup(f"{place} in {code(location.function)}" if location.function else place)


def numbers(diagnosis: Diagnosis) -> Iterator[str]:
    """What the numbers of the messages are made of."""
    found = [number for finding in diagnosis.findings for number in facts.numbers(finding)]
    if found:
        rows = [(code(n.value), code(n.factors), n.meaning) for n in found]
        yield html.small(("Value", "Factors", "Meaning"), rows, "What the numbers are made of")


def shapes(diagnosis: Diagnosis) -> Iterator[str]:
    """The path of the data, the rows around the first violation, and every row."""
    rows = diagnosis.shapes
    if not rows:
        return
    way = stations.stations(rows)
    said = "The path of the data. A tick: the contract is kept; a cross: it is broken, or the call failed."
    said += " Branches that were not taken are left out." if any(r.state == "not-executed" for r in rows) else ""
    yield html.figure(svg.data_path("figure-path", way), said)
    legend = legends.axes(rows)
    yield f"<p>In call order. {esc(legend)}.</p>" if legend else "<p>In call order.</p>"
    every = html.table(SHAPE_HEADS, SHAPE_WIDTHS, shape_rows(rows), "Every tensor at every place")
    if len(rows) <= _NEAR:
        yield from every
        return
    found = shape_table.calls(rows)
    near = shape_table.around(found, _NEAR)
    if near:
        yield from html.table(SHAPE_HEADS, SHAPE_WIDTHS, _near(near), "Shapes around the first violation")
    yield from html.folded(f"All {len(rows)} rows of {facts.count(len(found), 'call')}", every, "all-shapes")


def _near(calls: Sequence[shape_table.Call | int]) -> list[str]:
    out = []
    for call in calls:
        if isinstance(call, int):
            out.append(html.gap(facts.count(call, "other call"), len(SHAPE_HEADS)))
        else:
            out += [shape_row(row, n == 0) for n, row in enumerate(call.rows)]
    return out


def shape_rows(rows: Sequence[ShapeRow]) -> list[str]:
    """Every row of a shape table."""
    return [shape_row(row, n == 0) for call in shape_table.calls(rows) for n, row in enumerate(call.rows)]


def shape_row(row: ShapeRow, leads: bool, anchor: str = "") -> str:
    """One tensor; the first of a call names the place."""
    name = ""
    if leads:
        name = str(row.place) + (f" in layer {row.layer}" if row.layer else "")
        name += f", iteration {row.iteration}" if row.iteration is not None else ""
    kind = "first" if row.first_violation else "broken" if row.violation else ""
    said = shape_table.remark(row)
    if row.state == "not-executed":
        kind, said = kind or "skip", said or "traced, not executed"
    static, runtime = shape_text(row.static), shape_table.runtime_text(row)
    cells = (breakable(name), f"{row.phase} {row.tensor}", shape_table.contract_of(row), static, runtime, said)
    return html.row(cells, kind, anchor, mono=5)


def stacks(diagnosis: Diagnosis) -> Iterator[str]:
    """The stacks, with frames of libraries folded."""
    for one in stack.shown(diagnosis.stacks, diagnosis.environment.get("cwd")):
        where = f" ({code(one.stack.where)})" if one.stack.where else ""
        note = f": {esc(one.stack.note)}" if one.stack.note else ""
        yield f'<h3>{esc(one.title)}</h3><p class="dim">Outermost frame first{where}{note}.</p>' + '<ol class="stack">'
        if one.above:
            yield f'<li class="lib">{facts.count(one.above, "frame")} as above</li>'
        for entry in one.entries:
            if isinstance(entry, stack.Folded):
                inside = "<br>".join(_frame(frame) for frame in entry.frames)
                yield f'<li class="lib"><details><summary>{esc(entry)}</summary><p>{inside}</p></details></li>'
                continue
            yield f"<li>{_frame(entry)}{html.fence(entry.code) if entry.code else ''}</li>"
        yield "</ol>"


def _frame(frame: StackFrame) -> str:
    return breakable(stack.place(frame)) + (f" in {code(frame.function)}" if frame.function else "")


def xla_paths(diagnosis: Diagnosis) -> Iterator[str]:
    """What put XLA on."""
    if not diagnosis.xla_paths or not facts.uses_tensorflow(diagnosis):
        return
    quiet = facts.xla_in_a_line(diagnosis)
    if quiet:
        yield f"<p>{esc(quiet)}</p>"
        return
    rows = []
    for path in diagnosis.xla_paths:
        resolved = esc("never traced") if facts.never_traced(path) else code(path.resolved)
        state = {True: "<strong>on</strong>", False: "off"}.get(path.effective, "?")  # type: ignore[arg-type]
        where = [at(facts.near(path.location, diagnosis) if path.location else None), esc(path.note or "")]
        rows.append(
            html.row(
                (
                    Markup(state),
                    code(path.mechanism),
                    code(path.function),
                    Markup(f"{code(path.requested)} → {resolved}"),
                    Markup(", ".join(code(s) for s in path.governed_by) or "nothing"),
                    Markup("<br>".join(part for part in where if part)),
                )
            )
        )
    heads = ("XLA", "Mechanism", "Function", "Asked → resolved", "Governed by", "Where")
    yield from html.table(heads, (8, 18, 18, 12, 18, 26), rows, "All ways in which XLA is switched on")


def settings(diagnosis: Diagnosis) -> Iterator[str]:
    """Who set what, and who read it."""
    if not diagnosis.settings or not facts.uses_tensorflow(diagnosis) or facts.xla_in_a_line(diagnosis):
        return
    shown = stations.moments(diagnosis)
    if any(not m.is_milestone for m in shown):
        said = (
            "Settings in order of time (seconds below). A square: written; a ring: read to decide; a small dot: as it "
        )
        said += "was at the start; a cross: it came too late or has no effect. Numbered lines: "
        miles = [m.setting for m in shown if m.is_milestone]
        said += "; ".join(f"{n} {what}" for n, what in enumerate(miles, 1)) + "."
        yield html.figure(svg.settings("figure-settings", shown), said)
    rows = []
    for moment in timeline.folded(diagnosis.settings):
        setting, action, value = timeline.words(moment.event)
        times = f" ×{moment.times}" if moment.times > 1 else ""
        seconds = facts.number_text(moment.event.t, 4)
        rows.append(
            html.row(
                (
                    seconds,
                    setting,
                    f"{action}{times}",
                    value,
                    breakable(_where(moment.event.location)),
                    moment.event.note,
                ),
                mono=5,
            )
        )
    heads = ("Seconds", "Setting", "Action", "Value", "Where", "Note")
    table = html.table(heads, (8, 22, 10, 14, 26, 20), rows, "Settings in order of time")
    yield from table if len(rows) <= _SHORT else html.folded(f"All {len(rows)} events", table)


def _where(location: Location | None) -> str:
    return "" if location is None else location.place


def hypotheses(diagnosis: Diagnosis) -> Iterator[str]:
    """Every claim with its verdict."""
    if not diagnosis.hypotheses:
        return
    yield f"<p>{esc(facts.WHOSE[0].upper())}{esc(facts.WHOSE[1:])}.</p>"
    rows = []
    for claim in diagnosis.hypotheses:
        proof = [mixed(clip(p.text, _CELL)) + (f" ({code(p.where)})" if p.where else "") for p in claim.evidence]
        rows.append(
            html.row((code(claim.id), claim.title, claim.origin, verdict(claim.verdict), Markup("; ".join(proof))))
        )
    heads = ("Id", "Claim", "From", "Verdict", "Evidence")
    yield from html.table(heads, (12, 26, 10, 12, 40), rows, "Hypotheses and their verdicts")


def verdict(word: Any) -> Markup:
    """A verdict, in words and in colour."""
    kind = _VERDICTS.get(str(word), "")
    return Markup(f'<span class="{kind}">{esc(word)}</span>' if kind else esc(word))


def remedies(diagnosis: Diagnosis) -> Iterator[str]:
    """What can be done, and what is known of it."""
    found = findings.remedies(diagnosis.findings)
    if not found:
        return
    rows = [
        html.row(
            (
                mixed(facts.near_words(r.title, diagnosis)),
                mixed(clip(r.how, _CELL)),
                r.safety,
                verdict(r.result),
                "" if r.deviation is None else facts.number_text(r.deviation),
                "" if r.speed_ratio is None else facts.number_text(r.speed_ratio),
            )
        )
        for r in found
    ]
    heads = ("Remedy", "How", "Safety", "Tested", "Deviation", "Speed ratio")
    yield from html.table(heads, (26, 34, 10, 10, 10, 10), rows, "Remedies and their results")


def environment(diagnosis: Diagnosis) -> Iterator[str]:
    """Versions, paths and switches."""
    every = facts.flat(diagnosis.environment)
    shown = facts.foremost(every) if len(every) > _SHORT else every
    rest = [row for row in every if row not in shown]
    if shown:
        yield html.facts((key, code(value)) for key, value in shown)
    if rest:
        yield from html.folded("The rest of it", [html.facts((key, code(value)) for key, value in rest)])
