"""The tables of the blocker document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xladoctor.model.diagnosis import Diagnosis, Hypothesis, Location, Proof, ShapeRow
from xladoctor.model.shapes import shape_text
from xladoctor.report import facts, findings, timeline
from xladoctor.report import legend as legends
from xladoctor.report import shapes as shape_table
from xladoctor.report.text import clip, md, md_code, md_mixed

_STEPS = 60
_MOMENTS = 40
_CELL = 600
_NEAR = 12
_PROOFS = 4
_SHORT = 12
_REST = "The rest of it"
_HEADS = ("Place", "Tensor", "Contract", "As traced", "At run time", "Remark")
_VERDICTS = {"confirmed": "**confirmed**", "refuted": "refuted", "untested": "*untested*"}


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A GitHub table of cells that are Markdown already."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def code(value: object) -> str:
    """A code span for a cell; nothing for nothing."""
    return md_code(clip(str(value), _CELL), table=True) if value not in (None, "") else ""


def prose(value: object) -> str:
    """Prose for a cell."""
    return md(clip(str(value), _CELL))


def mixed(value: object) -> str:
    """Prose with names between backticks, for a cell."""
    return md_mixed(clip(str(value), _CELL), table=True)


def place(location: Location | None) -> str:
    """A source line for a cell."""
    if location is None:
        return ""
    return code(location.place)


def numbers(diagnosis: Diagnosis) -> list[str]:
    """What the numbers of the messages are made of."""
    rows = [
        (code(number.value), code(number.factors), prose(number.meaning))
        for finding in diagnosis.findings
        for number in facts.numbers(finding)
    ]
    return ["## Numerical analysis", table(("Value", "Factors", "Meaning"), rows)] if rows else []


def shapes(diagnosis: Diagnosis) -> list[str]:
    """The shape trace."""
    if not diagnosis.shapes:
        return []
    every = shape_table.calls(diagnosis.shapes)
    near = shape_table.around(every, _NEAR)
    legend = legends.axes(diagnosis.shapes)
    parts = ["## Shape trace", f"In call order. {legend}." if legend else "In call order."]
    if not near or len(diagnosis.shapes) <= _NEAR:
        return [*parts, shape_rows(diagnosis.shapes)]
    rows: list[Sequence[str]] = []
    for call in near:
        if isinstance(call, int):
            rows.append((f"*{facts.count(call, 'other call')}*", *[""] * 5))
        else:
            rows += [_shape_row(row, number == 0) for number, row in enumerate(call.rows)]
    return [*parts, table(_HEADS, rows), *_folded_away(f"More of the {len(every)} calls", shape_rows(diagnosis.shapes))]


def _folded_away(title: str, text: str) -> list[str]:
    return [f"<details><summary>{title}</summary>", text, "</details>"]


def shape_rows(found: Sequence[ShapeRow]) -> str:
    """The table of calls, with repetitions folded."""
    steps = shape_table.shortened(shape_table.folded(shape_table.calls(found)), _STEPS)
    rows: list[Sequence[str]] = []
    for step in steps:
        if isinstance(step, int):
            rows.append((f"*{facts.count(step, 'more call')}*", *[""] * 5))
            continue
        rows += _step_rows(step)
    return table(_HEADS, rows)


def _step_rows(step: shape_table.Step) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for part in step.parts:
        if isinstance(part, shape_table.Step):
            rows += _step_rows(part)
        else:
            rows += [_shape_row(row, number == 0) for number, row in enumerate(part.rows)]
    if step.times > 1:
        rows.append((f"*{shape_table.repetition(step)}*", *[""] * 5))
    return rows


def _shape_row(row: ShapeRow, first: bool) -> tuple[str, ...]:
    name = code(row.place) if first else ""
    name += f" in layer {code(row.layer)}" if first and row.layer else ""
    name += f", iteration {prose(row.iteration)}" if first and row.iteration is not None else ""
    said = prose(row.violation) if row.violation else ""
    if row.first_violation:
        said = f"**First violation.** {said}".strip()
    if row.state == "not-executed":
        said = f"{said} *traced, not executed*".strip()
    runtime = code(shape_text(row.runtime)) if row.runtime is not None else prose(shape_table.runtime_text(row))
    return (
        name,
        f"{prose(row.phase)} {code(row.tensor)}",
        code(shape_table.contract_of(row)),
        code(shape_text(row.static)),
        runtime,
        said,
    )


def xla_paths(diagnosis: Diagnosis) -> list[str]:
    """What put XLA on."""
    if not diagnosis.xla_paths or not facts.uses_tensorflow(diagnosis):
        return []
    quiet = facts.xla_in_a_line(diagnosis)
    if quiet:
        return ["## XLA paths", quiet]
    rows = [
        (
            {True: "**on**", False: "off"}.get(path.effective, "?"),  # type: ignore[arg-type]
            code(path.mechanism),
            code(path.function),
            f"{code(path.requested)} → {prose('never traced') if facts.never_traced(path) else code(path.resolved)}",
            ", ".join(code(switch) for switch in path.governed_by) or "nothing",
            " ".join(part for part in (place(path.location), prose(path.note or "")) if part),
        )
        for path in diagnosis.xla_paths
    ]
    heads = ("XLA", "Mechanism", "Function", "Asked → resolved", "Governed by", "Where")
    return ["## XLA paths", table(heads, rows)]


def settings(diagnosis: Diagnosis) -> list[str]:
    """Who set what, and who read it."""
    if not diagnosis.settings or not facts.uses_tensorflow(diagnosis) or facts.xla_in_a_line(diagnosis):
        return []
    every = timeline.folded(diagnosis.settings)
    governing = [switch for path in diagnosis.xla_paths for switch in map(str, path.governed_by)]
    moments = timeline.telling(every, governing)[:_MOMENTS] if len(every) > _MOMENTS else every
    rows = []
    for moment in moments:
        setting, action, value = timeline.words(moment.event)
        times = f" ×{moment.times}" if moment.times > 1 else ""
        where, note = place(moment.event.location), prose(moment.event.note or "")
        seconds = prose(facts.number_text(moment.event.t, 4))
        rows.append((seconds, code(setting), prose(action) + times, code(value), where, note))
    text = table(("Seconds", "Setting", "Action", "Value", "Where", "Note"), rows)
    shown = [text] if len(rows) <= _SHORT else _folded_away(f"{len(rows)} events", text)
    parts = ["## Settings timeline", *shown]
    if len(every) > len(moments):
        parts.append(f"{len(every) - len(moments)} more are in the run folder.")
    return parts


def hypotheses(diagnosis: Diagnosis) -> list[str]:
    """Every claim with its verdict."""
    if not diagnosis.hypotheses:
        return []
    rows = [
        (
            code(claim.id),
            prose(claim.title),
            prose(claim.origin),
            _VERDICTS.get(claim.verdict, prose(claim.verdict)),
            "; ".join(mixed(p.text) + (f" ({code(p.where)})" if p.where else "") for p in _telling(claim)),
        )
        for claim in diagnosis.hypotheses
    ]
    said = f"{facts.WHOSE[0].upper()}{facts.WHOSE[1:]}."
    return ["## Hypotheses", said, table(("Id", "Claim", "From", "Verdict", "Evidence"), rows)]


def _telling(claim: Hypothesis) -> list[Proof]:
    # The last proof is the one that decides.
    proofs = list(claim.evidence)
    return proofs if len(proofs) <= _PROOFS else [*proofs[: _PROOFS - 1], proofs[-1]]


def remedies(diagnosis: Diagnosis) -> list[str]:
    """What can be done, and what is known of it."""
    found = findings.remedies(diagnosis.findings)
    if not found:
        return []
    rows = [
        (
            mixed(facts.near_words(r.title, diagnosis)),
            mixed(r.how),
            prose(r.safety),
            {"verified": "**verified**", "failed": "**failed**", "untested": "untested"}.get(r.result, prose(r.result)),
            "" if r.deviation is None else prose(facts.number_text(r.deviation)),
            "" if r.speed_ratio is None else prose(facts.number_text(r.speed_ratio)),
        )
        for r in found
    ]
    return ["## Remedies", table(("Remedy", "How", "Safety", "Tested", "Deviation", "Speed ratio"), rows)]


def environment(diagnosis: Diagnosis) -> list[str]:
    """Versions, paths and switches."""
    every = facts.flat(diagnosis.environment)
    shown = facts.foremost(every) if len(every) > _SHORT else every
    rest = [row for row in every if row not in shown]
    tables = [
        table(("What", "Value"), [(prose(key), code(value)) for key, value in rows]) for rows in (shown, rest) if rows
    ]
    if not tables:
        return []
    return ["## Environment", tables[0], *(part for text in tables[1:] for part in _folded_away(_REST, text))]
