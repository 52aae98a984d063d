"""What is looked up in the events of a recording: which call was under way, what nobody caught, which graph is which.

Each is worked out once for a recording.
"""

from __future__ import annotations

from typing import Any

from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

MOST_STEPS = 200
"""Failed calls that are looked at, calls that lost rows, and calls that went well: no reader wants more of a kind."""


def finished_graphs(recording: Recording) -> set[tuple[int, str]]:
    """(process, graph) of every graph in a capsule."""
    return {
        (event["pid"], graph)
        for event in recording.of_kind(schema.TRACE)
        if event.get("capsule")
        for graph in recording.capsule(event["capsule"]).graphs
    }


def calls_around(recording: Recording) -> dict[int, Event]:
    """{id of a trace: the end (or else the begin) of the innermost Keras call during which it was made}."""
    calls = recording.of_kind(schema.CALL)
    ended = {(e["pid"], e["call"]): e for e in calls if e["phase"] != "begin"}
    events = [
        e for e in (*calls, *recording.of_kind(schema.TRACE)) if e["kind"] == schema.TRACE or e["phase"] == "begin"
    ]
    found: dict[int, Event] = {}
    running: dict[int, list[tuple[Event, Event | None]]] = {}
    for event in sorted(events, key=lambda e: int(e["seq"])):
        under_way = running.setdefault(event["pid"], [])
        if event["kind"] == schema.CALL:
            under_way.append((event, ended.get((event["pid"], event["call"]))))
            continue
        while under_way and under_way[-1][1] is not None and under_way[-1][1]["seq"] <= event["seq"]:
            under_way.pop()
        if under_way:
            begin, end = under_way[-1]
            found[id(event)] = end or begin
    return found


def failures_looked_at(recording: Recording) -> list[Event]:
    """The failures that were raised; of very many the first ones, the last ones, and those that nobody caught."""
    raised = recording.raised
    if len(raised) <= MOST_STEPS:
        return raised
    half = MOST_STEPS // 2
    between = [e for e in raised[half:-half] if (e["pid"], e["failure"]) in recording.uncaught]
    return [*raised[:half], *between[:half], *raised[-half:]]


def graphs_of_functions(recording: Recording) -> dict[str, str]:
    """{library function: the graph that it was made from}."""
    return recording.once(_graphs_of_functions)


def _graphs_of_functions(recording: Recording) -> dict[str, str]:
    return {e["function"]: e["graph"] for e in recording.of_kind(schema.GRAPH)}


def begins(recording: Recording) -> dict[tuple[Any, Any], list[Event]]:
    """The beginnings of Keras calls by process and number."""
    found: dict[tuple[Any, Any], list[Event]] = {}
    for event in recording.of_kind(schema.CALL):
        if event["phase"] == "begin":
            found.setdefault((event["pid"], event["call"]), []).append(event)
    return found


def worker_errors(recording: Recording) -> dict[str, str]:
    """{capsule: the first error of a worker that was asked about it}."""
    return {a.capsule: a.error for a in reversed(recording.worker) if a.error is not None}
