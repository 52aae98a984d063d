"""Python values that a graph keeps though the program has changed them, and counters that count traces only.

The recorder compared the values that a traced function may read with those of later calls. Reported is what enters
the graph: a constant that equals the old value, at a line that uses it; else ops at lines which the value reaches, or a
branch that it decides. A counter that a traced function itself moves on needs no comparison: it moves at a trace.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xladoctor.diagnosis.basis import KEPT_CONSTANT, READ_IN_GRAPH
from xladoctor.diagnosis.drawn_at_trace import Line, lines_of_graph
from xladoctor.diagnosis.own_source import program_of, source_of
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.python_reads import (
    Path,
    Read,
    calls_of,
    counted,
    function_at,
    functions_of,
    number_lines,
    reads,
    set_outright,
    writes,
)
from xladoctor.sources.source import Source

SLUG = "baked-in-setting"
_REMEDY = Remedy(
    "value-as-tensor",
    "Keep the value in a tf.Variable, or pass it as a tensor",
    "safe",
    "Make it `tf.Variable(value, trainable=False)`, read that in the function, and change it with `.assign(...)`. Or "
    "give the function a tensor argument, `tf.constant(value)`: a Python number would cause a new trace for each "
    "value.",
)
_MOST = 40
_DEPTH = 3
_ONCE = frozenset({"__init__", "build", "__post_init__", "get_config", "from_config"})


@dataclass(frozen=True)
class _Use:
    """Where a value is read, and how it enters the graph."""

    at: Location
    how: str
    constant: bool = False


def kept_in_graph(recording: Recording, known: Sequence[Finding] = ()) -> Iterator[Finding]:
    """A warning for each value that a graph keeps; `known` are other findings, about settings that have one already."""
    told = {str(f.details.get("setting")) for f in known if f.slug == SLUG}
    seen: set[tuple[str, int]] = set()
    for found in (*_changed(recording, told), *_counters(recording)):
        at = found.location
        key = (at.file, at.line or 0) if at is not None else ("", 0)
        if key not in seen:
            seen.add(key)
            yield found


def _changed(recording: Recording, told: set[str]) -> Iterator[Finding]:
    """What was written after the trace."""
    for event in recording.of_kind(schema.KEPT)[:_MOST]:
        path = event["path"]
        if not path or str(path[-1][1]) in told:
            continue
        use = _enters(recording, event, path)
        if use is not None:
            yield _finding(recording, event, path, use)


def _enters(recording: Recording, event: Event, path: Path) -> _Use | None:
    """How a value enters the graph of the function; None where it does not."""
    capsule = event.get("capsule")
    if capsule is None:
        return None
    lines = lines_of_graph(recording, str(capsule))
    constants = _at_constants(recording, str(capsule), event)
    likely = None
    for reader in event.get("readers") or ():
        file, name = str(reader["file"]), str(reader["function"])
        source = source_of(recording, file)
        function = function_at(source.tree, int(reader.get("line") or 0), name) if source is not None else None
        if function is None:
            continue
        for use in _uses(recording, file, name, reads(function, path), lines, constants):
            if use.constant:
                return use
            likely = likely or use
    return likely


def _uses(
    recording: Recording,
    file: str,
    name: str,
    found: Sequence[Read],
    lines: set[Line],
    constants: set[tuple[str, int]],
    depth: int = 0,
) -> Iterator[_Use]:
    """The reads whose value comes to ops: in the function itself, or in one that uses what it returns."""
    own = {line for f, n, line in lines if (f, n) == (file, name)}
    for read in found:
        at = Location(file, read.line, name)
        equal = sorted(line for f, line in constants if f == file and line in read.lines)
        if equal:
            yield _Use(at, f"line {equal[0]} has a constant of the old value in the graph", constant=True)
        elif read.decides:
            yield _Use(at, "it decides in Python which ops are traced")
        elif own & read.lines:
            yield _Use(at, f"line {min(own & read.lines)} makes ops of the graph with it")
        elif read.returned and depth < _DEPTH:
            for other, caller in sorted({(f, n) for f, n, _ in lines}):
                source = source_of(recording, other)
                for inner in _functions(source, other, caller, lines) if source is not None else ():
                    for use in _uses(recording, other, caller, calls_of(inner, name), lines, constants, depth + 1):
                        yield replace(use, at=at)


def _functions(source: Source, file: str, name: str, lines: set[Line]) -> Iterator[ast.AST]:
    """The functions of this name that made ops, in a file."""
    own = {line for f, n, line in lines if (f, n) == (file, name)}
    for node in functions_of(source.tree, name):
        if any(node.lineno <= line <= (node.end_lineno or node.lineno) for line in own):
            yield node


def _at_constants(recording: Recording, capsule: str, event: Event) -> set[tuple[str, int]]:
    """(file, line) of the user's frames of the constants that equal the old value; without lines that write the same
    number themselves.
    """
    given = event.get("constants")
    if not given:
        return set()
    sources = recording.sources(capsule)
    stacks = [sources.get(graph, {}).get(node, ()) for graph, nodes in given.items() for node in nodes]
    found = {(str(frame[0]), int(frame[1])) for stack in stacks for frame in stack}
    written = {
        (file, line)
        for file in {file for file, _ in found}
        if (source := source_of(recording, file)) is not None
        for line in number_lines(source.tree, str(event["before"]))
    }
    return found - written


def _finding(recording: Recording, event: Event, path: Path, use: _Use) -> Finding:
    name, function = _name(path), use.at.function
    trees = program_of(recording, use.at.file)
    source = source_of(recording, use.at.file)
    reader = function_at(source.tree, _defined(event, use.at), str(function)) if source is not None else None
    written = [
        Location(file, line, None)
        for file, tree in trees.items()
        for line in sorted(set(writes(tree, path, reader if file == use.at.file else None)))
    ]
    # Where it is first made stands before the others.
    written = written[1:4] or written
    lines = f" It is written at {' and '.join(str(w) for w in written)}." if written else ""
    called = location(event.get("where"))
    found = finding(
        SLUG,
        f"{function} keeps {name} = {event['before']} from when it was traced",
        f"{function} reads {name} in Python while it is traced, and {use.how}. {name} was {event['before']} then; at "
        f"call {event.get('call')}{f' ({called})' if called is not None else ''} it was {event['now']}, and the "
        f"graph still used {event['before']}.{lines}",
        {"kind": "", "where": {"file": use.at.file, "line": use.at.line, "function": function}},
        [Proof("event", f"{name} was {event['before']} at the trace and {event['now']} at call {event.get('call')}",
               event_of(event)),
         *(Proof("source", f"{name} is written here", str(w)) for w in written)],
        basis=KEPT_CONSTANT if use.constant else READ_IN_GRAPH,
        details={"function": function, "setting": str(path[-1][1]), "kept": event["before"], "now": event["now"],
                 "written": [str(w) for w in written]},
    )  # fmt: skip
    return _remedied(found, use.constant)


def _remedied(found: Finding, confirmed: bool) -> Finding:
    return replace(found, remedies=(_REMEDY,), status=found.status if confirmed else "untested")


def _defined(event: Event, at: Location) -> int:
    for reader in event.get("readers") or ():
        if str(reader["file"]) == at.file and reader["function"] == at.function:
            return int(reader.get("line") or 0)
    return 0


def _name(path: Path) -> str:
    """The path as it is written in Python."""
    words = ""
    for kind, key in path:
        words += f"[{key!r}]" if kind == "item" else f".{key}" if kind == "attr" else key
    return f"self{words}" if words.startswith(".") else words


# -- counters ---------------------------------------------------------------------------------------------------------


def _counters(recording: Recording) -> Iterator[Finding]:
    """What a traced function adds to and reads, where it was called more often than it was traced."""
    calls: dict[tuple[int, str], int] = {
        (e["pid"], owner): n for e in recording.of_kind(schema.END) for owner, n in (e.get("calls") or {}).items()
    }
    tops = [t for t in recording.of_kind(schema.TRACE) if t.get("parent") is None and t.get("capsule")]
    traces = Counter((t["pid"], str(t.get("owner"))) for t in tops)
    for trace in tops[:_MOST]:
        key = (trace["pid"], str(trace.get("owner")))
        if calls.get(key, 0) > traces[key]:
            yield from _of_trace(recording, trace, calls[key], traces[key])


def _of_trace(recording: Recording, trace: Event, calls: int, traces: int) -> Iterator[Finding]:
    lines = lines_of_graph(recording, str(trace["capsule"]))
    traced = [
        (file, name, node)
        for file, name in sorted({(f, n) for f, n, _ in lines})
        if name not in _ONCE and (source := source_of(recording, file)) is not None
        for node in _functions(source, file, name, lines)
    ]
    outright = frozenset().union(*(set_outright(node) for _, _, node in traced))
    for file, name, node in traced:
        for (kind, key), line in counted(node).items():
            if key in outright:
                continue
            path = ((kind, key),)
            uses = (
                use
                for other, reader, inner in traced
                if other == file
                for use in _uses(recording, other, reader, reads(inner, path), lines, set())
            )
            use = next(uses, None)
            if use is not None:
                yield _counter(trace, Location(file, line, name), _name(path), use, (calls, traces))


def _counter(trace: Event, at: Location, name: str, use: _Use, times: tuple[int, int]) -> Finding:
    calls, traces = times
    when = "once" if traces == 1 else f"{traces} times"
    found = finding(
        SLUG,
        f"{at.function} changes {name} only when it is traced",
        f"Line {at.line} changes {name} in Python. That ran {when}, while {trace.get('python_name')} was traced, "
        f"but not in its {calls} calls. Line {use.at.line} reads {name}, and {use.how}: each call uses the same value.",
        {"kind": "", "where": {"file": at.file, "line": at.line, "function": at.function}},
        [Proof("event", f"{trace.get('python_name')}: {calls} calls, {traces} traces", event_of(trace))],
        basis=READ_IN_GRAPH,
        details={"function": at.function, "setting": name.rpartition(".")[2], "read": str(use.at)},
    )
    return _remedied(found, False)
