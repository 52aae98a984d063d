"""Do the ways to compute a step agree: plainly and under XLA, a row alone and in its batch?"""

from __future__ import annotations

import json

from xladoctor.preflight.situation import Situation, Stage, Unanswered
from xladoctor.preflight.verdict import Verdict, explained
from xladoctor.replay.model import Agreement
from xladoctor.replay.parity import parity

TITLE = "both paths and all rows agree"


def check(situation: Situation) -> Verdict:
    """Each step at its largest size."""
    lines: list[str] = []
    notes: list[str] = []
    wrong: list[tuple[str, Agreement]] = []
    for stage in situation.wanted_stages:
        if not stage.cases:
            continue
        situation.say(f"comparing the ways of {stage.name}")
        found = parity(stage.bench, stage.cases[0])
        if found.agreements:
            compared = [a for a in found.agreements if a.test is None or not _keeps_rows(stage)]
            apart = [a for a in compared if not a.agree]
            ways = ", ".join(found.ways)
            lines.append(f"{stage.name}: {len(compared)} comparisons ({ways}), {len(apart)} differ")
            wrong += [(stage.name, a) for a in apart]
        notes += [f"{stage.name}: {note}" for note in found.not_comparable]
    if wrong:
        name, first = wrong[0]
        slugs = tuple(dict.fromkeys(a.slug for _, a in wrong if a.slug))
        details = [f"{n}: {a.output}, {a.between}: {_apart(a)}" for n, a in wrong[:20]]
        return Verdict(
            "fail", f"{name}: {first.output} differs, {first.between} ({_apart(first)})",
            explained(slugs[0]) if slugs else None, slugs, (*lines, *details, *notes),
        )  # fmt: skip
    if not lines:
        raise Unanswered(notes[0] if notes else "no step has a size to compare at")
    return Verdict("pass", "; ".join(lines), details=(*lines, *notes))


def _keeps_rows(stage: Stage) -> bool:
    """Whether the step keeps a state for each row of the batch, as a stateful RNN does: rows have places then, and may
    not be exchanged.
    """
    folder, sizes = stage.bench.subject.folder, set(stage.sizes)
    if folder is None:
        return False
    try:
        inputs = json.loads((folder / "capsule.json").read_bytes())["inputs"]
    except (OSError, ValueError, KeyError):
        return False
    states = [v for i in inputs if (v := i.get("variable")) is not None and not v.get("trainable")]
    # A vector is of channels (moving means), and no state of rows.
    return any(len(v.get("shape") or ()) > 1 and v["shape"][0] in sizes for v in states)


def _apart(agreement: Agreement) -> str:
    if agreement.shapes[0] != agreement.shapes[1]:
        return f"shapes {agreement.shapes[0]} and {agreement.shapes[1]}"
    if agreement.deviation is None:
        return "one side is missing"
    return f"{float(agreement.deviation):.2g} of the largest magnitude"
