"""Functions that are traced again and again, and the argument whose change makes it so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

# TensorFlow itself complains from the fifth trace on; a last partial batch and a test pass make two or three.
MANY = 5
# Functions made anew: a study with a few models makes a few on purpose.
MANY_MADE = 8

_SHAPE = re.compile(r"shape=(\([^)]*\)|<unknown>|None)")
_DTYPE = re.compile(r"dtype=[\w.]+")


def retracing(recording: Recording) -> Iterator[Finding]:
    """A finding for each function that was traced too often, with what differed."""
    owned: dict[tuple[int, int], list[Event]] = {}
    made: dict[tuple[int, str, int], dict[int, Event]] = {}
    for trace in recording.of_kind(schema.TRACE):
        owner, defined = trace.get("owner"), trace.get("defined")
        if owner is None:
            continue
        owned.setdefault((trace["pid"], owner), []).append(trace)
        if defined:
            made.setdefault((trace["pid"], defined["file"], defined["line"]), {}).setdefault(owner, trace)
    for traces in owned.values():
        name = traces[0].get("python_name")
        same = [t for t in traces if t.get("python_name") == name]
        if len(same) >= MANY:
            yield _traced_often(str(name), same)
    for owners in made.values():
        if len(owners) >= MANY_MADE:
            yield _made_often(list(owners.values()))


def as_recorded(findings: Iterable[Finding], recording: Recording) -> tuple[Finding, ...]:
    """TensorFlow's own warning of retracing as a note where no recorded function was traced often; without it where one
    was, which the recording tells with its line.

    TensorFlow counts by the function's code: a few models, each with its own step, look to it like one that is traced
    again and again.
    """
    traces = [t for t in recording.of_kind(schema.TRACE) if t.get("owner") is not None]
    if not traces:
        return tuple(findings)
    if next(retracing(recording), None) is not None:
        return tuple(f for f in findings if f.slug != "retracing" or f.level != "warning")
    owners = Counter((t["pid"], t["owner"]) for t in traces)
    most = max(owners.values())
    says = f" In this run no function was traced more than {most} time{'s' if most > 1 else ''}, as was recorded."
    return tuple(
        replace(f, level="note", message=f.message + says) if f.slug == "retracing" and f.level == "warning" else f
        for f in findings
    )


def changes(traces: list[Event]) -> dict[str, str]:
    """{argument: what of it differed between one trace and the next: shape, dtype, value, object}."""
    found: dict[str, set[str]] = {}
    for before, after in pairwise(traces):
        old, new = before.get("arguments") or {}, after.get("arguments") or {}
        for name in new:
            if name in old and old[name] != new[name]:
                found.setdefault(name, set()).add(_difference(old[name], new[name]))
    return {name: " and ".join(sorted(kinds)) for name, kinds in found.items()}


def _difference(old: str, new: str) -> str:
    if _SHAPE.sub("", old) == _SHAPE.sub("", new):
        return "shape"
    if _DTYPE.sub("", old) == _DTYPE.sub("", new):
        return "dtype"
    if _SHAPE.search(old) and _SHAPE.search(new):
        return "shape and dtype"
    return "object" if "0x" in old or "0x" in new else "value"


def _traced_often(name: str, traces: list[Event]) -> Finding:
    differs = changes(traces)
    said = [
        f"the {what} of {argument!r} differed ({_examples(traces, argument)})" for argument, what in differs.items()
    ]
    why = "; ".join(said) if said else "no argument differed: what it is called with does not explain it"
    advice = ""
    if any("value" in what for what in differs.values()):
        advice = " A Python value is a constant of the graph, so each new one is traced: pass it as a tensor."
    elif any("object" in what for what in differs.values()):
        advice = " A Python object that is new each time is traced each time: keep it, or pass what it holds."
    elif any("shape" in what for what in differs.values()):
        advice = " An input_signature with None for that axis, or reduce_retracing=True, traces once."
    return finding(
        "retracing",
        f"{name} was traced {len(traces)} times",
        f"{name} was traced {len(traces)} times in this run: {why}.{advice}",
        traces[-1],
        [_proof(t) for t in traces[:4]],
        details={"function": name, "traces": len(traces), "differs": differs, "seconds": _seconds(traces)},
    )


def _made_often(traces: list[Event]) -> Finding:
    name = traces[0].get("python_name")
    defined = traces[0]["defined"]
    return finding(
        "retracing",
        f"{name} was made {len(traces)} times, and traced each time",
        f"tf.function was applied {len(traces)} times to the function at {location(defined)}, and each was traced: "
        "a tf.function that is made inside a loop or a call keeps no trace. Make it once, outside.",
        {**traces[-1], "where": defined},
        [_proof(t) for t in traces[:4]],
        details={"function": name, "made": len(traces), "seconds": _seconds(traces)},
    )


def _examples(traces: list[Event], argument: str) -> str:
    texts = dict.fromkeys(_short((t.get("arguments") or {}).get(argument, "?")) for t in traces)
    shown = list(texts)[:4]
    return ", ".join(shown) + (", ..." if len(texts) > len(shown) else "")


def _short(text: str) -> str:
    spec = re.fullmatch(r"TensorSpec\(shape=(.*), dtype=tf\.(\w+), name=.*\)", text)
    if spec is not None:
        return f"{spec[2]}{spec[1]}"
    literal = re.fullmatch(r"Literal\[(.*)\]", text, re.DOTALL)
    return literal[1][:40] if literal is not None else text[:60]


def _seconds(traces: list[Event]) -> float:
    return round(sum(t.get("seconds") or 0.0 for t in traces), 3)


def _proof(trace: Event) -> Proof:
    arguments = ", ".join(f"{n}: {_short(v)}" for n, v in (trace.get("arguments") or {}).items())
    where = location(trace.get("where"))
    text = f"t = {trace['t']:.2f} s: {trace.get('python_name')}({arguments}) traced{f', {where}' if where else ''}"
    return Proof("event", text, event_of(trace))
