"""What the run folder of a running program says: its last calls, and what XLA is compiling."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xladoctor.attach import processes
from xladoctor.attach.values import Call, Compiling, Recorded
from xladoctor.recording import files
from xladoctor.recording.run import Event, Recording, location, read_run
from xladoctor.recording.schema import schema

_LAST = 8
_INTERNAL = ("Dataset_", "initialize_variables")


def of_run(folder: Path, pids: Sequence[int], now: float | None = None) -> Recorded:
    """What was recorded of these processes last; of a run folder that names none of them, of all.

    Raises:
        XladoctorError: it is no run folder.
    """
    recording = read_run(folder)
    now = time.time() if now is None else now
    ours = [event for event in recording.events if event["pid"] in pids] or list(recording.events)
    begins = {pid: _begin(recording, pid, folder) for pid in {int(event["pid"]) for event in ours}}

    def ago(event: Event) -> float:
        return round(max(now - begins[int(event["pid"])] - float(event["t"]), 0.0), 1)

    compiling = [
        Compiling(e["pid"], str(e.get("python_name") or "?"), location(e.get("where")), ago(e))
        for e in _compiling(ours)
    ]
    calls = [
        Call(event["pid"], what, ended, location(event.get("where")), ago(event))
        for event, what, ended in _calls(ours)[-_LAST:]
    ]
    quiet = min((ago(event) for event in ours), default=0.0)
    return Recorded(str(folder), tuple(compiling), tuple(calls), quiet)


def _begin(recording: Recording, pid: int, folder: Path) -> float:
    """When the recorder of a process started: about when the process did. Of a process that is gone, as long before the
    last change of its events as its last event says.
    """
    started = processes.started(pid)
    if started is not None:
        return started
    last = max((float(event["t"]) for event in recording.events if event["pid"] == pid), default=0.0)
    return files.changed(folder, f"events-{pid}.jsonl") - last


def _compiling(events: Sequence[Event]) -> list[Event]:
    """Traces of functions that XLA compiles, in the last function that a process traced, where no end of a call was
    recorded since. The trace of a function is recorded when it is finished, after those within it.
    """
    found = []
    for pid in dict.fromkeys(event["pid"] for event in events):
        own = [event for event in events if event["pid"] == pid]
        traces = [n for n, event in enumerate(own) if event["kind"] == schema.TRACE and not _internal(event)]
        if not traces or own[traces[-1]].get("parent") is not None:
            continue  # the function around it is still traced
        over = (schema.FIRST_CALL, schema.FAILURE, schema.END)
        later = own[traces[-1] + 1 :]
        if any(e["kind"] in over or (e["kind"] == schema.CALL and e["phase"] != "begin") for e in later):
            continue
        within = {own[traces[-1]]["graph"]}
        for event in (own[n] for n in reversed(traces)):
            if event["graph"] in within or event.get("parent") in within:
                within.add(event["graph"])
                found += [event] if event.get("xla") else []
    # One function can be traced more than once in another.
    return list({(event["pid"], event.get("python_name")): event for event in found}.values())


def _calls(events: Sequence[Event]) -> list[tuple[Event, str, bool]]:
    """Calls of Keras and traces, in their order, with whether they have ended."""
    over = {(e["pid"], e["call"]) for e in events if e["kind"] == schema.CALL and e["phase"] in ("end", "failed")}
    found: list[tuple[Event, str, bool]] = []
    for event in events:
        if event["kind"] == schema.CALL and event["phase"] == "begin":
            found.append((event, _words(event), (event["pid"], event["call"]) in over))
        elif event["kind"] == schema.TRACE and event.get("parent") is None and not _internal(event):
            found.append((event, f"trace of {event.get('python_name')}", True))
        elif event["kind"] == schema.FAILURE and event.get("state") == "raised":
            found.append((event, f"{event['exception']} was raised", True))
    # Of a long list the end is shown: what has not ended must be in it.
    return [*(one for one in found if one[2]), *(one for one in found if not one[2])]


def _words(event: dict[str, Any]) -> str:
    rows = f", {event['rows_in']} rows" if event.get("rows_in") else ""
    return f"{event['method']} of {event.get('model') or 'a model'}{rows}"


def _internal(event: Event) -> bool:
    return str(event.get("python_name", "")).startswith(_INTERNAL)
