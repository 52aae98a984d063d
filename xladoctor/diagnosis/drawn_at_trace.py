"""Random numbers that a traced function drew in Python: they are constants of its graph, the same at every call.

The recorded graph says which lines of the function made ops while it was traced, the source which of them use a number
that NumPy or `random` drew there. Nothing is said of a function that was not seen to be called more than once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.basis import READ_IN_GRAPH
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import finding
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.sources.draws import Draw, draws

_MOST = 40
_OF_DATA = ("Dataset_map_", "Dataset_flat_map_", "Dataset_filter_", "Dataset_interleave_")
"""What tf.data calls the functions that it applies to each element."""
_KERAS = frozenset({"fit", "evaluate", "predict"})
Line = tuple[str, str, int]
"""File, function and line."""


def drawn_at_trace(recording: Recording) -> Iterator[Finding]:
    """A warning for each line that draws while a function is traced which is called more than once."""
    seen: set[tuple[str, int]] = set()
    traces = [t for t in recording.of_kind(schema.TRACE) if t.get("parent") is None and t.get("capsule")]
    for trace in traces[:_MOST]:
        if not _called_again(recording, trace):
            continue
        lines = lines_of_graph(recording, str(trace["capsule"]))
        for file, function in dict.fromkeys((f, n) for f, n, _ in lines):
            source = source_of(recording, file)
            own = {line for f, n, line in lines if (f, n) == (file, function)}
            for draw in draws(source.tree, function, min(own)) if source is not None and own else ():
                if (draw.decides or own & set(draw.lines)) and (file, draw.line) not in seen:
                    seen.add((file, draw.line))
                    yield _finding(trace, file, function, draw)


def _called_again(recording: Recording, trace: Event) -> bool:
    """Whether the function was called more than once: a later call was kept, or Keras took several batches with it."""
    capsule = str(trace["capsule"])
    if str(trace.get("python_name")).startswith(_OF_DATA):
        return True
    if any(str(e["capsule"]) == capsule for e in recording.of_kind(schema.LATER_CALL)):
        return True
    if called_more_than_traced(recording, trace):
        return True
    calls = recording.of_kind(schema.CALL)
    numbers = {(e["pid"], e.get("call")) for e in calls if str(e.get("capsule")) == capsule}
    return any(e.get("method") in _KERAS and _several(e) for e in calls if (e["pid"], e.get("call")) in numbers)


def called_more_than_traced(recording: Recording, trace: Event) -> bool:
    """Whether there were more calls of a `tf.function` than traces: some of them used a graph again."""
    owner, pid = trace.get("owner"), trace["pid"]
    ends = [e.get("calls") or {} for e in recording.of_kind(schema.END) if e["pid"] == pid]
    calls = max((int(c.get(str(owner), 0)) for c in ends), default=0)
    same = [t for t in recording.of_kind(schema.TRACE) if t["pid"] == pid and t.get("owner") == owner]
    return owner is not None and calls > len(same)


def _several(call: Event) -> bool:
    rows, size = call.get("rows_in"), call.get("batch_size")
    if (call.get("epochs") or 1) > 1:
        return True
    return isinstance(rows, int) and isinstance(size, int) and rows > size


def lines_of_graph(recording: Recording, capsule: str) -> set[Line]:
    """(file, function, line) of the user's frames that made the ops of a graph, without those from where it was traced:
    these stand at the outer end of every op's frames.
    """
    stacks = [f for nodes in recording.sources(capsule).values() for f in nodes.values() if f]
    if not stacks:
        return set()
    outer = 0
    while all(len(s) > outer for s in stacks) and len({_key(s[outer]) for s in stacks}) == 1:
        outer += 1
    return {_key(frame) for stack in stacks for frame in stack[outer:]}


def _key(frame: Sequence[Any]) -> tuple[str, str, int]:
    return str(frame[0]), str(frame[2]).rpartition(".")[2], int(frame[1])


def _finding(trace: Event, file: str, function: str, draw: Draw) -> Finding:
    name = str(trace.get("python_name"))
    how = "decides in Python which ops are traced" if draw.decides else "is a constant of the graph"
    found = finding(
        "random-in-compiled",
        f"{function} draws its random numbers once, when it is traced",
        f"`{draw.text}` runs while {name} is traced, and its result {how}. So every call of the function uses the "
        f"same numbers. Draw with tf.random or keras.random inside it, or pass the numbers in.",
        {"kind": "", "where": {"file": file, "line": draw.line, "function": function}},
        [Proof("capsule", f"{name} was called again; line {draw.lines[-1]} of its graph uses the number",
               f"capsule {trace['capsule']}")],
        basis=READ_IN_GRAPH,
    )  # fmt: skip
    # Read off the graph and the source: nothing ran the function again to see the same numbers.
    return replace(found, status="untested", remedies=tuple(r for r in found.remedies if r.id == "seed-as-state"))
