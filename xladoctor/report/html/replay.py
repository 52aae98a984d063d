"""What replaying the run showed, on the blocker page: sweep, isolation, parity, remedies, lowering, reproducer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.report import facts, html, replays, svg
from xladoctor.report.html import Markup, Section, code, esc, mixed, section
from xladoctor.report.text import clip

_CELL = 400
_MAP = "A field for each case that was run; of many, neighbours that went the same way share one."
_OUTCOMES = {"passed": "ok", "failed": "bad", "silent": "bad", "crashed": "bad", "timed-out": "bad"}


def sections(found: Sequence[dict[str, Any]]) -> list[Section]:
    """A section for each replay."""
    known = replays.known(found)
    out = []
    for n, replay in enumerate(known, 1):
        tail = f" {n}" if len(known) > 1 else ""
        name = f"replay{n}"
        out.append(section(name, f"Run again{tail}: {replay.get('subject') or 'the subject'}", _replay(replay, name)))
    return out


def _replay(replay: dict[str, Any], name: str) -> Iterator[str]:
    yield from _sweep(replay, name)
    yield from _facts("Isolated", replays.isolation(replay))
    yield from _chain(replay, name)
    yield from _parity(replay, name)
    yield from _remedies(replay)
    yield from _facts("Lowered for another platform", replays.lowering(replay))
    yield from _facts("Reproducer", replays.repro(replay))
    notes = replay.get("notes")
    if isinstance(notes, list) and notes:
        yield html.items(f"Note: {note}" for note in notes)


def _sweep(replay: dict[str, Any], name: str) -> Iterator[str]:
    cases = replays.cases(replay)
    if not cases:
        return
    yield "<h3>Which batch sizes fail</h3>"
    rules = replays.rules(replay)
    if rules:
        yield html.items(Markup(f"<strong>{esc(rule)}</strong>") for rule in rules)
    if len(cases) > 1:
        yield html.figure(svg.sweep(f"{name}-sweep", cases), _MAP)
    rows = [
        html.row(
            (
                "as recorded" if c["batch"] is None else c["batch"],
                c["vary"],
                Markup(f'<span class="{_OUTCOMES.get(c["outcome"], "dim")}">{esc(c["outcome"])}</span>'),
                code(c["class"]),
                c["rows"],
                replays.number(c["compile_seconds"]),
                replays.number(c["seconds"]),
                clip(" ".join(str(part) for part in (c["place"], c["message"]) if part), _CELL),
            )
        )
        for c in cases
    ]
    heads = ("Batch", "With", "Outcome", "Class", "Rows", "Compile (s)", "Run (s)", "Said")
    table = html.table(heads, (8, 14, 10, 16, 10, 8, 8, 26), rows, "Every case of the sweep")
    yield from html.folded(f"{facts.count(len(cases), 'case')} as a table", table) if len(cases) > 1 else table


def _chain(replay: dict[str, Any], name: str) -> Iterator[str]:
    links = replays.links(replay)
    if not links:
        return
    yield "<h3>The way of the dynamic dimension</h3>"
    yield html.figure(svg.chain(f"{name}-chain", links), "From the op where it is born to the op that cannot carry it.")
    rows = [
        (x["what"], code(x["op"]), code(x["shape"]), code(x["node"]), code(x["source"]), x["where"], x["why"])
        for x in links
    ]
    heads = ("What", "Op", "Shape", "Node", "Line", "In", "Why")
    yield from html.folded("The chain as a table", [html.small(heads, rows, "The chain")])


def _parity(replay: dict[str, Any], name: str) -> Iterator[str]:
    found = replays.agreements(replay)
    if not found:
        return
    yield "<h3>Do the paths agree?</h3>"
    bad = [a for a in found if not a["agree"]]
    yield f'<p class="{"bad" if bad else "ok"}">{len(found) - len(bad)} of {len(found)} comparisons agree.</p>'
    matrix, rows, columns, tolerance = replays.deviations(replay)
    if matrix:
        said = "Deviation of each output between two ways to compute it"
        said += ", in multiples of the tolerance." if tolerance == 1.0 else ", relative to its largest magnitude."
        yield html.figure(svg.heat(f"{name}-heat", matrix, rows, columns, tolerance), said)
    table = [
        (
            code(a["output"]),
            a["ways"],
            Markup('<span class="ok">agree</span>' if a["agree"] else '<span class="bad">differ</span>'),
            replays.number(a["deviation"]),
            replays.number(a["tolerance"]),
            a["shapes"],
            a["rows"],
            code(a["class"]),
            a["what"],
        )
        for a in found
    ]
    heads = ("Output", "Ways", "Result", "Deviation", "Tolerance", "Shapes", "Rows that differ", "Class", "Remark")
    yield html.small(heads, table, "Every comparison")
    parting = replays.divergence(replay)
    if parting:
        yield html.facts((key, code(value)) for key, value in parting)


def _remedies(replay: dict[str, Any]) -> Iterator[str]:
    found = replays.tested(replay)
    if not found:
        return
    yield "<h3>Remedies that were run</h3>"
    kinds = {"cured": "ok", "no effect": "dim", "not applicable": "dim"}
    rows = [
        (
            mixed(t["title"] or t["remedy"]),
            Markup(f'<span class="{kinds.get(str(t["result"]), "bad")}">{esc(t["result"])}</span>'),
            " ".join(str(part) for part in (t["safety"], t["numerics"]) if part),
            replays.number(t["deviation"]),
            replays.number(t["speed_ratio"]),
            mixed(clip(str(t["how"] or t["message"] or ""), _CELL)),
        )
        for t in found
    ]
    yield html.small(("Remedy", "Result", "Safety", "Deviation", "Speed ratio", "How"), rows, "Remedies that were run")


def _facts(title: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    if rows:
        yield f"<h3>{esc(title)}</h3>"
        yield html.facts((key, code(value)) for key, value in rows)
