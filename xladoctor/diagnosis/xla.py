"""Every way by which XLA was switched on in the run, and which of the user's switches governed it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from xladoctor.diagnosis.governing import asked_by, governing
from xladoctor.model.diagnosis import Compilation, Location, XlaPath
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

# Names of functions in a message.
_WORD = re.compile(r"[\w.<>]+")
_BROKEN_OFF = "it failed while it was traced, which is before XLA sees it"


def xla_paths(evidence: Evidence) -> tuple[XlaPath, ...]:
    """The paths of a recorded run: explicit functions first, then Keras, then flags."""
    recording = evidence.run
    if recording is None:
        return ()
    compiled = _compiled(evidence)
    return (
        *_functions(recording, compiled),
        *_keras(recording),
        *clustering_paths(recording, evidence),
        *flag_paths(recording, evidence),
    )


def compilations(recording: Recording) -> tuple[Compilation, ...]:
    """The traces of the run, in order."""
    return tuple(
        Compilation(
            function=str(e.get("python_name") or e.get("function")),
            kind="trace",
            inputs=tuple(e.get("inputs", ())),
            seconds=e.get("seconds"),
            xla=e.get("xla"),
            location=location(e.get("where")),
        )
        for e in recording.of_kind(schema.TRACE)
    )


def _functions(recording: Recording, compiled: set[str]) -> list[XlaPath]:
    asked: Counter[tuple[str, str, str, Location | None]] = Counter()
    for event in recording.of_kind(schema.XLA_PATH):
        if event["mechanism"].startswith("keras") or event["mechanism"] in _CLUSTERING:
            continue
        where = location(event.get("where"))
        asked[(event["mechanism"], str(event.get("function")), event["resolved"], where)] += 1
    traces: dict[str, list[Event]] = {}
    for event in recording.of_kind(schema.TRACE):
        if event.get("xla"):
            traces.setdefault(str(event.get("python_name")), []).append(event)
    broken_off = {str(e.get("during")) for e in recording.raised if e.get("partial")}
    found = []
    for (mechanism, function, resolved, where), count in asked.items():
        mine = traces.get(function, [])
        on = resolved == "True"
        framework = mechanism == "framework"
        untraced = "on, but its trace failed" if function in broken_off else "on, but never traced"
        note = _BROKEN_OFF if on and not mine and function in broken_off else None
        note = note or _note(on, mine, count, function in compiled, framework)
        found.append(
            XlaPath(
                mechanism="tf.function(jit_compile=) made by a framework" if framework else mechanism,
                function=function,
                requested=resolved,
                resolved=("on" if mine else untraced) if on else "off",
                effective=_effective(on, mine, function in compiled),
                governed_by=governing(recording, mine),
                location=where,
                note=note,
            )
        )
    order = {True: 0, None: 1, False: 2}
    return sorted(found, key=lambda p: (order[p.effective], p.mechanism != "tf.function(jit_compile=)"))


def _effective(on: bool, traces: list[Event], compiled: bool) -> bool | None:
    if not on or not traces:
        return False
    return True if compiled else None


def _note(on: bool, traces: list[Event], count: int, compiled: bool, framework: bool) -> str:
    times = f"asked for {count} times, " if count > 1 else ""
    if not on:
        return f"{times}made with jit_compile=False" + ("" if framework else " by the program")
    if not traces:
        return f"{times}never traced: it compiled nothing in this run"
    text = f"{times}traced {len(traces)} time{'s' if len(traces) > 1 else ''} with _XlaMustCompile"
    return text + ("; the log shows it being compiled" if compiled else "")


def _compiled(evidence: Evidence) -> set[str]:
    """Functions that the log shows under XLA: by name in a tf2xla message, or all traced ones where a cluster was
    compiled.
    """
    recording = evidence.run
    assert recording is not None
    names = {str(e.get("python_name")): str(e.get("function")) for e in recording.of_kind(schema.TRACE) if e.get("xla")}
    graphs = {e.get("graph"): str(e.get("python_name")) for e in recording.of_kind(schema.TRACE) if e.get("xla")}
    library = {
        str(e.get("function")): graphs[e["graph"]] for e in recording.of_kind(schema.GRAPH) if e.get("graph") in graphs
    }
    texts = [r.text for r in evidence.log.records]
    texts += [str(e.get("message", "")) for e in recording.of_kind(schema.FAILURE)]
    words = {word for text in texts for word in _WORD.findall(text)}
    shown = {name for function, name in library.items() if function in words}
    if evidence.log.facts.get("xla_compiled") and len(set(names)) == 1:
        shown.update(names)
    return shown


def _keras(recording: Recording) -> list[XlaPath]:
    found: dict[tuple[str, str, str], XlaPath] = {}
    used = {(e["pid"], e.get("model")) for e in recording.of_kind(schema.CALL) if e["phase"] == "begin"}
    for event in recording.of_kind(schema.XLA_PATH):
        if not event["mechanism"].startswith("keras"):
            continue
        on = event["resolved"] == "True"
        ran = (event["pid"], event.get("function")) in used
        notes = []
        if event["mechanism"] == "keras first use":
            notes.append("never compiled: Keras decided when it was first used")
        if not on and event["requested"] == "'auto'" and event.get("accelerators") == 0:
            elsewhere = event.get("elsewhere")
            would = "False there too (a layer does not support it)" if elsewhere == "False" else "True"
            notes.append(f"no accelerator on this machine; on a machine with one, Keras resolves 'auto' to {would}")
        if not on and event["requested"] == "True":
            notes.append("asked for, and switched off by Keras")
        if on and not ran:
            notes.append("the model was not run")
        key = (str(event.get("function")), event["requested"], event["resolved"])
        found.setdefault(
            key,
            XlaPath(
                mechanism="Keras compile(jit_compile=)",
                function=f"train, test and predict step of {event.get('function')}",
                requested=event["requested"],
                resolved="on" if on else "off",
                effective=on and ran,
                governed_by=asked_by(recording, event),
                location=location(event.get("where")),
                note="; ".join(notes) or None,
            ),
        )
    return list(found.values())


CPU_ALONE = "on a CPU nothing is clustered without --tf_xla_cpu_global_jit in TF_XLA_FLAGS"
"""Why auto-clustering that was asked for compiled nothing."""

# Ways to ask for auto-clustering: how each is called, and what it reaches.
_CLUSTERING = {
    "tf.config.optimizer.set_jit": "auto-clustering of any graph",
    "ConfigProto.global_jit_level": "auto-clustering in that session",
}


def clustering_paths(recording: Recording, evidence: Evidence) -> Iterator[XlaPath]:
    """The calls that asked for auto-clustering, or declined it."""
    for event in recording.of_kind(schema.XLA_PATH):
        reach = _CLUSTERING.get(event["mechanism"])
        if reach is None:
            continue
        on = event["resolved"] == "True"
        flags = _in_force(recording, event["pid"])
        effective, note = _clusters(on, flags, recording, evidence)
        yield XlaPath(
            mechanism=event["mechanism"],
            function=reach,
            requested=event["requested"],
            resolved="on" if on else "off",
            effective=effective,
            governed_by=asked_by(recording, event),
            location=location(event.get("where")),
            note=note,
        )


def flag_paths(recording: Recording, evidence: Evidence) -> list[XlaPath]:
    """TF_XLA_FLAGS, as TensorFlow read it."""
    starts = recording.of_kind(schema.START)
    if not starts:
        return []
    pid = starts[0]["pid"]
    value = _in_force(recording, pid)
    notes = ["only auto-clustering, and no function with an explicit jit_compile"]
    for event in _written(recording, pid):
        first = _read_at(recording, pid)
        if first is not None and event["seq"] > first["seq"]:
            notes.append(f"written again at t = {event['t']:.2f} s, after TensorFlow had read it: ignored")
    level = _auto_jit(value)
    on = level not in (None, "0", "-1")
    effective, note = _clusters(on, value, recording, evidence)
    if note and level is not None:
        notes.append(note)
    if level == "0":
        notes.append("0 is the default, and switches off neither set_jit nor a session's global_jit_level")
    return [
        XlaPath(
            mechanism="TF_XLA_FLAGS",
            function="auto-clustering of any graph",
            requested="unset" if value is None else str(value),
            resolved="asked for" if on else "off",
            effective=effective if on else False,
            location=_set_at(recording, pid),
            note="; ".join(notes),
        )
    ]


def _clusters(on: bool, flags: str | None, recording: Recording, evidence: Evidence) -> tuple[bool | None, str | None]:
    """Whether auto-clustering, asked for like this, has compiled anything, and why not."""
    if not on:
        overridden = _auto_jit(flags) in ("1", "2", "fusible")
        return False, "TF_XLA_FLAGS still asks for auto-clustering, and wins" if overridden else None
    devices = next((e.get("devices") for e in recording.of_kind(schema.FIRST_OP) if e.get("devices")), None)
    if devices is not None and all(d == "CPU" for d in devices) and "--tf_xla_cpu_global_jit" not in str(flags):
        return False, CPU_ALONE
    explicit = any(e.get("xla") for e in recording.of_kind(schema.TRACE))
    if evidence.log.facts.get("xla_compiled") and not explicit:
        return True, "the log shows a cluster being compiled"
    return None, None


def _in_force(recording: Recording, pid: int) -> str | None:
    """TF_XLA_FLAGS as it was when TensorFlow read it (or last, if it never did)."""
    return recording.once(_flags_in_force, pid)


def _flags_in_force(recording: Recording, pid: int) -> str | None:
    start = next((e for e in recording.of_kind(schema.START) if e["pid"] == pid), None)
    value = start.get("environment", {}).get("TF_XLA_FLAGS") if start is not None else None
    first = _read_at(recording, pid)
    for event in _written(recording, pid):
        if first is None or event["seq"] < first["seq"]:
            value = event["value"]
    return value


def _set_at(recording: Recording, pid: int) -> Location | None:
    """The line of the program that set what was in force; None where it came from outside."""
    first = _read_at(recording, pid)
    events = [e for e in _written(recording, pid) if first is None or e["seq"] < first["seq"]]
    return location(events[-1].get("where")) if events else None


def _written(recording: Recording, pid: int) -> list[Event]:
    return [
        e
        for e in recording.of_kind(schema.SETTING)
        if e["pid"] == pid and e["store"] == "env" and e["key"] == "TF_XLA_FLAGS" and e["action"] in ("write", "delete")
    ]


def _read_at(recording: Recording, pid: int) -> Event | None:
    return next((e for e in recording.of_kind(schema.FIRST_OP) if e["pid"] == pid), None)


def _auto_jit(flags: str | None) -> str | None:
    """The level that --tf_xla_auto_jit asks for; the last one wins."""
    found = _LEVEL.findall(flags or "")
    return str(found[-1]) if found else None


_LEVEL = re.compile(r"--tf_xla_auto_jit=([\w-]+)")
