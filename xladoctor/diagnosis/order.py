"""Findings about settings, from who wrote and who read them and when: too late, to no effect, beside the point."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.diagnosis.model import Finding, Proof
from xladoctor.evidence.run import Event, Recording, location
from xladoctor.evidence.schema import schema
from xladoctor.rules import by_slug


def setting_findings(recording: Recording) -> Iterator[Finding]:
    """Every finding about the order of settings in a recorded run."""
    yield from _flags_after_first_op(recording)
    yield from _written_after_the_last_read(recording)
    yield from _auto_jit_beside_the_point(recording)


def _flags_after_first_op(recording: Recording) -> Iterator[Finding]:
    """TF_XLA_FLAGS is read once, when the runtime is created by the first operation; later writes are ignored,
    silently.
    """
    for first in recording.of_kind(schema.FIRST_OP):
        for event in _settings(recording, "env", "TF_XLA_FLAGS", "write", "delete"):
            if event["pid"] != first["pid"] or event["seq"] < first["seq"]:
                continue
            yield _finding(
                "setting-too-late",
                "TF_XLA_FLAGS was set after TensorFlow had read it",
                f"TF_XLA_FLAGS = {event['value']!r} was set {event['t'] - first['t']:.2f} s after the first operation. "
                "TensorFlow reads it once, at that operation (not at import): this value is ignored.",
                event,
                [_told(first, "the first operation"), _told(event, "written")],
            )


def _written_after_the_last_read(recording: Recording) -> Iterator[Finding]:
    """A switch of the program's own that got another value after the last read that could have noticed."""
    keys = {
        e["key"]: None for e in recording.of_kind(schema.SETTING) if e["store"].endswith(".cfg") and is_switch(e["key"])
    }
    for key in keys:
        reads = _settings(recording, None, key, "read")
        writes = _settings(recording, None, key, "write", "default")
        last = max((w for w in writes if w["action"] == "write"), key=lambda e: (e["pid"], e["seq"]), default=None)
        if last is None:
            continue
        mine = [r for r in reads if r["pid"] == last["pid"]]
        if not mine:
            before = [w for w in writes if w["seq"] < last["seq"] and w["pid"] == last["pid"]]
            if before and before[-1]["value"] == last["value"]:
                continue
            yield _finding(
                "dead-switch",
                f"{last['store']} {key} was written and never read",
                f"{last['store']}[{key!r}] = {last['value']!r} was written, and nothing in this run read it.",
                last,
                [_told(last, "written")],
                status="untested",
            )
            continue
        deciding = max((r for r in mine if r["seq"] < last["seq"]), key=lambda e: e["seq"], default=None)
        if deciding is None or deciding["value"] == last["value"] or any(r["seq"] > last["seq"] for r in mine):
            continue
        yield _finding(
            "setting-too-late",
            f"{last['store']} {key} was changed after the last read of it",
            f"{last['store']}[{key!r}] was read as {deciding['value']!r} and then set to {last['value']!r}; nothing "
            "read it again, so what was built or traced goes by the old value.",
            last,
            [_told(deciding, "read"), _told(last, "written")],
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
        yield _finding(
            "flag-ineffective",
            f"TF_XLA_FLAGS governs none of the {functions} of this run",
            f"TF_XLA_FLAGS = {value!r} governs auto-clustering only. It governs none of the {functions} of this run "
            f"({names}): each asked for XLA itself, by jit_compile=True.",
            next(iter(explicit.values())),
            [Proof("environment", f"TF_XLA_FLAGS = {value!r} when the process started", _where(start))]
            + [_traced(e) for e in list(explicit.values())[:4]],
        )


def is_switch(key: str) -> bool:
    """True for a setting of the program that is about XLA or compilation."""
    return any(part in key.lower() for part in ("xla", "jit", "compile"))


# -- parts ------------------------------------------------------------------------------------------------------------


def _settings(recording: Recording, store: str | None, key: str, *actions: str) -> list[Event]:
    return [
        e
        for e in recording.of_kind(schema.SETTING)
        if e["key"] == key and e["action"] in actions and (store is None or e["store"] == store)
    ]


def _finding(
    slug: str, title: str, message: str, event: Event, evidence: list[Proof], status: str = "confirmed"
) -> Finding:
    rule = by_slug(slug)
    return Finding(
        code=rule.code,
        slug=slug,
        level="warning",
        role="root",
        title=title,
        message=message,
        location=location(event.get("where")),
        evidence=tuple(evidence),
        status="confirmed" if status == "confirmed" else "untested",
        remedies=rule.remedies,
    )


def _told(event: Event, what: str) -> Proof:
    where = location(event.get("where"))
    value = "" if event["kind"] != schema.SETTING else f" {event['store']} {event['key']} = {event['value']!r}"
    return Proof("setting", f"t = {event['t']:.2f} s: {what}{value}{f', {where}' if where else ''}", _where(event))


def _traced(event: Event) -> Proof:
    where = location(event.get("where"))
    return Proof(
        "event",
        f"{event.get('python_name')}: traced with _XlaMustCompile{f', {where}' if where else ''}",
        _where(event),
    )


def _where(event: Event) -> str:
    return f"events-{event['pid']}.jsonl:{event['seq']}"
