"""What replaying the run showed, in the blocker document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xladoctor.report import replays
from xladoctor.report.markdown_tables import code, mixed, prose, table
from xladoctor.report.text import md, md_code

_OUTCOMES = {"passed": "passes", "failed": "**fails**", "silent": "**silently wrong**"}
_MOST = 60


def sections(found: Sequence[dict[str, Any]]) -> list[str]:
    """A section for each replay."""
    known = replays.known(found)
    parts = []
    for n, replay in enumerate(known, 1):
        tail = f" {n}" if len(known) > 1 else ""
        parts.append(f"## Run again{tail}: {md(replay.get('subject') or 'the subject')}")
        parts += [*_sweep(replay), *_facts("Isolated", replays.isolation(replay)), *_chain(replay), *_parity(replay)]
        parts += [*_remedies(replay), *_facts("Lowered for another platform", replays.lowering(replay))]
        parts += _facts("Reproducer", replays.repro(replay))
        notes = replay.get("notes")
        if isinstance(notes, list) and notes:
            parts.append("\n".join(f"- Note: {md(note)}" for note in notes))
    return parts


def _sweep(replay: dict[str, Any]) -> list[str]:
    cases = replays.cases(replay)
    if not cases:
        return []
    parts = ["### Which batch sizes fail"]
    rules = replays.rules(replay)
    parts += ["\n".join(f"- **{md(rule)}**" for rule in rules)] if rules else []
    rows = [
        (
            "as recorded" if c["batch"] is None else str(c["batch"]),
            code(c["vary"]),
            _OUTCOMES.get(c["outcome"], prose(c["outcome"])),
            code(c["class"]),
            prose(c["rows"]),
            replays.number(c["compile_seconds"]),
            replays.number(c["seconds"]),
            prose(" ".join(str(part) for part in (c["place"], c["message"]) if part)),
        )
        for c in cases[:_MOST]
    ]
    heads = ("Batch", "With", "Outcome", "Class", "Rows", "Compile (s)", "Run (s)", "Said")
    parts.append(table(heads, rows))
    return [*parts, f"{len(cases) - _MOST} more are in the replay's folder."] if len(cases) > _MOST else parts


def _chain(replay: dict[str, Any]) -> list[str]:
    rows = [
        (prose(x["what"]), code(x["op"]), code(x["shape"]), code(x["node"]), code(x["source"]), prose(x["why"] or ""))
        for x in replays.links(replay)
    ]
    heads = ("What", "Op", "Shape", "Node", "Line", "Why")
    return ["### The way of the dynamic dimension", table(heads, rows)] if rows else []


def _parity(replay: dict[str, Any]) -> list[str]:
    found = replays.agreements(replay)
    rows = [
        (
            code(a["output"]),
            prose(a["ways"]),
            "agree" if a["agree"] else "**differ**",
            replays.number(a["deviation"]),
            replays.number(a["tolerance"]),
            code(a["shapes"]),
            prose(a["rows"]),
            prose(a["what"] or ""),
        )
        for a in found
    ]
    heads = ("Output", "Ways", "Result", "Deviation", "Tolerance", "Shapes", "Rows that differ", "Remark")
    parting = [f"- {md(key)}: {md_code(value)}" for key, value in replays.divergence(replay)]
    parts = ["### Do the paths agree?", table(heads, rows)] if rows else []
    return [*parts, "\n".join(parting)] if rows and parting else parts


def _remedies(replay: dict[str, Any]) -> list[str]:
    rows = [
        (
            mixed(t["title"] or t["remedy"]),
            "**cured**" if t["result"] == "cured" else prose(t["result"]),
            prose(" ".join(str(part) for part in (t["safety"], t["numerics"]) if part)),
            replays.number(t["deviation"]),
            replays.number(t["speed_ratio"]),
        )
        for t in replays.tested(replay)
    ]
    heads = ("Remedy", "Result", "Safety", "Deviation", "Speed ratio")
    return ["### Remedies that were run", table(heads, rows)] if rows else []


def _facts(title: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    return [f"### {title}", "\n".join(f"- {md(key)}: {md_code(value)}" for key, value in rows)] if rows else []
