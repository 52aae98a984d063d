"""Do the ways to compute a step agree: plainly and under XLA, a row alone and in its batch?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from xladoctor.experiments.parity import parity
from xladoctor.model.replay import Agreement
from xladoctor.preflight.situation import Situation, Stage, Unanswered
from xladoctor.preflight.verdict import Verdict, explained
from xladoctor.protocol import answers

_STEP = 0.05
"""A weight that differs by more, relative to the largest, differs by more than a step of an optimizer."""

_SEARCH = 60.0
"""How long the first op that differs is looked for, in seconds; `replay --parity` takes the time that it needs."""

TITLE = "both paths and all rows agree"
ORDER = 100
RUNS_STEPS = True


def check(situation: Situation) -> Verdict:
    """Each step at its largest size."""
    lines: list[str] = []
    notes: list[str] = []
    wrong: list[tuple[str, Agreement]] = []
    for stage in situation.wanted_stages:
        if not stage.cases:
            continue
        situation.say(f"comparing the ways of {stage.name}")
        found = parity(stage.bench, stage.cases[0], worth=partial(_unexcused, stage), seconds=_SEARCH)
        if found.agreements:
            why = _own_places(stage)
            compared = [a for a in found.agreements if a.test is None or why is None]
            notes += [f"{stage.name}: its rows are not exchanged: {why}"] if why else []
            differing = {a.output for a in compared if not a.agree}
            rounding = _by_the_optimizer(stage, differing)
            apart = [a for a in compared if not a.agree and not (a.output in rounding and _is_small(a.deviation))]
            notes += [
                f"{stage.name}: {a.output}, {a.between}: {_apart(a)}, from rounding that the optimizer amplifies"
                for a in compared
                if not a.agree and a not in apart
            ]
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


def _by_the_optimizer(stage: Stage, differing: set[str]) -> set[str]:
    """The weights that differ while all that the optimizer keeps of their gradients agrees.

    An optimizer such as Adam divides a gradient by its own size: a gradient that is nothing but rounding (a bias before
    a normalization) becomes a step like any other. The moments show whether the gradients themselves agree.
    """
    variables = _variables(stage)
    moments = [str(v["name"]) for v in variables if not v.get("trainable")]
    excused = set()
    for variable in variables:
        name = str(variable["name"])
        path = name.partition(":")[0].replace("/", "_")
        own = [m for m in moments if path in m]
        if variable.get("trainable") and own and not any(f"variable {m}" in differing for m in own):
            excused.add(f"variable {name}")
    return excused


def _is_small(deviation: float | None) -> bool:
    return deviation is not None and deviation < _STEP


def _unexcused(stage: Stage, rows: Sequence[answers.ComparedWays]) -> list[answers.ComparedWays]:
    """The results that differ by more than what the optimizer makes of rounding: the first op that differs is looked
    for among all the ops of the step, which takes longer than all other checks.
    """
    rounding = _by_the_optimizer(stage, {row.output for row in rows})
    return [row for row in rows if not (row.output in rounding and _is_small(row.deviation))]


def _variables(stage: Stage) -> list[dict[str, Any]]:
    """The variables of a step that was captured."""
    folder = stage.bench.subject.folder
    try:
        inputs = json.loads((folder / "capsule.json").read_bytes())["inputs"] if folder is not None else []
    except (OSError, ValueError, KeyError):
        return []
    return [v for i in inputs if (v := i.get("variable")) is not None]


def _own_places(stage: Stage) -> str | None:
    """Why each row of a batch has its place, and may not be exchanged; None where it has none."""
    if stage.fixed_batch is not None:
        return f"the model's input declares a batch of {stage.fixed_batch}"
    return "it keeps a state for each row of the batch" if _keeps_rows(stage) else None


def _keeps_rows(stage: Stage) -> bool:
    """Whether the step keeps a state for each row of the batch, as a stateful RNN does."""
    sizes = set(stage.sizes)
    states = [v for v in _variables(stage) if not v.get("trainable")]
    # A vector is of channels (moving means), and no state of rows.
    return any(len(v.get("shape") or ()) > 1 and v["shape"][0] in sizes for v in states)


def _apart(agreement: Agreement) -> str:
    if agreement.shapes[0] != agreement.shapes[1]:
        return f"shapes {agreement.shapes[0]} and {agreement.shapes[1]}"
    if agreement.deviation is None:
        return "one side is missing"
    return f"{float(agreement.deviation):.2g} of the largest magnitude"
