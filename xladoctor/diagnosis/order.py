"""Findings about settings, from who wrote and who read them and when: too late, to no effect, beside the point."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.diagnosis.asked_at_import import set_after_import
from xladoctor.diagnosis.baked import values_baked_in
from xladoctor.diagnosis.environment_at_import import set_after_own_import
from xladoctor.diagnosis.flag_findings import flag_findings
from xladoctor.diagnosis.flipped import dead_switches, is_dead, number_findings
from xladoctor.diagnosis.kept_at_import import kept_findings
from xladoctor.diagnosis.late_policy import policies_too_late
from xladoctor.diagnosis.own_switches import set_too_late
from xladoctor.diagnosis.reads import History, histories
from xladoctor.diagnosis.retraces import retracing
from xladoctor.diagnosis.setting_finding import event_of, finding, told, traced
from xladoctor.diagnosis.stale import baked_in
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

# What made TensorFlow look at its flags: in words, and as the moment of which a sentence speaks.
_MOMENTS = {
    "operation": ("the first operation", "at that operation"),
    "devices": ("TensorFlow had listed its devices", "when it makes or lists its devices, and that was then"),
    "session": ("the first session was made", "when it makes its devices, and that session did"),
}

SWITCH_PARTS = ("xla", "jit", "compile")
"""A setting whose name has one of these in it is a switch about XLA or compilation."""


def setting_findings(recording: Recording) -> Iterator[Finding]:
    """Every finding about the order of settings in a recorded run."""
    yield from _flags_after_first_op(recording)
    yield from _xla_flags_after_first_compilation(recording)
    called = {(e["pid"], e["graph"]) for e in recording.of_kind(schema.TRACE) if e.get("owner") is not None}
    for history in histories(recording):
        if is_dead(recording, history.store, history.key):
            continue  # shown by a rehearsal, which says more than who read what
        late = _written_after_the_last_read(recording, history)
        yield from late
        if not late:
            yield from _put_back_too_early(history, called)
    yield from set_too_late(recording)
    yield from set_after_import(recording)
    yield from set_after_own_import(recording)
    yield from policies_too_late(recording)
    yield from baked_in(recording)
    yield from kept_findings(recording)
    yield from _auto_jit_beside_the_point(recording)
    yield from flag_findings(recording)
    yield from retracing(recording)
    yield from dead_switches(recording)
    yield from number_findings(recording)
    yield from values_baked_in(recording)


def _flags_after_first_op(recording: Recording) -> Iterator[Finding]:
    """TF_XLA_FLAGS is read once, when devices are first made or listed; later writes are ignored, silently."""
    for first in recording.of_kind(schema.FIRST_OP):
        moment, at = _MOMENTS.get(str(first.get("by")), _MOMENTS["operation"])
        for event in _settings(recording, "env", "TF_XLA_FLAGS", "write", "delete"):
            if event["pid"] != first["pid"] or event["seq"] < first["seq"]:
                continue
            yield finding(
                "setting-too-late",
                "TF_XLA_FLAGS was set after TensorFlow had read it",
                f"TF_XLA_FLAGS = {event['value']!r} was set {event['t'] - first['t']:.2f} s after {moment}. "
                f"TensorFlow reads it once, {at} (not at import), so this value is ignored.",
                event,
                [told(first, moment), told(event, "written")],
            )


def _xla_flags_after_first_compilation(recording: Recording) -> Iterator[Finding]:
    """XLA_FLAGS is read once, at the first compilation; later writes are ignored, silently."""
    compiled: dict[int, Event] = {}
    for trace in recording.of_kind(schema.TRACE):
        # One without an owner was only traced (`get_concrete_function`), not called.
        if trace.get("xla") and trace.get("owner") is not None:
            compiled.setdefault(trace["pid"], trace)
    for event in _settings(recording, "env", "XLA_FLAGS", "write", "delete"):
        first = compiled.get(event["pid"])
        if first is None or event["seq"] < first["seq"]:
            continue
        yield finding(
            "setting-too-late",
            "XLA_FLAGS was set after XLA had read it",
            f"XLA_FLAGS = {event['value']!r} was set {event['t'] - first['t']:.2f} s after {first.get('python_name')}, "
            "the first function to be compiled, was traced. XLA reads it once, at the first compilation, so this "
            "value is ignored.",
            event,
            [traced(first), told(event, "written")],
        )


def _written_after_the_last_read(recording: Recording, history: History) -> list[Finding]:
    """A switch of the program's own that got another value after the last read that could have noticed."""
    if not history.store.endswith(".cfg") or not is_switch(history.key):
        return []
    if recording.of_kind(schema.BLOCK):
        return []  # what the program read before and after the block is not known
    last = max((w for w in history.writes if w["action"] == "write"), key=lambda e: int(e["seq"]), default=None)
    if last is None or history.restored(last) is not None:
        return []
    name = f"{history.store}[{history.key!r}]"
    if not history.reads:
        before = history.value_at(last["seq"])
        if before is not None and before["value"] == last["value"]:
            return []
        return [
            finding(
                "dead-switch",
                f"{history.name} was written and never read",
                f"{name} = {last['value']!r} was written, and nothing in this run read it.",
                last,
                [told(last, "written")],
                tested=False,
            )
        ]
    deciding = max((r for r in history.reads if r["seq"] < last["seq"]), key=lambda e: int(e["seq"]), default=None)
    later = any(r["seq"] > last["seq"] for r in history.reads)
    if deciding is None or deciding["value"] == last["value"] or later:
        return []
    return [
        finding(
            "setting-too-late",
            f"{history.name} was changed after the last read of it",
            f"{name} was read as {deciding['value']!r} and then set to {last['value']!r}; nothing read it again, "
            f"so everything that was built or traced uses the old value.",
            last,
            [told(deciding, "read"), told(last, "written")],
        )
    ]


