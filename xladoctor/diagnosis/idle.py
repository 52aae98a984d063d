"""What a training of the program's own leaves idle: batch normalisation, dropout, the memory of an optimizer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.basis import NOT_TESTED, RECORDED_NUMBERS
from xladoctor.diagnosis.misdirected import misdirected
from xladoctor.diagnosis.own_source import program_of, source_of
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.names import last_name, nodes_of
from xladoctor.sources.tapes import for_inference

_SLUG = "dead-switch"
_BATCH = "batch-normalization"
_TRAINING = Remedy(
    "call-for-training",
    "Call the model with training=True in the step that trains it",
    "changes-numerics",
    "`model(x, training=True)` within the tape. Outside `fit`, Keras calls a model for inference by default.",
)
_INFERENCE = Remedy(
    "call-for-inference", "Evaluate with training=False", "changes-numerics",
    "`model(x, training=False)`. For dropout alone, call only the dropout layers with `training=True`.",
)  # fmt: skip
_FOR_STATISTICS = re.compile(r"adapt|calibrat|refresh|update|warm|statistic|bn\b|batch_?norm", re.I)
_HANDS_ON = frozenset({"call", "__call__"})
_PRINTS = frozenset({"print", "append", "extend", "info", "write"})
_ONE = Remedy(
    "one-optimizer",
    "Make the optimizer once, before the loop",
    "changes-numerics",
    "Then it keeps its momentum, its moments and the number of its steps from step to step.",
)
_SHOWN = 6


def idle_parts(recording: Recording) -> Iterator[Finding]:
    """A warning for layers that never did their work, and for optimizers that were made again for each step."""
    if not (survived(recording) or ended_itself(recording)):
        return
    lines = set()
    for event in recording.of_kind(schema.IDLE_LAYER):
        found = _after(event, recording) if event["what"] == "after-training" else _layers(event, recording)
        if found is not None and str(found.location) not in lines:
            lines.add(str(found.location))
            yield found
    for event in recording.of_kind(schema.TURNOVER):
        yield _optimizers(event)
    yield from misdirected(recording)


def _after(event: Event, recording: Recording) -> Finding | None:
    """Batch normalisation by the batch, for results that the program uses. A call whose result goes nowhere, or within
    a function with such a name, is one for the statistics alone.
    """
    calls = [at for frame in (event["made"], *event.get("frames", ())) if (at := location(frame)) is not None]
    # A `call` of the program's only hands on what it was told.
    at = next((at for at in calls if (at.function or "").rpartition(".")[2] not in _HANDS_ON), None)
    if at is None or any(_FOR_STATISTICS.search(call.function or "") for call in calls) or _goes_nowhere(recording, at):
        return None
    layer = str(event["layers"][0])
    return finding(
        _SLUG,
        f"Batch normalisation is in training mode after the training: `{layer}` normalises by the batch",
        f"No gradient was taken after this call. `{layer}` used the mean and variance of the batch that it was given, "
        "and moved the statistics of the training towards them: the result of a row depends on the other rows.",
        {**event, "where": {"file": at.file, "line": at.line, "function": at.function}},
        [Proof("event", f"batch statistics of {layer} with no gradient after it", event_of(event))],
        basis=RECORDED_NUMBERS,
        details={"kind": "after-training", "layers": [layer]},
        remedies=(_INFERENCE,),
    )


def _goes_nowhere(recording: Recording, at: Location) -> bool:
    """Whether nothing uses the result of a call; also where its source cannot be read, and nobody knows."""
    source = source_of(recording, at.file)
    if source is None or at.line is None:
        return True
    around = (n for n in nodes_of(source.tree, ast.Expr) if n.lineno <= at.line <= (n.end_lineno or 0))
    return any(isinstance(s.value, ast.Call) and last_name(s.value.func) not in _PRINTS for s in around)


def _layers(event: Event, recording: Recording) -> Finding | None:
    """The line is that of the call of the model, under a tape: without one nothing is known of how it is trained."""
    places = {file: call for file, tree in program_of(recording).items() for call in for_inference(tree)}
    if len(places) != 1:
        return None
    [(file, call)] = places.items()
    names = [str(n) for n in event["layers"]]
    shown = ", ".join(f"`{n}`" for n in names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    batch = event["what"] == _BATCH
    how = "training=False" if call.given else "no `training`, which means inference outside `fit`"
    said = (
        f"At the end of the run the statistics of {shown} are still those of a new layer (mean 0, variance 1), while "
        "an optimizer trained its scale or shift. It did not normalise anything."
        if batch
        else f"The generators of {shown} never drew a number: no unit was dropped in the run."
    )
    what = "Batch normalisation" if batch else "Dropout"
    found = finding(
        _SLUG,
        f"{what} did nothing: the step that trains calls its model for inference",
        f"{said} The call under the tape has {how}.",
        {**event, "where": {"file": file, "line": call.line, "function": call.function}},
        [Proof("event", f"{event['what']}: {', '.join(names[:_SHOWN])}", event_of(event))],
        tested=batch,
        basis=RECORDED_NUMBERS,
        details={"kind": event["what"], "layers": names},
    )
    return replace(found, remedies=(_TRAINING,), basis=RECORDED_NUMBERS if batch else NOT_TESTED)


def _optimizers(event: Event) -> Finding:
    many, steps = int(event["optimizers"]), int(event["steps"])
    where: Location | None = location(event.get("where"))
    title = f"{event['optimizer']} is made again for each step: {many} optimizers in {steps} steps"
    found = finding(
        _SLUG,
        title,
        f"The same variables were trained by {many} optimizers of this kind in {steps} steps. Each starts without "
        f"a state, so momentum, moments and everything that depends on the number of steps have no effect.",
        event,
        [Proof("event", title, event_of(event))],
        basis=RECORDED_NUMBERS,
        details={"kind": "optimizer", "optimizers": many, "steps": steps},
    )
    return replace(found, location=where, remedies=(_ONE,))
