"""The sweep: its rules, and the table of outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xladoctor.report.document import Block, Paragraph, Part, Table, points
from xladoctor.report.replay.words import count, failure, ranges, seconds, varied
from xladoctor.report.text import line

if TYPE_CHECKING:
    from xladoctor.model.replay import Outcome, Replay, Rule, Sweep

_FEW = 24


def part(found: Replay, all_of_it: bool) -> Part | None:
    """The rules with what they rest on, and the outcomes around each change, or all of them."""
    sweep = found.sweep
    if sweep is None:
        return None
    constant = _constant(sweep.outcomes)
    shown = sweep.outcomes if all_of_it else few(sweep.outcomes)
    left = len(sweep.outcomes) - len(shown)
    blocks: list[Block] = [points([says(rule, constant) for rule in sweep.rules])]
    blocks += [Paragraph(f"everywhere {name}") for name in constant]
    blocks.append(table(shown))
    blocks += [Paragraph(f"and {left} more; --verbose or sweep.csv shows them")] if left else []
    blocks.append(points(remarks(sweep.outcomes)))
    return Part("sweep", "Sweep", cost(sweep), tuple(blocks))


def cost(sweep: Sweep) -> str:
    """How many cases were asked for, and what it took to know."""
    text = f"{count(sweep.asked, 'case')} asked for, {count(sweep.tries, 'try')}, "
    text += f"{count(sweep.compilations, 'XLA compilation')}, {seconds(sweep.seconds)}"
    return text + ("" if sweep.complete else "; interrupted")


def says(rule: Rule, constant: Sequence[str] = ()) -> str:
    """A rule with what it holds for (without what is the same for all), and what was tried."""
    said = [f"{name.removeprefix('arg:')}={value}" for name, value in rule.vary]
    where = " ".join(text for text in said if text not in constant)
    text = f"{where}: {rule.text}" if where else rule.text
    if rule.kind in ("always", "never"):
        return text
    return f"{text}. Tried: {ranges(rule.seen)}"


def remarks(outcomes: Sequence[Outcome]) -> list[str]:
    """What is to be said of outcomes besides their row, each once: why one was refused, what a try could not do."""
    said = [o.message for o in outcomes if o.state == "refused"] + [o.note for o in outcomes if o.state != "refused"]
    return [line(text) for text in dict.fromkeys(said) if text]


def table(outcomes: Sequence[Outcome]) -> Table:
    """The outcomes for people; columns in which nothing stands are left out."""
    constant = set(_constant(outcomes))
    columns: dict[str, list[str]] = {
        "batch": ["as recorded" if o.case.batch is None else str(o.case.batch) for o in outcomes],
        "varied": [varied(o.case, constant) for o in outcomes],
        "outcome": [o.state for o in outcomes],
        "rows": ["" if o.rows_out is None else f"{o.rows_in} -> {o.rows_out}" for o in outcomes],
        "trace": [seconds(o.trace_seconds) for o in outcomes],
        "compile": [seconds(o.compile_seconds) for o in outcomes],
        "run": [seconds(o.run_seconds) for o in outcomes],
        "class": [failure(o) for o in outcomes],
        "where": [o.place or o.location or o.node or "" for o in outcomes],
    }
    kept = {head: cells for head, cells in columns.items() if any(cells)}
    return Table(tuple(kept), tuple(zip(*kept.values(), strict=True)))


def _constant(outcomes: Sequence[Outcome]) -> list[str]:
    """What is varied by name but the same in all outcomes: `env:X=1`."""
    cases = [dict(o.case.vary) for o in outcomes]
    if not cases:
        return []
    return [f"{n.removeprefix('arg:')}={v}" for n, v in cases[0].items() if all(c.get(n) == v for c in cases)]


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
