"""Schedules of Keras that come to their end long before the training does: most often epochs were given for steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from xladoctor.diagnosis.basis import COMPUTED
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.sources.names import last_name, nodes_of
from xladoctor.sources.schedules import built_in, end_of

_STEPS = Remedy(
    "steps-not-epochs", "Give the schedule steps, and not epochs", "changes-numerics",
    "The schedules of Keras count the steps of the optimizer: `decay_steps=epochs * steps_per_epoch`, and boundaries "
    "in the same unit.",
)  # fmt: skip
_LEAST, _NOTHING, _MOST_OF_IT = 20, 1e-4, 0.5
"""So many steps; a rate of this part of the first one trains nothing; so much of the run was at such a rate."""
_EPOCHS, _POINTS = 3, 200


def ended_early(recording: Recording, trees: Mapping[str, ast.Module]) -> Iterator[Finding]:
    """A warning for a rate that is nothing for most of the run, or that has stopped falling in the first epoch."""
    for event in recording.of_kind(schema.SCHEDULE):
        steps, kind, numbers = int(event["steps"]), str(event["of"]), dict(event["numbers"])
        at = range(0, steps, max(1, steps // _POINTS))
        rates = [r for s in at if (r := built_in(kind, numbers, s)) is not None]
        end = end_of(numbers)
        if steps < _LEAST or len(rates) < len(at) or end is None or not 0 < max(rates) == rates[0]:
            continue
        idle = next((s for s, r in zip(at, rates, strict=True) if r <= _NOTHING * rates[0]), steps)
        epochs = sum(int(e.get("epochs_run") or 0) for e in recording.of_kind(schema.CALL) if e["method"] == "fit")
        stays = built_in(kind, numbers, end + 1) == rates[-1] < rates[0]
        in_epochs = stays and epochs >= _EPOCHS and end <= epochs and end < steps / epochs
        if idle <= (1 - _MOST_OF_IT) * steps or in_epochs:
            yield _finding(event, _place(kind, trees), idle if idle < steps else int(end), (rates[0], rates[-1]))


def _place(kind: str, trees: Mapping[str, ast.Module]) -> Location | None:
    found = [
        Location(file, n.lineno)
        for file, tree in trees.items()
        for n in nodes_of(tree, ast.Call)
        if last_name(n.func) == kind
    ]
    return found[0] if len({str(f) for f in found}) == 1 else None


def _finding(event: Event, at: Location | None, step: int, rates: tuple[float, float]) -> Finding:
    steps = int(event["steps"])
    title = f"{event['of']} has come to {rates[1]:g} by step {step + 1} of {steps}"
    found = finding(
        "dead-switch", title,
        f"The rate falls from {rates[0]:g} to {rates[1]:g} within {step + 1} steps, and stays there for the other "
        f"{steps - step - 1} steps of the run. A schedule counts steps of the optimizer, not epochs.",
        event, [Proof("event", title, event_of(event))], basis=COMPUTED,
        details={"kind": "schedule", "rate": rates[1], "steps": steps},
    )  # fmt: skip
    return replace(found, location=at, remedies=(_STEPS,))
