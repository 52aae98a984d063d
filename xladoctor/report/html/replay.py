"""What replaying the run showed, on the blocker page: sweep, isolation, parity, remedies, lowering, reproducer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.report import facts, html, replays, svg
from xladoctor.report.html import Markup, Section, code, esc, mixed, section
from xladoctor.report.text import clip

_CELL = 400
_FEW = 16
_PICTURES = 2
_PICTURE = 360.0
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
    yield from _where(replay, name)
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


def _where(replay: dict[str, Any], name: str) -> Iterator[str]:
    """Of outputs that differ: in which rows of the batch, and where in the worst row."""
    found = replays.maps(replay)
    for number, ways in enumerate(dict.fromkeys(m["ways"] for m in found), 1):
        same = [m for m in found if m["ways"] == ways]
        # Rows of one batch stand below each other; an output with other rows has a picture of its own kind only.
        like = [m for m in same if [n for n, _ in m["rows"]] == [n for n, _ in same[0]["rows"]]]
        matrix = [[value for _, value in m["rows"]] for m in like]
        heads = [str(n) for n, _ in same[0]["rows"]]
        labels = [str(m["output"]) for m in like]
        picture = svg.heat(
            f"{name}-rows{number}", matrix, labels, heads if len(heads) <= _FEW else (), like[0]["tolerance"],
            each=(1, same[0]["block"]),
        )  # fmt: skip
        yield html.figure(picture, f"Which rows of the batch deviate, {ways}: a field for each row, a line an output.")
        for m in [m for m in same if m["cells"] and m["shape"]][:_PICTURES]:
            each = (math.ceil(m["shape"][0] / len(m["cells"])), math.ceil(m["shape"][1] / len(m["cells"][0])))
            picture = svg.heat(
                f"{name}-map{number}-{same.index(m)}", m["cells"], tolerance=m["tolerance"], each=each, widest=_PICTURE
            )
            high, wide = m["shape"]
            yield html.figure(picture, f"Where {m['output']} deviates in row {m['row']}, {ways} ({high} by {wide}).")


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
