"""Environment variables that were set after the library that reads them had been imported: they have no effect.

Two kinds of proof. For what a library's Python asks for at the top level of a module, the recorder has seen the
question (`probes/record/import_reads.py`). What TensorFlow's libraries read when they are loaded is known, and listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.setting_finding import event_of, finding, told
from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

_LOADED = {"TF_ENABLE_ONEDNN_OPTS": ("1", "true")}
"""What TensorFlow reads while its libraries are loaded, with the values that mean the same as none."""
_LATER = frozenset({"TF_XLA_FLAGS", "XLA_FLAGS", "TF_CPP_MIN_LOG_LEVEL", "TF_CPP_MAX_VLOG_LEVEL"})
"""Read by native code at another time, whoever else asks for them."""


def set_after_import(recording: Recording) -> Iterator[Finding]:
    """A finding for each such variable whose last value in a process was written too late to be read."""
    parents = {e.get("ppid") for e in recording.of_kind(schema.START)}
    for event in _last_writes(recording):
        if event["pid"] in parents or event["key"] in _LATER:
            continue  # it may have been set for a child
        asked = event.get("asked")
        if isinstance(asked, dict) and not asked.get("same") and not _read_later(recording, event):
            yield _asked(event, asked)
        elif event["key"] in _LOADED and not isinstance(asked, dict):
            yield from _loaded(recording, event)


def _last_writes(recording: Recording) -> list[Event]:
    last: dict[tuple[int, str], Event] = {}
    for event in recording.of_kind(schema.SETTING):
        if event["store"] == "env" and event["action"] in ("write", "delete"):
            last[event["pid"], event["key"]] = event
    return list(last.values())


def _read_later(recording: Recording, written: Event) -> bool:
    return any(
        e["pid"] == written["pid"] and e["seq"] > written["seq"] and e["key"] == written["key"]
        and e["action"] == "read" and e["store"] == "env"
        for e in recording.of_kind(schema.SETTING)
    )  # fmt: skip


def _asked(event: Event, asked: dict[str, Any]) -> Finding:
    package = str(asked.get("module")).partition(".")[0]
    place = f"{asked.get('file')}:{asked.get('line')}"
    before = "it had another value" if asked.get("set") else "it was not set"
    return _late(
        event,
        package,
        f"{_what(event)} after {package} had been imported. {asked.get('module')} asks for it once, while it is "
        f"imported ({place}); then {before}. Nothing asked for it afterwards, so this value has no effect.",
        Proof("setting", f"asked for by {place} during the import: {before}", event_of(event)),
    )


def _loaded(recording: Recording, event: Event) -> Iterator[Finding]:
    imported = next(
        (e for e in recording.of_kind(schema.IMPORT) if e["pid"] == event["pid"] and e["module"] == "tensorflow"), None
    )
    start = next((e for e in recording.of_kind(schema.START) if e["pid"] == event["pid"]), None)
    if imported is None or start is None or event["seq"] < imported["seq"]:
        return
    usual = _LOADED[event["key"]]
    before = str((start.get("environment") or {}).get(event["key"], usual[0])).lower()
    now = str(usual[0] if event["value"] is None else event["value"]).lower()
    if now == before or (now in usual and before in usual):
        return
    yield _late(
        event,
        "tensorflow",
        f"{_what(event)} after TensorFlow had been imported. TensorFlow reads it while its libraries are loaded: this "
        "value has no effect.",
        Proof("event", "tensorflow was imported", event_of(imported)),
    )


def _what(event: Event) -> str:
    value = "" if event["value"] in (None, "(a text)") else f" = {event['value']!r}"
    return f"{event['key']}{value} was {'removed' if event['action'] == 'delete' else 'set'}"


def _late(event: Event, package: str, message: str, proof: Proof) -> Finding:
    found = finding(
        "setting-too-late",
        f"{event['key']} was set after {package} had read it",
        message,
        event,
        [proof, told(event, "removed" if event["action"] == "delete" else "written")],
        details={"variable": event["key"], "package": package},
    )
    above = Remedy(
        "set-before-import",
        f"Set {event['key']} before the first import of {package}",
        "safe",
        f"Move the line above every `import {package}`, or set the variable where the program is started.",
    )
    return replace(found, remedies=(above,))
