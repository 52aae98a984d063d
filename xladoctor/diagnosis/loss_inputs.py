"""Cross-entropies that got scores where they take probabilities, or the reverse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.diagnosis.basis import READ_IN_GRAPH, RECORDED_NUMBERS
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.names import last_name, nodes_of, walk

_KERAS = frozenset({"fit", "evaluate", "train_on_batch", "test_on_batch"})
_REMEDIES = {
    "logits": "say-logits",
    "probabilities": "one-activation",
    "alone": "sigmoid-of-one",
    "equal": "metric-of-classes",
    "cut": "metric-of-classes",
}


def loss_inputs(recording: Recording) -> Iterator[Finding]:
    """A warning for each line that chose the loss."""
    if not (survived(recording) or ended_itself(recording)):
        return
    rule, seen = by_slug("loss-input-mismatch"), set()
    for event in recording.of_kind(schema.LOSS_INPUT):
        used = location(event.get("where"))
        at = _chosen(event, used, recording) if used is not None else None
        if at is None or (at.file, at.line) in seen or event["what"] not in _REMEDIES:
            continue
        seen.add((at.file, at.line))
        title, message = _words(event)
        there = f" It was called at {used}." if used is not None and used.line != at.line else ""
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root", title=title,
            message=f"{message}{there} No error was raised in the run.",
            location=at,
            op=event.get("op"),
            evidence=(Proof("event", title, event_of(event)),),
            status="confirmed", basis=READ_IN_GRAPH if event.get("op") else RECORDED_NUMBERS,
            remedies=tuple(r for r in rule.remedies if r.id == _REMEDIES[event["what"]]),
            details={"kind": event["what"], "loss": event["loss"]},
        )  # fmt: skip


def _words(event: Event) -> tuple[str, str]:
    """(title, message)."""
    loss, op = event["loss"], event.get("op")
    if event["what"] in ("equal", "cut"):
        how = "compares for equality" if event["what"] == "equal" else "cuts to whole numbers"
        return (
            f"The metric {loss} {how}, and gets no classes",
            f"{loss} {how} what it is given, and takes class numbers. The model gives it {_given(op)}: "
            + ("nothing is equal." if event["what"] == "equal" else "each one below 1 counts as class 0."),
        )
    if event["what"] == "logits" and not loss.endswith("_crossentropy"):
        return (
            f"The metric {loss} takes {_given(op)} for probabilities",
            f"{loss} has its thresholds between 0 and 1. The model gives it {_given(op)}, scores of a layer without "
            "softmax or sigmoid, for which the threshold would be 0.",
        )
    extent = f"values from {event.get('least', 0.0):.3g} to {event.get('most', 0.0):.3g}"
    if event["what"] == "alone" and op is None:
        return (
            f"{loss} is given a single unit, and is 0 for every row",
            "The loss divides by the sum over the units. Of one unit that is the unit itself: the loss is 0, whatever "
            "the model predicts, and so is its gradient.",
        )
    if event["what"] == "alone":
        return (
            f"{loss} is given the softmax of a single unit, which is 1 for every row",
            "A softmax divides by the sum over the units. Of one unit that is the unit itself: the model predicts 1, "
            "whatever it is given.",
        )
    if event["what"] == "logits":
        given = f"the result of {op}" if op else extent
        return (
            f"{loss} takes {given} for probabilities",
            f"The loss expects probabilities (from_logits=False), but got {given}: scores of a layer without "
            f"softmax or sigmoid. It clips them to the range from 0 to 1 before it takes the logarithm.",
        )
    given = f"the result of {op}" if op else f"probabilities ({extent})"
    return (
        f"{loss} gets {given}, and applies its own once more",
        f"The loss expects scores, and makes probabilities from them. It got {given}, which are already probabilities.",
    )


def _given(op: str | None) -> str:
    return f"the result of {op}" if op else "numbers between 0 and 1"


def _chosen(event: Event, used: Location, recording: Recording) -> Location | None:
    """Where the loss was chosen: in `compile` for the steps of Keras, where a loss object was made, else the call."""
    source = source_of(recording, used.file)
    if source is None or used.line is None:
        return used
    calls = [n for n in nodes_of(source.tree, ast.Call) if n.lineno <= used.line <= (n.end_lineno or 0)]
    if any(last_name(c.func) in _KERAS for c in calls):
        return _of_compile(event, recording) or used
    for call in calls:
        made = _made(source.tree, last_name(call.func))
        if made is not None:
            return Location(used.file, made, used.function)
    return used


def _of_compile(event: Event, recording: Recording) -> Location | None:
    compiled = [
        e for e in recording.of_kind(schema.MODEL)
        if e["pid"] == event["pid"] and e["action"] == "compile" and e["seq"] < event["seq"]
    ]  # fmt: skip
    at = location(compiled[-1].get("where")) if compiled else None
    source = source_of(recording, at.file) if at is not None else None
    if at is None or source is None or at.line is None:
        return at
    for call in (n for n in nodes_of(source.tree, ast.Call) if last_name(n.func) == "compile"):
        if call.lineno <= at.line <= (call.end_lineno or 0):
            named = [n for k in call.keywords if k.arg and "metrics" in k.arg for n in walk(k.value)]
            metric = next((n for n in named if isinstance(n, ast.expr) and last_name(n) == event["loss"]), None)
            if metric is not None:
                return Location(at.file, metric.lineno, at.function)
            loss = next(
                (k.value for k in call.keywords if k.arg == "loss"), call.args[1] if len(call.args) > 1 else None
            )
            line = _made(source.tree, last_name(loss)) or _said(source.tree, loss) if loss is not None else None
            return Location(at.file, line or (loss.lineno if loss is not None else at.line), at.function)
    return at


def _said(tree: ast.Module, loss: ast.expr) -> int | None:
    """The line of `from_logits` in the function that makes the loss: `compile(loss=self._loss())`."""
    name = last_name(loss.func) if isinstance(loss, ast.Call) else ""
    lines = [
        k.value.lineno
        for f in nodes_of(tree, ast.FunctionDef)
        if f.name == name
        for n in nodes_of(f, ast.Call)
        if "entropy" in last_name(n.func).lower()
        for k in n.keywords
        if k.arg == "from_logits"
    ]
    return lines[0] if len(lines) == 1 else None


def _made(tree: ast.Module, name: str) -> int | None:
    """The one line that makes a loss object of this name."""
    lines = [
        n.lineno
        for n in walk(tree)
        if isinstance(n, ast.Assign)
        and any(last_name(t) == name for t in n.targets)
        and isinstance(n.value, ast.Call)
        and "entropy" in last_name(n.value.func).lower()
    ]
    return lines[0] if name and len(lines) == 1 else None
