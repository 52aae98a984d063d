"""Every way by which XLA was switched on in the run, and which of the user's switches governed it."""

from __future__ import annotations

from collections import Counter

from xladoctor.diagnosis.model import Compilation, Location, XlaPath
from xladoctor.evidence.model import Evidence
from xladoctor.evidence.run import Event, Recording, location
from xladoctor.evidence.schema import schema


def xla_paths(evidence: Evidence) -> tuple[XlaPath, ...]:
    """The paths of a recorded run: explicit functions first, then Keras, then flags."""
    recording = evidence.run
    if recording is None:
        return ()
    compiled = _compiled(evidence)
    return (*_functions(recording, compiled), *_keras(recording), *_flags(recording))


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
        if event["mechanism"].startswith("keras"):
            continue
        where = location(event.get("where"))
        asked[(event["mechanism"], str(event.get("function")), event["resolved"], where)] += 1
    traces: dict[str, list[Event]] = {}
    for event in recording.of_kind(schema.TRACE):
        if event.get("xla"):
            traces.setdefault(str(event.get("python_name")), []).append(event)
    found = []
    for (mechanism, function, resolved, where), count in asked.items():
        mine = traces.get(function, [])
        on = resolved == "True"
        note = _note(on, mine, count, function in compiled)
        framework = mechanism == "framework"
        found.append(
            XlaPath(
                mechanism="tf.function(jit_compile=) made by a framework" if framework else mechanism,
                function=function,
                requested=resolved,
                resolved=("on" if mine else "on, but never traced") if on else "off",
                effective=_effective(on, mine, function in compiled),
                governed_by=_governing(recording, mine),
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


def _note(on: bool, traces: list[Event], count: int, compiled: bool) -> str:
    times = f"asked for {count} times, " if count > 1 else ""
    if not on:
        return f"{times}XLA declined explicitly"
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
    shown = {name for function, name in library.items() if any(function in t for t in texts)}
    if evidence.log.facts.get("xla_compiled") and len(set(names)) == 1:
        shown.update(names)
    return shown


def _governing(recording: Recording, traces: list[Event]) -> tuple[str, ...]:
    """The switches read in the decision that led to a function: a knob that a caller of its first trace asked."""
    if not traces:
        return ()
    first = traces[0]
    callers = {(f["file"], f["function"]) for f in first.get("frames", ())}
    settings = recording.of_kind(schema.SETTING)
    for event in reversed([e for e in settings if e["seq"] < first["seq"] and e["pid"] == first["pid"]]):
        where = event.get("where") or {}
        if event["store"] != "decision" or (where.get("file"), where.get("function")) not in callers:
            continue
        knob = str(event["key"]).rpartition(":")[2]
        reads = [
            e
            for e in settings
            if e["action"] == "read"
            and e["store"] != "decision"
            and e["seq"] <= event["seq"]
            and e["pid"] == event["pid"]
            and str((e.get("where") or {}).get("function", "")).rpartition(".")[2] == knob
        ]
        shown = [f"{e['store']} {e['key']} " + ("unset" if e["value"] is None else f"= {e['value']!r}") for e in reads]
        return (*dict.fromkeys(shown), f"{event['key']}() = {event['value']!r}")
    return ()


def _keras(recording: Recording) -> list[XlaPath]:
    found: dict[tuple[str, str, str], XlaPath] = {}
    for event in recording.of_kind(schema.XLA_PATH):
        if not event["mechanism"].startswith("keras"):
            continue
        on = event["resolved"] == "True"
        accelerators = event.get("accelerators")
        note = None
        if event["requested"] == "'auto'" and accelerators == 0 and not on:
            note = "no accelerator on this machine; where there is one, Keras resolves 'auto' to True"
        key = (str(event.get("function")), event["requested"], event["resolved"])
        found.setdefault(
            key,
            XlaPath(
                mechanism="Keras compile(jit_compile=)",
                function=f"train, test and predict step of {event.get('function')}",
                requested=event["requested"],
                resolved="on" if on else "off",
                effective=on or False,
                governed_by=(),
                location=location(event.get("where")),
                note=note,
            ),
        )
    return list(found.values())


def _flags(recording: Recording) -> list[XlaPath]:
    starts = recording.of_kind(schema.START)
    if not starts:
        return []
    value = starts[0].get("environment", {}).get("TF_XLA_FLAGS")
    late = [
        e for e in recording.of_kind(schema.SETTING)
        if e["store"] == "env" and e["key"] == "TF_XLA_FLAGS" and e["action"] == "write"
    ]  # fmt: skip
    first_op = next(iter(recording.of_kind(schema.FIRST_OP)), None)
    notes = ["auto-clustering only: it governs no function with an explicit jit_compile"]
    for event in late:
        if first_op is None or (event["pid"], event["seq"]) < (first_op["pid"], first_op["seq"]):
            value = event["value"]
        else:
            notes.append(f"written again at t = {event['t']:.2f} s, after TensorFlow had read it: ignored")
    auto = "--tf_xla_auto_jit=" in str(value) and "--tf_xla_auto_jit=0" not in str(value)
    return [
        XlaPath(
            mechanism="TF_XLA_FLAGS",
            function="auto-clustering of any graph",
            requested="unset" if value is None else str(value),
            resolved="asked for" if auto else "off",
            effective=None if auto else False,
            note="; ".join(notes),
        )
    ]
