"""The shape trace of a run: every watched call, with the tensors at its places, their contracts, and who bound what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import xladoctor
from xladoctor.diagnosis.baked import baked_notes
from xladoctor.diagnosis.facts import Step, first_location, steps
from xladoctor.diagnosis.layers import functions, layers
from xladoctor.diagnosis.numbers import Name, names_of
from xladoctor.diagnosis.shape_rows import shape_rows
from xladoctor.diagnosis.watched import place_notes, watched_places
from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.diagnosis import Location
from xladoctor.model.evidence import ProcessOutcome
from xladoctor.model.trace import Trace, TracedStep, Values
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema


def trace(recording: Recording) -> Trace:
    """The trace of a recorded run."""
    grouped: dict[Any, list[Step]] = {}
    for number, step in enumerate(steps(recording, every=True)):
        grouped.setdefault(step.capsule or number, []).append(step)
    found = tuple(_traced(group[0]) for group in grouped.values())
    verdict: Literal["broken", "kept", "empty"] = "empty"
    if any(step.shapes for step in found):
        verdict = "broken" if any(step.broken for step in found) else "kept"
    return Trace(
        source=str(recording.folder),
        verdict=verdict,
        steps=found,
        places=watched_places(recording),
        layers=layers(recording),
        functions=functions(recording),
        environment=_environment(recording),
        notes=(*_run_notes(recording, found), *place_notes(recording), *baked_notes(recording)),
        problems=recording.problems,
        tool_version=xladoctor.__version__,
    )


def _traced(step: Step) -> TracedStep:
    recording, keras = step.recording, step.keras_call
    event = _trace_event(recording, step.capsule)
    answer = next(iter(recording.answers("shapes", step.capsule) if step.capsule else ()), None)
    values = _values(step, answer)
    return TracedStep(
        name=_name(step, event),
        outcome=step.why,  # type: ignore[arg-type]
        values=values,
        batch=answer.batch if answer is not None else None,
        rows_in=(keras or {}).get("rows_in"),
        times=_times(recording, step.capsule),
        function=(event or {}).get("function"),
        xla=(event or {}).get("xla"),
        capsule=step.capsule,
        pid=step.pid if step.pid is not None else (event or keras or step.failure or {}).get("pid"),
        location=_location(step, event),
        bindings=tuple(Name(b.name, b.value, b.by) for b in step.bindings.values()),
        names=_names(step),
        shapes=shape_rows(step),
        notes=tuple(_notes(step, values, answer)),
    )


def _name(step: Step, event: Event | None) -> str:
    if step.why == "eager":
        return "eager calls"
    if step.keras_call is not None:
        model = step.keras_call.get("model")
        return f"{step.keras_call['method']} of {model}" if model else str(step.keras_call["method"])
    if event is not None:
        return f"tf.function {event.get('python_name') or event['function']}"
    return f"{(step.failure or {}).get('during') or 'program'}, outside of any finished function"


def _location(step: Step, event: Event | None) -> Location | None:
    if step.keras_call is not None:
        return location(step.keras_call.get("where")) or _begun(step.recording, step.keras_call)
    if step.failure is not None:
        return first_location(step.failure.get("frames", ()))
    return location((event or {}).get("where"))


def _begun(recording: Recording, call: Event) -> Location | None:
    for event in recording.of_kind(schema.CALL):
        if event["phase"] == "begin" and (event["pid"], event["call"]) == (call["pid"], call["call"]):
            return location(event.get("where"))
    return None


def _trace_event(recording: Recording, capsule: str | None) -> Event | None:
    return next((e for e in recording.of_kind(schema.TRACE) if capsule and e.get("capsule") == capsule), None)


def _times(recording: Recording, capsule: str | None) -> int:
    calls = [e for e in recording.of_kind(schema.CALL) if e["phase"] != "begin" and e.get("capsule") == capsule]
    return max(1, len(calls)) if capsule else 1


def _values(step: Step, answer: WorkerAnswer | None) -> Values:
    if step.why == "eager":
        return "exact"
    if answer is None or not isinstance(answer.result, dict):
        return "none"
    kept = step.recording.capsule(str(step.capsule)).values
    return "exact" if kept == "exact" else "redrawn" if kept == "redrawn" else "random"


def _names(step: Step) -> tuple[Name, ...]:
    """Names for setting two runs side by side: the axes of the first place that was entered, and what is made of them.

    An axis of a later place is only a local name: it takes whatever size comes, right or wrong, and would make every
    size the same as every other. Settings stay out: a 2 that is a coordinate pair would be `gridsize`.
    """
    entered = next((c for c in step.calls if c.state != "not-executed" and c.known().bindings), None)
    main = entered.known().bindings if entered is not None else {}
    local = [b for n, b in step.bindings.items() if n not in main]
    return names_of(main, step.expressions, local)


def _notes(step: Step, values: Values, answer: WorkerAnswer | None) -> Iterable[str]:
    if step.worker_error:
        yield f"no run-time shapes: {step.worker_error}"
    elif values == "none" and step.capsule is not None and step.calls:
        yield "only shapes as traced: no worker computed the run-time shapes"
    if not step.calls and step.recording.of_kind(schema.PLACE_FOUND):
        yield "no watched function was called in it"
    if answer is not None and isinstance(answer.result, dict):
        if answer.batch is None and any(t.static and t.static[0] is None for c in step.calls for t in c.inputs):
            yield "the size of its batch is not known (a dataset, for example): the worker chose one"
        failed = answer.told.get("failed") or ()
        if failed and values == "random":
            first = failed[0]
            yield f"with these values {first.get('node')} fails: {str(first.get('message', '')).partition(chr(10))[0]}"
        yield from (str(note) for note in answer.told.get("notes") or ())


def _run_notes(recording: Recording, found: tuple[TracedStep, ...]) -> Iterable[str]:
    outcome = recording.outcome
    if not recording.events:
        why = outcome.probes_note if outcome is not None else None
        yield "nothing was recorded in this run" + (f": {why}" if why else "")
    elif not any(s.shapes for s in found):
        watch = "name a function in [tool.xladoctor.places] of pyproject.toml, or decorate it (docs/places.md)"
        yield f"no watched function was called in this run; to see the tensors inside a function, {watch}"
    if any(s.values == "random" for s in found):
        yield (
            "no data of this step were recorded, because it did not fail. Its run-time shapes come from random "
            "values of the right types and shapes, so a branch that depends on values may go the other way"
        )
    if any(s.values == "none" and s.shapes and s.capsule and s.outcome == "well" for s in found):
        yield "scan computes the shapes of failed calls only: xladoctor trace -- CMD computes those of every call"
    if outcome is not None and _ended_badly(outcome):
        how = f"by {outcome.signal}" if outcome.signal else f"with {outcome.code}"
        yield f"the program ended {how}: xladoctor scan {recording.folder} says why"


def _ended_badly(outcome: ProcessOutcome) -> bool:
    return outcome.signal is not None or bool(outcome.code)


def _environment(recording: Recording) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if recording.outcome is not None and recording.outcome.command:
        found["command"] = list(recording.outcome.command)
    for start in recording.of_kind(schema.START)[:1]:
        found.update({k: start.get(k) for k in ("python", "executable", "cwd")})
    for event in recording.of_kind(schema.IMPORT):
        found[str(event["module"])] = event.get("version")
        found[f"{event['module']}_file"] = event.get("file")
    return found
