"""Does a switch change anything? The command is rehearsed with the switch as it is and flipped, and compared.

Compared are the graphs of every function that was traced, and what every call gave that was given the same
(`flip_numbers`). Where numbers differ, the command is rehearsed once more as it is: what differs then is random.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from xladoctor import protocol, secrets
from xladoctor.diagnosis.order import SWITCH_PARTS, is_switch
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.reads import histories
from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.experiments import flip_numbers, overlay
from xladoctor.experiments.rehearse import came_to_its_end, rehearse
from xladoctor.model.flips import WORDS, ComparedFunction, ComparedNumbers, Flip, JudgedPositions, Replaced, Switch
from xladoctor.recording import files
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import probes_dir, schema
from xladoctor.sources.positions import reading
from xladoctor.workers.environment import interpreter, worker_environment

Digest = Callable[[Path], "protocol.answers.Digest | None"]
Judge = Callable[[Path, Path], "protocol.answers.Judgement"]

_DIGEST_TIMEOUT = 120.0
_FLAGS = ("TF_XLA_FLAGS", "XLA_FLAGS")
_MOST_JUDGED = 6
_WHOLE = 120.0
"""A run that took no longer, in seconds, is rehearsed whole; of others two batches of each epoch are run."""

TWINS: dict[str, Any] = {"parts": SWITCH_PARTS, "without": _FLAGS, "words": WORDS}
"""What a rehearsal must know to find the switches that a step reads (`probes.record.twins`)."""


def switches(recording: Recording) -> list[Switch]:
    """The switches of the run that have two positions: environment variables and settings about XLA or compilation,
    and the environment variables by which the program's own lines decide something.
    """
    found: dict[str, Switch] = {}
    for history in histories(recording):
        if not is_switch(history.key) or history.key in _FLAGS:
            continue
        events = sorted((*history.writes, *history.reads), key=lambda e: int(e["seq"]))
        value = next((e["value"] for e in reversed(events) if e["action"] != "delete"), None)
        other = _other(value, history.store)
        if other is not None:
            switch = Switch(history.store, history.key, value, other)
            found.setdefault(switch.name, switch)
    for start in recording.of_kind(schema.START)[:1]:
        for key, value in (start.get("environment") or {}).items():
            other = _other(value, "env")
            if is_switch(key) and key not in _FLAGS and other is not None:
                found.setdefault(f"env:{key}", Switch("env", key, value, other))
    for switch in _own(recording):
        found.setdefault(switch.name, switch)
    return list(found.values())


def _own(recording: Recording) -> Iterator[Switch]:
    """Environment variables that the program's own lines read and test. A default that the program has written in its
    source counts as its value.
    """
    pid = recording.run.get("pid")
    for history in histories(recording):
        if history.store != "env" or history.pid != pid or history.key in _FLAGS or not history.reads:
            continue
        where = history.reads[0].get("where") or {}
        source = source_of(recording, str(where.get("file")))
        read = reading(source, history.key) if source is not None else None
        if read is None or not read.uses:
            continue
        written = [str(w["value"]) for w in history.writes if w["action"] == "write"]
        value = written[-1] if written else history.reads[-1]["value"]
        other = read.other(value, written)
        if other is not None:
            yield Switch("env", history.key, read.default if value is None else value, other, read)


def chosen(recording: Recording, names: Sequence[str]) -> list[Switch]:
    """The switches that the user named; `all` are all of them.

    Raises:
        XladoctorError: one is not a switch of this run.
    """
    known = switches(recording)
    if "all" in names:
        # What is not set in this run is a question of its own, to be asked by name.
        return [s for s in known if s.value is not None or s.reading is not None]
    picked = []
    for name in names:
        match = [s for s in known if name in (s.name, s.key, f"{s.store}.{s.key}")]
        if not match:
            hint = did_you_mean(name, [s.key for s in known])
            raise XladoctorError(
                f"--flip {name}: this run has no switch of that name with two positions",
                hint=hint or ("Switches of this run: " + (", ".join(s.name for s in known) or "none") + "."),
            )
        picked += match
    return picked


def flip(
    recording: Recording,
    names: Sequence[str],
    *,
    command: Sequence[str],
    listing: overlay.Listing,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    values: bool = True,
) -> None:
    """Rehearse the command with each named switch flipped; what came of it goes into `flips.json` of the run folder.

    `values`: whether rehearsals may keep what functions were given, so that a worker can run them in float64.

    Raises:
        XladoctorError: one of `names` is no switch of this run.
    """
    from xladoctor.workers.worker import Worker, WorkerError

    picked = chosen(recording, names)
    python = interpreter(recording)
    rows: list[Flip] = []
    if python is None:
        write(recording, rows)
        return
    trials = _Trials(recording, command, listing, environment, "values" if values else "specs")
    if not picked and "all" not in names:
        return
    say("rehearsing with all switches as they are")
    control = trials.run("0-control", {})
    with Worker(python, probes_dir(), worker_environment(environment), None, recording.folder / "worker.log") as worker:

        def digest(folder: Path) -> protocol.answers.Digest | None:
            return worker.ask(protocol.requests.DigestGraph(capsule=str(folder)), timeout=_DIGEST_TIMEOUT)

        for number, switch in enumerate(picked, 1):
            say(f"rehearsing with {switch.name} = {switch.other!r} ({number} of {len(picked)})")
            again = trials.run(f"{number}-{switch.key}", {switch.name: switch.other})
            try:
                row = compared(recording, switch, again, digest)
            except WorkerError as error:
                row = replace(_told(switch, again), error=str(error))
            found = trials.numbers(control, again)
            if found.parting is not None:

                def judge(one: Path, other: Path) -> protocol.answers.Judgement:
                    asked = protocol.requests.JudgePositions(capsule=str(one), other=str(other))
                    return worker.ask(asked, timeout=_DIGEST_TIMEOUT)

                with contextlib.suppress(WorkerError):
                    found = replace(found, judged=_judged(control, again, judge))
            rows.append(replace(row, numbers=found))
    replaced = flip_numbers.defaulted(control)
    write(recording, rows, [replace(d, file=str(listing.root / d.file)) for d in replaced])


class _Trials:
    """The rehearsals of one command, each of which runs as far as the others."""

    def __init__(
        self,
        recording: Recording,
        command: Sequence[str],
        listing: overlay.Listing,
        environment: Mapping[str, str],
        capture: str,
    ) -> None:
        outcome = recording.outcome
        seconds = outcome.seconds if outcome is not None and outcome.seconds else 0.0
        self._batches = None if seconds <= _WHOLE else 2
        self._recording, self._command, self._listing, self._environment = recording, command, listing, environment
        self._capture = capture
        self._repeated: Recording | None = None

    def run(self, name: str, force: Mapping[str, Any]) -> Recording:
        """One rehearsal, with settings held at a value."""
        return rehearse(
            self._command,
            listing=self._listing,
            folder=self._recording.folder / "rehearsals" / name,
            environment=self._environment,
            force=force,
            batches=self._batches,
            returns=True,
            capture=self._capture,
            timeout=time_limit(self._recording),
        )

    def numbers(self, control: Recording, again: Recording) -> ComparedNumbers:
        """How the numbers of two rehearsals differ; what differs between two alike is left out.

        A program that printed the very numbers of the run again draws no others by chance: no third one is needed.
        """
        found = flip_numbers.numbers(control, again)
        if found.parting is None and found.printed is None:
            return found
        if self._batches is None and flip_numbers.prints_the_same(self._recording, control):
            return found
        if self._repeated is None:
            self._repeated = self.run("0-repeated", {})
        return flip_numbers.numbers(control, again, self._repeated)


def write(recording: Recording, rows: Sequence[Flip], defaulted: Sequence[Replaced] = ()) -> None:
    """Write `flips.json`; there must be none yet."""
    document = {
        "schema": schema.FLIPS_SCHEMA,
        "flips": protocol.codec.to_json(rows),
        "defaulted": protocol.codec.to_json(defaulted),
    }
    with files.create(recording.folder, schema.FLIPS_FILE) as file:
        file.write((json.dumps(secrets.of_strings(document), indent=1) + "\n").encode())


def compared(run: Recording, switch: Switch, again: Recording, digest: Digest) -> Flip:
    """The functions of the run, in the order of their traces, each beside its twin of the rehearsal `again`: the
    function of that name that was traced as often before. `digest` is asked for the graph of a capsule's folder.
    """
    twins: dict[str, list[dict[str, Any]]] = {}
    for trace in top_level(again):
        twins.setdefault(str(trace.get("python_name")), []).append(trace)
    stepped = {e.get("capsule") for e in run.of_kind(schema.CALL)}
    rows = []
    for trace in top_level(run):
        same_name = twins.get(str(trace.get("python_name")))
        row = ComparedFunction(trace.get("python_name"), trace["capsule"], trace["capsule"] in stepped, same=None)
        if same_name:
            twin = same_name.pop(0)
            a, b = (
                digest(r.folder / "capsules" / Path(str(t["capsule"])).name) for r, t in ((run, trace), (again, twin))
            )
            if a is not None and b is not None:
                pairs = ((a.nodes, b.nodes), (a.compiled, b.compiled))
                row = replace(row, same=a.digest == b.digest, nodes=pairs[0], compiled=pairs[1])
        rows.append(row)
    return replace(_told(switch, again), functions=tuple(rows))


def _judged(control: Recording, again: Recording, judge: Judge) -> JudgedPositions | None:
    """Which position rounding has spoilt, by the first pair of functions that give other numbers on the same inputs:
    one function traced in both positions, or two that stand for each other. None where no pair shows it.
    """
    sides = []
    for recording in (control, again):
        kept = {str(e["capsule"]) for e in recording.of_kind(schema.FIRST_CALL) if e.get("kept")}
        sides.append([t for t in top_level(recording) if str(t["capsule"]) in kept])
    for one, other in _pairs(*sides):
        folders = [r.folder / "capsules" / Path(str(t["capsule"])).name for r, t in ((control, one), (again, other))]
        found = judge(*folders)
        if found.apart and found.exact is not None:
            return JudgedPositions(str(one.get("python_name")), found.wrong, found.exact, tuple(found.lost))
    return None


def _pairs(a: Sequence[dict[str, Any]], b: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Functions of the same name in the order of their traces, then what is left on either side; the first few."""
    rest = list(b)
    alone = []
    pairs = []
    for trace in a:
        twin = next((t for t in rest if t.get("python_name") == trace.get("python_name")), None)
        if twin is None:
            alone.append(trace)
        else:
            rest.remove(twin)
            pairs.append((trace, twin))
    yield from [*pairs, *zip(alone, rest, strict=False)][:_MOST_JUDGED]


