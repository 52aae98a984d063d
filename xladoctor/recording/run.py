"""A run folder, read back: what the probes recorded, as plain values with a few questions that everybody asks.

Everything readable is used. What is damaged (a torn line, a file of a newer schema, an event of other types than the
schema says) is said in `problems` and makes the command exit with 2, but does not stop the rest. Whoever made the
folder: files are read by `recording.files`, and what is in them has the types of `recording.events` and `contents`.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from xladoctor.errors import XladoctorError
from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.capsule import Capsule
from xladoctor.model.diagnosis import Location
from xladoctor.model.evidence import ProcessOutcome
from xladoctor.model.flips import Flip, Replaced
from xladoctor.model.output_log import output_logs
from xladoctor.recording import contents, files, graph_ops
from xladoctor.recording.events import why_unfit
from xladoctor.recording.removed import without_removed
from xladoctor.recording.schema import schema

Event = dict[str, Any]
T = TypeVar("T")

_LONGEST_LINE = 16 << 20
_MOST_VALUES = 20_000_000
"""Of all events and answers of a run together; a recorder stops at 20,000 events of a kind."""
# A last line that is longer is known by its end.
_TAIL, _MUCH = 4096, 1_000_000
_LOGS = ("stdout.log", "stderr.log")
_LARGEST_CAPSULES = 256 << 20
"""Of all `capsule.json` together."""
_LARGEST_SOURCES = 128 << 20
_LARGEST_GRAPH = 8 << 20
"""A larger one is not looked into for its ops; it takes a tenth of a second at most."""


@dataclass(frozen=True)
class ShapeAfter:
    """The shape that a name has after a line was run; None is a size that is not known while TensorFlow traces."""

    file: str
    line: int
    name: str
    shape: tuple[int | None, ...]
    dtype: str


@dataclass(frozen=True)
class Recording:
    """What was recorded of one run.

    Attributes:
        folder: the run folder.
        run: the content of `run.json`.
        events: the events of all processes, ordered by process (the doctor's own child first) and sequence number.
        worker: what workers answered: `{capsule, request, batch, result | error}`.
        problems: what could not be read, in words.
        digests: {name: SHA-256 of the bytes} of the files that `run`, `events` and `worker` were read from.
    """

    folder: Path
    run: dict[str, Any]
    events: tuple[Event, ...] = ()
    worker: tuple[WorkerAnswer, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    digests: dict[str, str] = field(default_factory=dict)

    def of_kind(self, kind: str) -> list[Event]:
        """The events of one kind."""
        return self._by_kind.get(kind, [])

    @cached_property
    def _by_kind(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        for event in self.events:
            found.setdefault(event["kind"], []).append(event)
        return found

    @cached_property
    def raised(self) -> list[Event]:
        """Every recorded exception, caught or not."""
        return [e for e in self.of_kind(schema.FAILURE) if e.get("state") == "raised"]

    @cached_property
    def uncaught(self) -> frozenset[tuple[int, int]]:
        """(process, number) of each exception that nobody caught."""
        failures = self.of_kind(schema.FAILURE)
        return frozenset((e["pid"], e["failure"]) for e in failures if e.get("state") == "uncaught")

    @cached_property
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
            output=output_logs(data.get("output")),
        )

    def once(self, work: Callable[..., T], *arguments: Hashable) -> T:
        """`work(self, *arguments)`, worked out once for this recording: findings share one pass over the events."""
        key = (work, arguments)
        if key not in self._worked_out:
            self._worked_out[key] = work(self, *arguments)
        result: T = self._worked_out[key]
        return result

    @cached_property
    def _worked_out(self) -> dict[tuple[Callable[..., Any], tuple[Hashable, ...]], Any]:
        return {}

    def answers(self, request: str, capsule: str | None = None) -> list[WorkerAnswer]:
        """What workers answered to one kind of request, about one capsule or all."""
        return self._answers.get((request, capsule), [])

    @cached_property
    def _answers(self) -> dict[tuple[str, str | None], list[WorkerAnswer]]:
        found: dict[tuple[str, str | None], list[WorkerAnswer]] = {}
        for answer in self.worker:
            for capsule in (answer.capsule, None):
                found.setdefault((answer.request, capsule), []).append(answer)
        return found

    def capsule(self, name: str) -> Capsule:
        """What is known of a capsule."""
        if name not in self._capsules:
            folder = f"capsules/{Path(name).name}"
            found, size = self._table(f"{folder}/capsule.json", self._unread[0])
            self._unread[0] -= size
            self._capsules[name] = contents.capsule_of(found, self._table(f"{folder}/recipe.json")[0])
        return self._capsules[name]

    @cached_property
    def _capsules(self) -> dict[str, Capsule]:
        return {}

    @cached_property
    def _unread(self) -> list[int]:
        """How many bytes of capsules may still be read."""
        return [_LARGEST_CAPSULES]

    @cached_property
    def last_lines(self) -> tuple[str, ...]:
        """The last line with anything in it of `stdout.log` and `stderr.log` each."""
        ends = (_end_of(self.folder, name, _TAIL) for name in _LOGS)
        return tuple(line for end in ends if (line := next((n.strip() for n in reversed(end) if n.strip()), "")))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of `stdout.log` and `stderr.log`; of long ones the last million bytes."""
        return tuple(line.strip() for name in _LOGS for line in _end_of(self.folder, name, _MUCH))

    @cached_property
    def places(self) -> dict[str, Any]:
        """The user's places of this run: `{file, places: [{name, contract, axes}], problems}`, or an empty dict."""
        found, _ = self._table(schema.PLACES_FILE)
        for name, keep in (("places", contents.is_place), ("problems", lambda value: isinstance(value, str))):
            if name in found:
                listed = found[name]
                found[name] = [item for item in listed if keep(item)] if isinstance(listed, list) else []
        return found

    @cached_property
    def flips(self) -> tuple[Flip, ...]:
        """What rehearsals with one switch flipped gave (`schema.FLIPS_FILE`)."""
        return tuple(contents.fitting(Flip, self._table(schema.FLIPS_FILE)[0].get("flips")))

    @cached_property
    def defaulted(self) -> tuple[Replaced, ...]:
        """Configured values that a default replaced, as a rehearsal saw them (`schema.FLIPS_FILE`)."""
        return tuple(contents.fitting(Replaced, self._table(schema.FLIPS_FILE)[0].get("defaulted")))

    @cached_property
    def first_nan(self) -> dict[str, Any]:
        """What a search for the first NaN gave (`schema.FIRST_NAN_FILE`): `{found, why}`, or an empty dict."""
        found = self._table(schema.FIRST_NAN_FILE)[0]
        return found if contents.is_first_nan(found) else {}

    @cached_property
    def edits(self) -> list[Any]:
        """What trials of small edits of the sources gave (`schema.EDITS_FILE`), or an empty list."""
        found = self._table(schema.EDITS_FILE)[0].get("edits")
        return found if isinstance(found, list) else []

    @cached_property
    def retraced(self) -> tuple[ShapeAfter, ...]:
        """The shapes that a second run saw after lines (`schema.RETRACE_FILE`), in the order in which they came up."""
        found = self._table(schema.RETRACE_FILE)[0].get("shapes")
        rows = [row for row in found if contents.is_shape_after(row)] if isinstance(found, list) else []
        return tuple(ShapeAfter(r["file"], r["line"], r["name"], tuple(r["shape"]), r["dtype"]) for r in rows)

    def sources(self, name: str) -> dict[str, dict[str, list[list[Any]]]]:
        """{graph uid: {node: user frames, innermost last}} of a capsule."""
        file = f"capsules/{Path(name).name}/sources.json.gz"
        try:
            data = files.unpacked(files.read(self.folder, file), _LARGEST_SOURCES)
            return contents.sources_of(files.parsed(data, 2 * files.MOST_VALUES))
        except (OSError, ValueError, files.Unusable):
            return {}

    def ops(self, name: str) -> Mapping[str, int]:
        """{op: number of its nodes} of a capsule's graph; empty where it cannot be read."""
        file = f"capsules/{Path(name).name}/graph.pb.gz"
        try:
            return graph_ops.ops(files.unpacked(files.read(self.folder, file), _LARGEST_GRAPH))
        except (OSError, ValueError, files.Unusable):
            return {}

    def _table(self, name: str, largest: int = files.LARGEST) -> tuple[dict[str, Any], int]:
        """The JSON object in a file of the folder, empty where there is none; and how many bytes it took."""
        try:
            data = files.read(self.folder, name, largest)
            found = files.parsed(data)
        except (OSError, ValueError, files.Unusable):
            return {}, 0
        return (found if isinstance(found, dict) else {}), len(data)


def location(where: Any) -> Location | None:
    """A `{file, line, function}` of an event as a Location."""
    if not isinstance(where, dict) or not where.get("file"):
        return None
    return Location(str(where["file"]), where.get("line"), where.get("function"))


def read_run(folder: Path) -> Recording:
    """Read a run folder.

    Raises:
        XladoctorError: (exit code 2) the folder is none, or nothing in it can be read.
    """
    if not folder.is_dir():
        raise XladoctorError(f"{folder} is no folder")
    if not files.is_run_folder(folder):
        raise XladoctorError(
            f"{folder} is no run folder: it has neither run.json nor events",
            hint="a run folder is made by: xladoctor scan -- COMMAND",
        )
    reader = _Reader(folder)
    run = reader.run()
    events: list[Event] = []
    first = f"events-{run.get('pid')}.jsonl"
    listed = files.names(folder, like=schema.EVENTS_GLOB)
    for name in sorted(listed, key=lambda n: (n != first, files.changed(folder, n), n)):
        # As they were written; whoever reads them may count on it.
        events.extend(sorted(reader.events(name), key=lambda e: int(e["seq"])))
    return Recording(
        folder, run, without_removed(events), tuple(reader.answers()), tuple(reader.problems), digests=reader.digests
    )


class _Reader:
    """Reads the parts of one folder; what is wrong with them gathers in `problems`."""

    def __init__(self, folder: Path) -> None:
        self.problems: list[str] = []
        self.digests: dict[str, str] = {}
        self._folder = folder
        self._values = _MOST_VALUES

    def run(self) -> dict[str, Any]:
        """`run.json`, without the fields that have other types than they should."""
        try:
            data = files.read(self._folder, "run.json")
            self.digests["run.json"] = hashlib.sha256(data).hexdigest()
            run = files.parsed(data)
        except (OSError, ValueError, files.Unusable):
            run = None
        if not isinstance(run, dict):
            self.problems.append("run.json is missing or damaged: how the run ended is not known")
            return {}
        if run.get("schema") != schema.RUN_SCHEMA:
            self.problems.append(
                f"run.json has schema {run.get('schema')!r:.80}, this xladoctor reads {schema.RUN_SCHEMA!r}: "
                "newer fields are ignored"
            )
        run, wrong = contents.only_fitting(run, contents.RUN)
        if wrong:
            self.problems.append(f"run.json: {', '.join(wrong)} left out, which is not what it should be")
        return run

    def events(self, name: str) -> Iterator[Event]:
        """The events of one process that are what they should be."""
        pid_text = name.removesuffix(".jsonl").partition("-")[2]
        pid = int(pid_text) if pid_text.isascii() and pid_text.isdigit() and len(pid_text) < 19 else 0
        unfit: Counter[str] = Counter()
        for event in self._lines(name):
            kind = event.get("kind")
            if kind == schema.START and event.get("schema") != schema.EVENTS_SCHEMA:
                self.problems.append(
                    f"{name} has schema {event.get('schema')!r:.80}, this xladoctor reads {schema.EVENTS_SCHEMA!r}: "
                    "events that it does not know are ignored"
                )
            if kind == schema.SETTING and isinstance(event.get("key"), int | float):
                # A mapping of the program's may have keys that are no text.
                event["key"] = str(event["key"])
            wrong = why_unfit(event)
            if wrong is None:
                event["pid"] = pid
                yield event
            else:
                unfit[f"{kind}.{wrong}" if isinstance(kind, str) else wrong] += 1
        if unfit:
            count = sum(unfit.values())
            shown = ", ".join(f"{what:.60}" for what, _ in unfit.most_common(3))
            self.problems.append(
                f"{name}: {count} event{'s' if count > 1 else ''} left out whose fields are not what they should be "
                f"({shown}); the rest was used"
            )

    def answers(self) -> Iterator[WorkerAnswer]:
        """What workers answered, as far as it is what it should be."""
        unfit = 0
        for line in self._lines("worker.jsonl", optional=True):
            answer = contents.answer_of(line)
            if answer is not None:
                yield answer
            else:
                unfit += 1
        if unfit:
            self.problems.append(
                f"worker.jsonl: {unfit} answer{'s' if unfit > 1 else ''} left out whose fields are not what they "
                "should be; the rest was used"
            )

    def _lines(self, name: str, optional: bool = False) -> Iterator[dict[str, Any]]:
        """The objects of a file with one JSON object a line."""
        torn = 0
        digest = hashlib.sha256()
        try:
            with files.opened(self._folder, name) as stream:
                while line := stream.readline(_LONGEST_LINE):
                    digest.update(line)
                    value = self._parsed(line)
                    if isinstance(value, dict):
                        yield value
                    else:
                        torn += 1
        except (OSError, files.Unusable) as error:
            if not (optional and isinstance(error, FileNotFoundError)):
                self.problems.append(
                    error.message
                    if isinstance(error, files.Unusable)
                    else f"{name} cannot be read: {error.strerror or error}"
                )
            return
        self.digests[name] = digest.hexdigest()
        if torn:
            self.problems.append(f"{name}: {torn} damaged line{'s' if torn > 1 else ''} left out; the rest was used")

    def _parsed(self, line: bytes) -> Any:
        if line.isspace():
            return None
        try:
            value = files.parsed(line, self._values)
        except ValueError:
            return None
        self._values -= line.count(b",") + 1
        return value


def _end_of(folder: Path, name: str, size: int) -> list[str]:
    try:
        with files.opened(folder, name) as stream:
            stream.seek(-min(stream.seek(0, os.SEEK_END), size), os.SEEK_END)
            return stream.read(size).decode("utf-8", "replace").split("\n")
    except (OSError, files.Unusable):
        return []
