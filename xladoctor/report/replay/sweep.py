"""The sweep: its rules, and the table of outcomes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from csv import writer
from typing import TYPE_CHECKING, Any

from xladoctor.report.replay.words import count, failure, seconds, varied
from xladoctor.report.text import line, md, md_code

if TYPE_CHECKING:
    from xladoctor.replay.model import Outcome, Replay, Sweep
    from xladoctor.report.page import Page
    from xladoctor.report.view import View

_FEW = 24
_STYLES = {"passed": "green", "refused": "dim"}
HEADS = (
    "batch", "varied", "state", "class", "op", "axes", "place", "rows_in", "rows_out", "trace_seconds",
    "compile_seconds", "run_seconds", "node", "dims", "message", "note",
)  # fmt: skip


def console(page: Page, found: Replay, view: View) -> None:
    """The rules with what they rest on, and the outcomes around each change (all of them with --verbose)."""
    sweep = found.sweep
    if sweep is None:
        return
    page.heading("Sweep", cost(sweep))
    for rule in sweep.rules:
        page.para(f"{rule.text}  (tried: {', '.join(map(str, rule.seen))})", first="- ", hang=2)
    shown = sweep.outcomes if view.verbose else few(sweep.outcomes)
    page.table(rows(shown))
    left = len(sweep.outcomes) - len(shown)
    if left:
        page.para(f"and {left} more; --verbose or sweep.csv shows them")


def markdown(found: Replay) -> list[str]:
    """The same for an issue."""
    sweep = found.sweep
    if sweep is None:
        return []
    blocks = ["## Sweep", cost(sweep)]
    if sweep.rules:
        blocks.append("\n".join(f"- {md(rule.text)} (tried: {', '.join(map(str, rule.seen))})" for rule in sweep.rules))
    table = [[md_code(cell, table=True) if cell else "" for cell in row] for row in rows(few(sweep.outcomes))]
    head = ["batch", "varied", "outcome", "class", "rows", "compile", "run", "where"]
    cells = [head, ["---"] * len(head), *table[1:]]
    blocks.append("\n".join(f"| {' | '.join(row)} |" for row in cells))
    return blocks


def cost(sweep: Sweep) -> str:
    """How many cases were asked for, and what it took to know."""
    text = f"{count(sweep.asked, 'case')} asked for, {count(sweep.tries, 'try')}, {sweep.compilations} compilations"
    return f"{text}, {seconds(sweep.seconds)}" + ("" if sweep.complete else "; interrupted")


def rows(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """The table for people, with its heads."""
    head = ["batch", "varied", "outcome", "class", "rows", "compile", "run", "where"]
    return [
        head,
        *(
            [
                "as recorded" if o.case.batch is None else str(o.case.batch),
                varied(o.case),
                o.state,
                failure(o),
                f"{o.rows_in} -> {o.rows_out}" if o.rows_out is not None else "",
                seconds(o.compile_seconds),
                seconds(o.run_seconds),
                o.place or o.node or "",
            ]
            for o in outcomes
        ),
    ]


def few(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """All outcomes, or of many the first, the last, and those beside a change."""
    if len(outcomes) <= _FEW:
        return list(outcomes)

    def same(a: Outcome, b: Outcome) -> bool:
        return (a.state, a.signature, a.place, a.case.vary) == (b.state, b.signature, b.place, b.case.vary)

    ends = (0, len(outcomes) - 1)
    kept = [
        o for i, o in enumerate(outcomes) if i in ends or not same(o, outcomes[i - 1]) or not same(o, outcomes[i + 1])
    ]
    return kept[: 2 * _FEW]


def csv(found: Replay) -> str:
    """Every outcome, one a row, for a spreadsheet or pandas."""
    out = io.StringIO()
    table = writer(out, lineterminator="\n")
    table.writerow(HEADS)
    for o in found.sweep.outcomes if found.sweep else ():
        s = o.signature
        values: list[Any] = [
            o.case.batch, varied(o.case), o.state, s.slug if s else None, s.op if s else None,
            " ".join(map(str, s.axes)) if s else None, o.place, o.rows_in, o.rows_out, o.trace_seconds,
            o.compile_seconds, o.run_seconds, o.node, " ".join(map(str, o.dims)), o.message, o.note,
        ]  # fmt: skip
        table.writerow([_cell(v) for v in values])
    return out.getvalue()


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    text = line(value)
    # A name from a run must not become a formula in a spreadsheet.
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
