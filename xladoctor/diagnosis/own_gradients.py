"""Gradients of the program's own against small differences of its functions: what a worker measured, as findings.

The recorder says which tensors of a graph a gradient function was given and gave, and of what a tape took a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xladoctor.diagnosis.basis import DIFFERENCES
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Check, Finding, Level, Proof
from xladoctor.model.shapes import python_shape
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug

REQUEST = "own_gradients"
_SLUG = "wrong-gradient"
_REMEDY = {"ignored": "multiply-by-upstream", "summed": "one-gradient-each"}


@dataclass(frozen=True)
class Asked:
    """A capsule, and the gradients in it that are asked about."""

    capsule: str
    events: tuple[Event, ...]

    @property
    def marks(self) -> tuple[dict[str, Any], ...]:
        """What the worker needs of them."""
        names = ("what", "graph", "arguments", "results", "upstream", "gradients")
        return tuple({n: e[n] for n in names} for e in self.events)


def to_ask(recording: Recording) -> list[Asked]:
    """The gradients of each capsule, of each line one; none where the run failed."""
    marks = recording.of_kind(schema.OWN_GRADIENT)
    if not marks or not (survived(recording) or ended_itself(recording)):
        return []
    traces = {(t["pid"], t["graph"]): t for t in recording.of_kind(schema.TRACE)}
    found: dict[str, dict[tuple[str, str], Event]] = {}
    for mark in marks:
        trace = traces.get((mark["pid"], mark["graph"]))
        while trace is not None and trace.get("parent") is not None:
            trace = traces.get((trace["pid"], trace["parent"]))
        if trace is not None and trace.get("capsule"):
            key = (str(mark["graph"]), str(mark.get("where")))
            found.setdefault(str(trace["capsule"]), {}).setdefault(key, mark)
    return [Asked(capsule, tuple(events.values())) for capsule, events in found.items()]


def own_gradients(recording: Recording) -> Iterator[Finding]:
    """A finding for each line."""
    seen = set()
    for event, told, capsule in _answered(recording):
        if told and str(event.get("where")) not in seen:
            seen.add(str(event.get("where")))
            yield _finding(event, told, capsule)


def own_gradient_checks(recording: Recording) -> Iterator[Check]:
    """A check for each function with a gradient of its own that was compared."""
    wrong = {str(event.get("where")) for event, told, _ in _answered(recording) if told}
    seen = set()
    for event, _, _ in _answered(recording):
        where = str(event.get("where"))
        if event["what"] == "custom" and where not in seen:
            seen.add(where)
            name, at = str(event.get("function") or "a function"), location(event.get("where"))
            yield Check("own-gradients", name, 1, "diverges" if where in wrong else "agrees", location=at)


def _answered(recording: Recording) -> Iterator[tuple[Event, Mapping[str, Any], str]]:
    """(the gradient, what is wrong with it or {}, its capsule) of those that were compared."""
    asked = {a.capsule: a.events for a in to_ask(recording)}
    for answer in recording.answers(REQUEST):
        capsule, result = answer.capsule, answer.told
        events = asked.get(capsule, ())
        found = {int(told["mark"]): told for told in result.get("found") or ()}
        for number, told in [*found.items(), *((int(n), {}) for n in result.get("passed") or ())]:
            if number < len(events):
                yield events[number], told, capsule


def _finding(event: Event, told: Mapping[str, Any], capsule: str) -> Finding:
    rule = by_slug(_SLUG)
    kind = str(told["kind"])
    level: Level = "error" if kind == "ignored" else "warning"
    title, message = _words(event, told)
    remedies = [r for r in rule.remedies if r.id == _REMEDY.get(kind, "correct-gradient")]
    exact = "in float64" if told.get("exact") else "in float32, since an op has no kernel for float64"
    return Finding(
        code=rule.code, slug=_SLUG, level=level, role="root",
        title=title, message=f"{message} No error was raised in the run.",
        location=location(event.get("where")),
        op=told.get("op"),
        evidence=(Proof("worker", f"computed {exact}, by differences of the recorded graph",
                        f"worker.jsonl, capsule {capsule}"),
                  Proof("event", f"{event.get('function')}: where its gradient was taken", event_of(event))),
        status="confirmed", basis=DIFFERENCES, remedies=tuple(remedies),
        details={"kind": kind, "function": event.get("function"), "capsule": capsule},
    )  # fmt: skip


def _words(event: Event, told: Mapping[str, Any]) -> tuple[str, str]:
    """(title, first sentences)."""
    name, kind = str(event.get("function") or "a function"), told["kind"]
    which = f"argument {int(told.get('argument') or 0) + 1} of `{name}`"
    if kind == "ignored":
        return f"the gradient of `{name}` ignores the gradient from above", (
            f"A gradient function gets the gradient of the loss by the result of `{name}`, and must multiply it by the "
            f"derivative of `{name}`. The gradient by {which} is the same whatever it gets: what comes after `{name}`, "
            "the loss too, has no part in how the weights before it are trained."
        )
    if kind == "summed":
        return _of_sum(told)
    if kind == "left-out":
        output = int(told.get("output") or 0) + 1
        return f"the gradient of `{name}` leaves out result {output}", (
            f"Result {output} of `{name}` depends on {which}, and the loss on that result, but the gradient function "
            f"does not use what it gets for it."
        )
    if kind == "factor":
        factor = float(told.get("factor") or 0.0)
        return f"the gradient of `{name}` is {factor:.3g} times that of its function", (
            f"The gradient by {which} is {factor:.4g} times the derivative of what `{name}` computes, in each "
            "direction that was tried."
        )
    return f"the gradient of `{name}` is not that of its function", (
        f"The gradient by {which} differs from the derivative of what `{name}` computes: half of the directions that "
        f"were tried differ by {100 * float(told.get('apart') or 0.0):.0f} % or more."
    )


def _of_sum(told: Mapping[str, Any]) -> tuple[str, str]:
    shapes = told.get("shapes") or [[], []]
    derived, given = (python_shape(s) for s in shapes[:2])
    columns = (shapes[0] or [0])[-1]
    title = f"the gradient of {derived} by {given} is the sum over its {columns} columns"
    said = (
        f"`GradientTape.gradient` of {derived} by {given} adds up the derivatives of all {columns} columns of a row. "
        "More than one of them depends on the same number. "
    )
    if told.get("how") == "broadcast":
        return title, f"{said}{told.get('op')} then combines the one sum of a row with each of {columns} columns."
    if told.get("how") == "again":
        return title, (
            f"{said}It is a gradient itself, so this is the sum of a row of second derivatives, the mixed ones too; a "
            "Laplacian has only those by the same number twice."
        )
    return title, f"{said}Here they cancel: the numbers of a row always add up to the same, and the result is 0."