def _put_back_too_early(history: History, called: set[tuple[int, str]]) -> Iterator[Finding]:
    """A factory that sets a key and puts it back before anything is traced: the trace reads the old value."""
    for override in history.overrides:
        begin, end = override.begin, override.end
        during = history.reads_between(begin["seq"], end["seq"])
        if any((r["pid"], r.get("graph")) in called for r in during):
            continue
        after = history.reads_between(end["seq"], history.next_write(end))
        traced_later = [r for r in after if (r["pid"], r.get("graph")) in called and r["value"] == end["value"]]
        readers = {_line(r) for r in during}
        # Where the same line read both values, what it built and what it traced do not agree. A line that also *built*
        # something under the old value has models of both kinds, and which one was traced cannot be told.
        traced_ids = {id(r) for r in traced_later}
        built_after = {_line(r) for r in after if id(r) not in traced_ids}
        wrong = [r for r in traced_later if not during or (_line(r) in readers and _line(r) not in built_after)]
        if not wrong:
            continue
        name = f"{history.store}[{history.key!r}]"
        seen = (
            f"What was built in between read {begin['value']!r}, what was traced afterwards {end['value']!r}."
            if during
            else "Nothing read it in between, so it had no effect."
        )
        yield finding(
            "dead-switch" if not during else "setting-too-late",
            f"{history.name} was put back before anything was traced",
            f"{name} was set to {begin['value']!r} and put back to {end['value']!r} in the same function, before "
            f"anything was traced. {seen} A function reads its settings when it is traced, at its first call, and "
            f"not when its model is made.",
            begin,
            [told(begin, "written"), told(end, "put back"), told(wrong[0], "read while tracing")],
        )


def _auto_jit_beside_the_point(recording: Recording) -> Iterator[Finding]:
    """TF_XLA_FLAGS set to rule auto-clustering while every compiled function of the run asked for XLA explicitly."""
    explicit = {str(e.get("python_name")): e for e in recording.of_kind(schema.TRACE) if e.get("xla")}
    if not explicit:
        return
    for start in recording.of_kind(schema.START):
        value = start.get("environment", {}).get("TF_XLA_FLAGS")
        if value is None or "tf_xla_auto_jit" not in value:
            continue
        names = ", ".join(sorted(explicit))
        count = len(explicit)
        functions = f"{count} compiled function{'s' if count > 1 else ''}"
        yield finding(
            "flag-ineffective",
            f"TF_XLA_FLAGS affects none of the {functions} of this run",
            f"TF_XLA_FLAGS = {value!r} affects only auto-clustering. It affects none of the {functions} of this "
            f"run ({names}), because each asks for XLA itself with jit_compile=True.",
            next(iter(explicit.values())),
            [Proof("environment", f"TF_XLA_FLAGS = {value!r} when the process started", event_of(start))]
            + [traced(e) for e in list(explicit.values())[:4]],
        )


def is_switch(key: str) -> bool:
    """True for a setting of the program that is about XLA or compilation."""
    return any(part in key.lower() for part in SWITCH_PARTS)


def _settings(recording: Recording, store: str, key: str, *actions: str) -> list[Event]:
    return [
        e
        for e in recording.of_kind(schema.SETTING)
        if e["key"] == key and e["action"] in actions and e["store"] == store
    ]


def _line(event: Event) -> tuple[object, object]:
    where = event.get("where") or {}
    return where.get("file"), where.get("line")