def _told(switch: Switch, again: Recording) -> Flip:
    ended = came_to_its_end(again)
    return Flip(
        switch.name,
        switch.store,
        switch.key,
        switch.value,
        switch.other,
        ended=ended,
        reading=switch.reading,
        why=None if ended else _why(again),
    )


def _why(recording: Recording) -> str:
    """How a rehearsal ended that did not come to its end."""
    uncaught = [e for e in recording.of_kind(schema.FAILURE) if e.get("state") == "uncaught"]
    if uncaught:
        return f"{uncaught[-1].get('exception')}: {uncaught[-1].get('message')}"[:300]
    outcome = recording.outcome
    return "how it ended is not known" if outcome is None else f"{outcome.state} {outcome.signal or outcome.code}"


def top_level(recording: Recording) -> list[dict[str, Any]]:
    """The traces of the run's own process that have a capsule and are in no other function."""
    pid = recording.run.get("pid")
    return [
        e for e in recording.of_kind(schema.TRACE) if e.get("parent") is None and e.get("capsule") and e["pid"] == pid
    ]


def _other(value: Any, store: str) -> Any:
    if isinstance(value, bool):
        return not value
    if store != "env":
        return None
    if value in (None, ""):
        return "1"
    return WORDS.get(str(value).strip().lower())


def time_limit(recording: Recording) -> float:
    """How long a rehearsal may take, in seconds: as long as the run itself and a minute, at least five minutes."""
    outcome = recording.outcome
    seconds = outcome.seconds if outcome is not None and outcome.seconds else 0.0
    return max(300.0, seconds + 60.0)
