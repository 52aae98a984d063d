"""A run folder, read back: what the probes recorded, as plain values with a few questions that everybody asks.

Everything readable is used. What is damaged (a torn line, a file of a newer schema) is said in `problems` and makes the
command exit with 2, but does not stop the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from xladoctor.diagnosis.model import Location
from xladoctor.errors import XladoctorError
from xladoctor.evidence.model import ProcessOutcome
from xladoctor.evidence.removed import without_removed
from xladoctor.evidence.schema import schema

Event = dict[str, Any]


@dataclass(frozen=True)
class Recording:
    """What was recorded of one run.

    Attributes:
        folder: the run folder.
        run: the content of `run.json`.
        events: the events of all processes, ordered by process (the doctor's own child first) and sequence number.
        worker: what workers answered: `{capsule, request, batch, result | error}`.
        problems: what could not be read, in words.
    """

    folder: Path
    run: dict[str, Any]
    events: tuple[Event, ...] = ()
    worker: tuple[dict[str, Any], ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def of_kind(self, kind: str) -> list[Event]:
        """The events of one kind."""
        return self._by_kind.get(kind, [])

    @cached_property
    def _by_kind(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        for event in self.events:
            found.setdefault(event["kind"], []).append(event)
        return found

    @property
    def pids(self) -> list[int]:
        """Processes that were recorded."""
        return list(dict.fromkeys(e["pid"] for e in self.events))

    @cached_property
    def outcome(self) -> ProcessOutcome | None:
        """How the target ended."""
        data = self.run.get("outcome")
        if not isinstance(data, dict):
            return None
        return ProcessOutcome(
            command=tuple(str(c) for c in self.run.get("command", ())),
            state=data.get("state", "running"),
            code=data.get("code"),
            signal=data.get("signal"),
            seconds=data.get("seconds"),
            probes=data.get("probes", "absent"),
            probes_note=data.get("probes_note"),
        )

    def answers(self, request: str, capsule: str | None = None) -> list[dict[str, Any]]:
        """What workers answered to one kind of request, about one capsule or all."""
        return [
            a for a in self.worker if a.get("request") == request and (capsule is None or a.get("capsule") == capsule)
        ]

    def capsule(self, name: str) -> dict[str, Any]:
        """The content of a capsule's `capsule.json`, or an empty dict."""
        return _json_file(self.folder / "capsules" / Path(name).name / "capsule.json") or {}

    def recipe(self, name: str) -> dict[str, Any]:
        """Where the values of a capsule come from (`recipe.json`), or an empty dict where none were kept."""
        return _json_file(self.folder / "capsules" / Path(name).name / "recipe.json") or {}

    @cached_property
    def places(self) -> dict[str, Any]:
        """The user's places of this run: `{file, places: [{name, contract, axes}], problems}`, or an empty dict."""
        return _json_file(self.folder / schema.PLACES_FILE) or {}

    @cached_property
    def flips(self) -> list[dict[str, Any]]:
        """What rehearsals with one switch flipped gave (`schema.FLIPS_FILE`), or an empty list."""
        found = (_json_file(self.folder / schema.FLIPS_FILE) or {}).get("flips")
        return [f for f in found if isinstance(f, dict)] if isinstance(found, list) else []

    def sources(self, name: str) -> dict[str, dict[str, list[list[Any]]]]:
        """{graph uid: {node: user frames, innermost last}} of a capsule."""
        import gzip

        try:
            data = gzip.decompress((self.folder / "capsules" / Path(name).name / "sources.json.gz").read_bytes())
            loaded = json.loads(data)
        except (OSError, EOFError, ValueError):
            return {}
        return loaded if isinstance(loaded, dict) else {}


def location(where: Any) -> Location | None:
    """A `{file, line, function}` of an event as a Location."""
    if not isinstance(where, dict) or not where.get("file"):
        return None
    return Location(str(where["file"]), where.get("line"), where.get("function"))


def is_run_folder(folder: Path) -> bool:
    """True if the folder has what a run folder has."""
    return (folder / "run.json").is_file() or any(folder.glob(schema.EVENTS_GLOB))


def read_run(folder: Path) -> Recording:
    """Read a run folder.

    Raises:
        XladoctorError: (exit code 2) the folder is none, or nothing in it can be read.
    """
    if not folder.is_dir():
        raise XladoctorError(f"{folder} is no folder")
    if not is_run_folder(folder):
        raise XladoctorError(
            f"{folder} is no run folder: it has neither run.json nor events",
            hint="a run folder is made by: xladoctor scan -- COMMAND",
        )
    problems: list[str] = []
    run = _json_file(folder / "run.json")
    if run is None:
        problems.append("run.json is missing or damaged: how the run ended is not known")
        run = {}
    elif not _known(run.get("schema"), schema.RUN_SCHEMA):
        problems.append(
            f"run.json has schema {run.get('schema')!r}, this xladoctor reads {schema.RUN_SCHEMA!r}: "
            "newer fields are ignored"
        )
    events: list[Event] = []
    first = run.get("pid")
    files = sorted(
        folder.glob(schema.EVENTS_GLOB),
        key=lambda p: (p.stem != f"events-{first}", p.stat().st_mtime, p.name),
    )
    for file in files:
        events.extend(_events(file, problems))
    worker = tuple(_lines(folder / "worker.jsonl", problems)) if (folder / "worker.jsonl").exists() else ()
    return Recording(folder, run, without_removed(events), worker, tuple(problems))


def _events(file: Path, problems: list[str]) -> Iterator[Event]:
    pid_text = file.stem.partition("-")[2]
    pid = int(pid_text) if pid_text.isdigit() else 0
    for event in _lines(file, problems):
        kind = event.get("kind")
        if kind == schema.START and not _known(event.get("schema"), schema.EVENTS_SCHEMA):
            problems.append(
                f"{file.name} has schema {event.get('schema')!r}, this xladoctor reads {schema.EVENTS_SCHEMA!r}: "
                "events that it does not know are ignored"
            )
        if isinstance(kind, str) and isinstance(event.get("seq"), int):
            event["pid"] = pid
            yield event


def _lines(file: Path, problems: list[str]) -> Iterator[dict[str, Any]]:
    torn = 0
    try:
        with file.open("rb") as stream:
            for line in stream:
                try:
                    value = json.loads(line)
                except ValueError:
                    torn += 1
                    continue
                if isinstance(value, dict):
                    yield value
                else:
                    torn += 1
    except OSError as error:
        problems.append(f"{file.name} cannot be read: {error.strerror or error}")
    if torn:
        problems.append(f"{file.name}: {torn} damaged line{'s' if torn > 1 else ''} left out; the rest was used")


def _json_file(file: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _known(found: Any, ours: str) -> bool:
    return bool(found == ours)
