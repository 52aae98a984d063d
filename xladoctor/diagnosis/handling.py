"""Signs that a program dealt with an exception that it raised: done in another way, reported, or waited for.

Each rests on what was recorded, or on the program's own source; none on the words that it printed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from xladoctor.diagnosis.own_source import source_of
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.recording.user_sources import sources_of
from xladoctor.sources.names import nodes_of, walk

RUNTIME_LINE = re.compile(r"^[IWEF]\d{4} \d\d:\d\d:|^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: [IWEF] ")
"""What TensorFlow itself writes to standard error: the program said none of it."""
_STATES = frozenset({"exitcode", "returncode"})
_LOOKS = frozenset({"is_alive", "poll", "waitpid", "waitstatus_to_exitcode"})


def last_words(recording: Recording) -> tuple[str, ...]:
    """The last line of each log, where the program wrote it."""
    return tuple(line for line in recording.last_lines if not RUNTIME_LINE.match(line))


def done_otherwise(event: Event, recording: Recording) -> bool:
    """Whether the function that failed was traced once more afterwards, without XLA where it had failed with it, and
    that way did not fail: the program fell back on plain execution.
    """
    traces = recording.of_kind(schema.TRACE)
    failed = next((t for t in traces if t.get("capsule") and t.get("capsule") == event.get("capsule")), None)
    if failed is None or not failed.get("xla") or not failed.get("defined"):
        return False
    failures = {e.get("capsule") for e in recording.raised}
    return any(
        t["pid"] == event["pid"] and t["seq"] > event["seq"] and t.get("defined") == failed["defined"]
        and not t.get("xla") and t.get("capsule") not in failures
        for t in traces
    )  # fmt: skip


def reported(event: Event) -> bool:
    """Whether a handler of the program took the exception, kept that it came, and raised it on: a worker that tells
    whoever waits for it.
    """
    return bool((event.get("caught") or {}).get("keeps"))


def turned(event: Event) -> bool:
    """Whether the handler of the program took another way after the exception: the next turn, another result."""
    return bool((event.get("caught") or {}).get("turns"))


def kept_by_parent(event: Event, recording: Recording) -> bool:
    """Whether an exception ended a process of which a recorded one is the parent, and its traceback was not shown:
    the parent took its output, and its exit status, as an answer.
    """
    if not of_child(event, recording):
        return False
    name = str(event.get("exception"))
    heads = (line.partition(":")[0] for line in recording.lines)
    return not any(head.endswith(name) and " " not in head for head in heads)


def of_child(event: Event, recording: Recording) -> bool:
    """Whether it was raised in a process that another recorded one had started."""
    return parents(recording).get(event["pid"]) in recording.pids


def parents(recording: Recording) -> dict[int, object]:
    """{process: the one that started it}."""
    forked = {e["pid"]: e["ppid"] for e in recording.of_kind(schema.FAILURE) if e.get("ppid") is not None}
    return forked | {e["pid"]: e.get("ppid") for e in recording.of_kind(schema.START)}


def looked_after(event: Event, recording: Recording) -> str | None:
    """Where the program asks how its processes or threads ended, and decides by it: `file:line`. None where it does
    not, or where its source cannot be read.
    """
    threads = event.get("thread") not in (None, "MainThread")
    if not threads and not of_child(event, recording):
        return None
    return next(iter(recording.once(_looks_after, threads)), None)


def _looks_after(recording: Recording, threads: bool) -> list[str]:
    return [f"{file}:{node.lineno}" for file, tree in trees(recording) for node in _asked(tree, threads)]


def raised_for_worker(event: Event, recording: Recording) -> bool:
    """Whether the program itself raised an exception in a branch that it takes when a worker has failed: the test of
    the branch is about an exit status.
    """
    frames = list(event.get("frames") or [])
    if not frames or not frames[-1].get("user"):
        return False
    file, line = str(frames[-1].get("file")), frames[-1].get("line")
    source = source_of(recording, file)
    if source is None or not isinstance(line, int):
        return False
    results = _results(source.tree)
    return any(_is_about_workers(test, results) for test in _tests_above(source.tree, line))


def _tests_above(tree: ast.Module, line: int) -> Iterator[ast.expr]:
    """The tests on which it depends whether a line is run."""
    for node in walk(tree):
        if isinstance(node, ast.Assert):
            if node.lineno == line:
                yield node.test
        elif isinstance(node, ast.If | ast.While) and node.body[0].lineno <= line <= (node.end_lineno or 0):
            yield node.test


_RUNS = frozenset({"wait", "poll", "call", "communicate", "system", "waitpid", "getstatusoutput", "run", "join"})


def _results(tree: ast.Module) -> frozenset[str]:
    """The names that are given a worker's exit status, or what a call that waits for one gives."""
    found = set()
    for node in nodes_of(tree, ast.Assign):
        asks = any(isinstance(n, ast.Attribute) and n.attr in _STATES | _LOOKS | _RUNS for n in walk(node.value))
        found |= {t.id for t in node.targets if isinstance(t, ast.Name) and asks}
    return frozenset(found)


def _givers(tree: ast.Module) -> frozenset[str]:
    """The functions of the program that return a worker's exit status to whoever calls them."""
    found = set()
    for node in nodes_of(tree, ast.FunctionDef):
        returned = [n.value for n in nodes_of(node, ast.Return) if n.value is not None]
        if any(isinstance(n, ast.Attribute) and n.attr in _STATES for value in returned for n in walk(value)):
            found.add(node.name)
    return frozenset(found)


def _calls_one(node: ast.expr, givers: frozenset[str]) -> bool:
    return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in givers for n in walk(node))


def _is_about_workers(test: ast.expr, results: frozenset[str]) -> bool:
    names = _STATES | _LOOKS
    return any(
        (isinstance(n, ast.Attribute) and n.attr in names) or (isinstance(n, ast.Name) and n.id in results)
        for n in walk(test)
    )


def trees(recording: Recording, files: tuple[Path, ...] = ()) -> Iterator[tuple[Path, ast.Module]]:
    """The syntax trees of the scripts of the command, and of these `files` where they may be read."""
    sources = sources_of(recording)
    scripts = (*sources.scripts, *files) if sources is not None else ()
    for script in dict.fromkeys(scripts):
        source = source_of(recording, str(script))
        if source is not None:
            yield script, source.tree


def _asked(tree: ast.Module, threads: bool) -> Iterator[ast.expr]:
    """The expressions about the end of a worker on which a branch, a loop, a filter or a choice depends."""
    names = {"is_alive"} if threads else _STATES | _LOOKS
    givers = frozenset[str]() if threads else _givers(tree)
    given = {
        target.id
        for node in nodes_of(tree, ast.Assign) if _calls_one(node.value, givers)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    for node in walk(tree):
        tests: list[ast.expr] = []
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            tests = [node.test]
        elif isinstance(node, ast.comprehension):
            tests = list(node.ifs)
        elif isinstance(node, ast.Compare):
            tests = [node]
        for test in tests:
            yield from (
                n for n in walk(test)
                if (isinstance(n, ast.Attribute) and n.attr in names)
                or (isinstance(n, ast.Name) and n.id in given)
                or (isinstance(n, ast.Call) and _calls_one(n, givers))
            )  # fmt: skip
