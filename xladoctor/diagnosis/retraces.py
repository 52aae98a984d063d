"""Functions that are traced again and again, and the argument whose change makes it so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

# TensorFlow itself complains from the fifth trace on; a last partial batch and a test pass make two or three.
MANY = 5
# Functions made anew: a study with a few models makes a few on purpose.
MANY_MADE = 8
# So many calls for each trace, and tracing is no habit.
SELDOM = 4
# Of sizes alone: each of a few buckets is used again.
AGAIN = 2
# Different texts in one argument: a program has a few modes, but it counts or dates its names.
MANY_TEXTS = 10
# A part of the time from the first trace to the end: new values that come later than that come as long as it runs.
LATE = 0.5

_SHAPE = re.compile(r"shape=(\([^)]*\)|<unknown>|None)")
_DTYPE = re.compile(r"dtype=[\w.]+")
_NUMBER = re.compile(r"Literal\[-?(?:\d[\d.]*(?:e[-+]?\d+)?|inf|nan)\]")
_TEXT = re.compile(r"Literal\[(?:'[^']*'|\"[^\"]*\")\]")
_LITERAL = re.compile(r"Literal\[(.*)\]", re.DOTALL)
_INSIDE = re.compile(r"Literal\[([^\[\]]*)\]")
_OBJECT = re.compile(r"0x[0-9a-f]+")


def retracing(recording: Recording) -> Iterator[Finding]:
    """A finding for each function that was traced too often, with what differed."""
    owned: dict[tuple[int, int], list[Event]] = {}
    made: dict[tuple[int, str, int], dict[int, Event]] = {}
    for trace in recording.of_kind(schema.TRACE):
        owner, defined = trace.get("owner"), trace.get("defined")
        if owner is None:
            continue
        owned.setdefault((trace["pid"], owner), []).append(trace)
        if defined and not defined.get("method"):
            made.setdefault((trace["pid"], defined["file"], defined["line"]), {}).setdefault(owner, trace)
    calls = _calls(recording)
    for key, traces in owned.items():
        name = traces[0].get("python_name")
        same = _by_calls([t for t in traces if t.get("python_name") == name])
        wasted = len(same) - len(needed(same)) >= MANY - 1
        seldom = AGAIN if set(changes(same).values()) == {"shape"} else SELDOM
        if wasted and (not _pays(len(same), calls.get(key), seldom) or _never_ends(same, _end(recording, key[0]))):
            yield _traced_often(str(name), same)
    for place, owners in made.items():
        counts = [calls.get((place[0], owner)) for owner in owners]
        known = sum(n for n in counts if n is not None) if None not in counts else None
        if len(owners) >= MANY_MADE and not _pays(len(owners), known):
            yield _made_often(list(owners.values()))


def _by_calls(traces: list[Event]) -> list[Event]:
    """The traces that count. Another size that comes while a larger function is traced is of that trace: a step, an
    evaluation and a prediction each have their own, and none is spared if the size is left open.
    """
    if set(changes(traces).values()) != {"shape"}:
        return traces
    return [t for t in traces if t.get("parent") is None]


def needed(traces: list[Event]) -> set[tuple[tuple[str, str], ...]]:
    """The traces that remain where sizes are left open, numbers are tensors and objects are kept: one for each type,
    rank, structure and text; texts are numbers where there are so many.
    """
    counted = _many_texts(traces)
    return {
        tuple((name, _relaxed(_by_value(text, name in counted))) for name, text in _arguments(trace).items())
        for trace in traces
    }


def _arguments(trace: Event) -> dict[str, str]:
    return trace.get("arguments") or {}


def _many_texts(traces: list[Event]) -> set[str]:
    """The arguments that hold another text in most calls."""
    texts: dict[str, set[str]] = {}
    for trace in traces:
        for name, text in _arguments(trace).items():
            if _TEXT.search(text):
                texts.setdefault(name, set()).add(text)
    return {name for name, different in texts.items() if len(different) >= MANY_TEXTS}


def _by_value(text: str, texts_too: bool = False) -> str:
    """An argument without its Python numbers, and without its texts where they are many."""
    return _TEXT.sub("Literal[text]", _NUMBER.sub("Literal[number]", text)) if texts_too else _NUMBER.sub(
        "Literal[number]", text
    )  # fmt: skip


def _relaxed(text: str) -> str:
    text = _SHAPE.sub(lambda m: f"rank {m[1].count(',') + (m[1][-2:-1] not in ',(')}", text)
    return _OBJECT.sub("0x", text)


def _end(recording: Recording, pid: int) -> float:
    """When a process was last heard of, in seconds since its start."""
    return max((float(e["t"]) for e in recording.events if e["pid"] == pid), default=0.0)


def _never_ends(traces: list[Event], end: float) -> bool:
    """Whether new Python values kept coming until late in the run: each costs a trace, however many calls it serves.

    A rate that changes with each epoch does so. A few lengths that come again and again do not: they are soon known.
    """
    counted = _many_texts(traces)
    alike = {tuple((name, _by_value(text, name in counted)) for name, text in _arguments(t).items()) for t in traces}
    first, last = float(traces[0]["t"]), float(traces[-1]["t"])
    return len(traces) - len(alike) >= MANY - 1 and last - first > LATE * (end - first)


def _calls(recording: Recording) -> dict[tuple[int, int], int]:
    """{(process, owner): how often it was called}, of processes that came to their end."""
    ends = [(e["pid"], e.get("calls") or {}) for e in recording.of_kind(schema.END)]
    return {(pid, int(owner)): n for pid, calls in ends for owner, n in calls.items() if owner.isdigit()}


def _pays(traces: int, calls: int | None, seldom: int = SELDOM) -> bool:
    """Whether traces were few among the calls: a set of sizes that come again and again."""
    return calls is not None and calls >= seldom * traces


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
    if most >= MANY:
        says += " The traces were for other types, ranks, structures or texts, or few among the calls."
    return tuple(
        replace(f, level="note", message=f.message + says, remedies=())
        if f.slug == "retracing" and f.level == "warning" else f
        for f in findings
    )  # fmt: skip


def changes(traces: list[Event]) -> dict[str, str]:
    """{argument: what of it differed between one trace and the next: shape, dtype, value, object}."""
    found: dict[str, set[str]] = {}
    for before, after in pairwise(traces):
        old, new = before.get("arguments") or {}, after.get("arguments") or {}
        for name in new:
            if name in old and old[name] != new[name]:
                found.setdefault(name, set()).add(_difference(old[name], new[name]))
    return {name: " and ".join(sorted(kinds)) for name, kinds in found.items()}


def _remedies(traces: list[Event], differs: dict[str, str]) -> list[Remedy]:
    """What would spare the traces that are not needed: for each kind of change what is true of it."""
    found = []
    texts = _many_texts(traces)
    numbers = [n for n in differs if _varies(traces, n, _NUMBER) or (n in texts and _varies(traces, n, _TEXT))]
    objects = [n for n in differs if _varies(traces, n, _OBJECT)]
    shapes = [n for n in differs if _varies(traces, n, _SHAPE)]
    if numbers:
        bare = all(_LITERAL.fullmatch(_arguments(t).get(numbers[0], "Literal[]")) for t in traces)
        what = f"{_listed(numbers)} as a tensor" if bare else f"what changes in {_listed(numbers)} as tensors"
        found.append(Remedy(
            "tensors-in", f"Pass {what}", "safe",
            f"`tf.constant({numbers[0] if bare else '...'})`: a Python value is a constant of the graph, so each new "
            "one is traced. It must stay a Python value where the function needs it while it is traced, as a shape or "
            "an axis.",
        ))  # fmt: skip
    if objects:
        found.append(Remedy(
            "keep-object", f"Make the argument {_listed(objects)} once, outside the loop", "safe",
            "A new function or object causes a new trace each time, even if its code is the same.",
        ))  # fmt: skip
    if shapes:
        one_type = len({tuple(_DTYPE.findall(str(t.get("arguments")))) for t in traces}) == 1
        spec = ", or an `input_signature` with None for the size that changes" if one_type else ""
        compiled = " XLA still compiles each size." if any(t.get("xla") for t in traces) else ""
        found.append(Remedy(
            "relax-shapes", f"Leave the size of {_listed(shapes)} open", "safe",
            f"`tf.function(reduce_retracing=True)`{spec}.{compiled}",
        ))  # fmt: skip
    return found


def _varies(traces: list[Event], name: str, part: re.Pattern[str]) -> bool:
    """Whether a part of an argument changes while the rest of it stays."""
    rest: dict[str, set[str]] = {}
    for trace in traces:
        text = _arguments(trace).get(name, "")
        rest.setdefault(part.sub("", text), set()).add(text)
    return any(len(texts) > 1 for texts in rest.values())


def _listed(names: list[str]) -> str:
    return " and ".join(names[:2]) if len(names) < 3 else f"{', '.join(names[:2])} and {len(names) - 2} more"


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
    why = "; ".join(said) if said else "no argument differed, so the arguments do not explain it"
    count = len(needed(traces))
    enough = f" {count} would be needed: one for each type, rank and structure." if count > 1 else ""
    made = finding(
        "retracing",
        f"{name} was traced {len(traces)} times",
        f"{name} was traced {len(traces)} times in this run: {why}.{enough}",
        traces[-1],
        [_proof(t) for t in traces[:4]],
        details={"function": name, "traces": len(traces), "needed": count, "differs": differs,
                 "seconds": _seconds(traces)},
    )  # fmt: skip
    return replace(made, remedies=tuple(_remedies(traces, differs)))


def _made_often(traces: list[Event]) -> Finding:
    name = traces[0].get("python_name")
    defined = traces[0]["defined"]
    made = finding(
        "retracing",
        f"{name} was made {len(traces)} times, and traced each time",
        f"tf.function was applied {len(traces)} times to the function at {location(defined)}, and each was traced: "
        "a tf.function that is made inside a loop or a call loses its traces.",
        {**traces[-1], "where": defined},
        [_proof(t) for t in traces[:4]],
        details={"function": name, "made": len(traces), "seconds": _seconds(traces)},
    )
    how = "Apply `tf.function` outside the loop or the call, and pass changing values as tensor arguments."
    return replace(made, remedies=(Remedy("keep-function", f"Make {name} once", "safe", how),))


def _examples(traces: list[Event], argument: str) -> str:
    texts = dict.fromkeys(_short((t.get("arguments") or {}).get(argument, "?")) for t in traces)
    if len(texts) == 1:
        return f"another {next(iter(texts))} each time"
    shown = list(texts)[:4]
    return ", ".join(shown) + (", ..." if len(texts) > len(shown) else "")


def _short(text: str) -> str:
    spec = re.fullmatch(r"TensorSpec\(shape=(.*), dtype=tf\.(\w+), name=.*\)", text)
    if spec is not None:
        return f"{spec[2]}{spec[1]}"
    held = re.match(r"Weakref\[<weakref at \w+; to '([\w.]+)' at \w+(?: \((.{1,40}?)\))?>", text)
    if held is not None:
        return f"{held[1]} {held[2]}" if held[2] else f"a {held[1]}"
    literal = _LITERAL.fullmatch(text)
    return literal[1][:40] if literal is not None else _INSIDE.sub(r"\1", text)[:60]


def _seconds(traces: list[Event]) -> float:
    return round(sum(t.get("seconds") or 0.0 for t in traces), 3)


def _proof(trace: Event) -> Proof:
    arguments = ", ".join(f"{n}: {_short(v)}" for n, v in (trace.get("arguments") or {}).items())
    where = location(trace.get("where"))
    text = f"t = {trace['t']:.2f} s: {trace.get('python_name')}({arguments}) traced{f', {where}' if where else ''}"
    return Proof("event", text, event_of(trace))
