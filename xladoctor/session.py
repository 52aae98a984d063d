"""What the commands do, without a command line: run and diagnose a command, a log, a run folder."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from xladoctor.diagnosis.model import Diagnosis
from xladoctor.errors import XladoctorError
from xladoctor.evidence.model import Evidence, LogEvidence, ProcessOutcome

if TYPE_CHECKING:
    from xladoctor.diagnosis.trace import Trace
    from xladoctor.diagnosis.trace_diff import TraceDiff

DEFAULT_FOLDER = "xladoctor-runs"


@dataclass(frozen=True)
class ScanOptions:
    """How a command is to be run and looked at."""

    run_dir: Path | None = None
    timeout: float | None = None
    python: str | None = None
    probes: bool = True
    replay: bool = True
    passthrough: Literal["stdout", "stderr"] = "stdout"
    quiet: bool = False
    every: bool = False
    """Ask the worker about every watched call, not about those that failed or lost rows alone (for `trace`)."""


@dataclass(frozen=True)
class ScanResult:
    """The diagnosis of a command, its run folder, and the command's own status (negative: the signal that ended it)."""

    diagnosis: Diagnosis
    run_dir: Path
    target_status: int


@dataclass(frozen=True)
class TraceResult:
    """The trace of a command, its run folder, and the command's own status (negative: the signal that ended it)."""

    trace: Trace
    run_dir: Path
    target_status: int


def scan_command(command: Sequence[str], options: ScanOptions) -> ScanResult:
    """Run `command` with the probes in it and diagnose it.

    Raises:
        XladoctorError: exit code 3 where it could not be run, 2 where the run folder cannot be made.
    """
    from xladoctor.replay import target
    from xladoctor.replay.analyse import ask_workers, target_environment

    command = _with_python(command, options.python)
    target.resolve(command, os.environ)
    folder = _new_folder(options.run_dir)
    env = target_environment(os.environ, folder) if options.probes else {**os.environ, "XLADOCTOR_PROBES": "0"}
    env.setdefault("PYTHONUNBUFFERED", "1")
    # A crash or a time-out then leaves the Python stacks in stderr.log.
    env.setdefault("PYTHONFAULTHANDLER", "1")
    facts: dict[str, Any] = _run_facts(command)
    _write_json(folder / "run.json", {**facts, "outcome": {"state": "running"}})
    out: IO[bytes] = sys.stdout.buffer if options.passthrough == "stdout" else sys.stderr.buffer
    sys.stdout.flush()
    sys.stderr.flush()
    run = target.run(command, env=env, folder=folder, timeout=options.timeout, stdout=out, stderr=sys.stderr.buffer)
    outcome = _with_probes(run.outcome, folder, options.probes)
    facts |= {"pid": run.pid, "started": run.started, "ended": run.ended}
    _write_json(
        folder / "run.json",
        {**facts, "outcome": {k: v for k, v in asdict(outcome).items() if k != "command"}},
    )
    say = _Progress(options.quiet)
    if options.replay:
        from xladoctor.evidence.run import read_run

        ask_workers(read_run(folder), os.environ, say, every=options.every)
    diagnosis = scan_run(folder)
    if diagnosis.problems and outcome.state != "exited":
        # What an abort leaves half-written is a fact about this run, not bad input.
        diagnosis = replace(diagnosis, notes=(*diagnosis.notes, *diagnosis.problems), problems=())
    status = run.outcome.code if run.outcome.code is not None else -_signal_number(run.outcome.signal)
    _write_reports(diagnosis, folder, status)
    return ScanResult(diagnosis, folder, status)


def trace_command(command: Sequence[str], options: ScanOptions) -> TraceResult:
    """Run `command` as `scan_command` does, ask a worker about every watched call, and trace its shapes.

    Raises:
        XladoctorError: as `scan_command`.
    """
    done = scan_command(command, replace(options, every=True))
    return TraceResult(trace_run(done.run_dir), done.run_dir, done.target_status)


def trace_run(folder: Path) -> Trace:
    """The shapes at the places of a recorded run, from what is in its folder. Writes nothing.

    Raises:
        XladoctorError: (exit code 2) it is no run folder.
    """
    from xladoctor.diagnosis.trace import trace
    from xladoctor.evidence.run import read_run

    return trace(read_run(folder))


def diff_runs(a: Path, b: Path) -> TraceDiff:
    """Two recorded runs side by side. Writes nothing.

    Raises:
        XladoctorError: (exit code 2) one of them is no run folder.
    """
    from xladoctor.diagnosis.trace_diff import diff

    return diff(trace_run(a), trace_run(b))


def scan_logs(logs: Sequence[Path | str]) -> Diagnosis:
    """Diagnose saved output; `-` is standard input.

    Raises:
        XladoctorError: (exit code 2) a log cannot be read, or is empty.
    """
    from xladoctor.diagnosis.engine import diagnose
    from xladoctor.evidence.log import UnreadableLog, read_log

    streams = [sys.stdin.buffer if str(log) == "-" else Path(log) for log in logs]
    try:
        log = read_log(streams, name="standard input" if "-" in [str(s) for s in logs] else None)
    except UnreadableLog as error:
        raise XladoctorError(f"{error.path}: {error.reason}") from error
    binary = log.facts.get("binary", {})
    if binary and not log.records:
        raise XladoctorError(f"{', '.join(binary)}: is binary, not the text of a log")
    notes = tuple(f"{name} is not all text: what could be read of it was used" for name in binary)
    notes += tuple(
        f"{name} ends early ({why}): the rest was used" for name, why in log.facts.get("damaged", {}).items()
    )
    return diagnose(Evidence(source=log.source, log=log, notes=notes))


def scan_run(folder: Path) -> Diagnosis:
    """Diagnose a run folder from what is in it. Writes nothing.

    Raises:
        XladoctorError: (exit code 2) it is no run folder.
    """
    from xladoctor.diagnosis.engine import diagnose
    from xladoctor.evidence.run import read_run

    recording = read_run(folder)
    log = _output_of(folder, recording.of_kind("failure"))
    return diagnose(Evidence(source=str(folder), log=log, process=recording.outcome, run=recording))


def _output_of(folder: Path, failures: list[dict[str, Any]]) -> LogEvidence:
    """The target's output as log evidence, with recorded exceptions that it never printed."""
    import io

    from xladoctor.evidence.log import read_log

    files = [f for f in (folder / "stdout.log", folder / "stderr.log") if f.is_file()]
    log = read_log(files, allow_empty=True) if files else LogEvidence(source=str(folder))
    # Named inside the folder: the same run must give the same words wherever the folder stands.
    inside = f"{folder}{os.sep}"
    log = replace(log, records=tuple(replace(r, where=r.where.removeprefix(inside)) for r in log.records))
    silent = [f for f in failures if f.get("state") == "raised" and not _is_printed(f, log)]
    for failure in silent:
        module = failure.get("module") or ""
        text = "Traceback (most recent call last):\n"
        for frame in failure.get("frames", ()):
            text += f'  File "{frame["file"]}", line {frame["line"]}, in {frame["function"]}\n'
        name = f"{module}.{failure['exception']}" if module not in ("", "builtins") else failure["exception"]
        text += f"{name}: {failure['message']}\n"
        extra = read_log(
            io.BytesIO(text.encode("utf-8", "replace")),
            name=f"events-{failure['pid']}.jsonl:{failure['seq']}",
        )
        log = replace(log, records=(*log.records, *extra.records))
    return log


def _is_printed(failure: dict[str, Any], log: LogEvidence) -> bool:
    lines = [line.strip() for line in str(failure.get("message", "")).splitlines() if len(line.strip()) > 12]
    first = next((n for n in lines if n != "Graph execution error:"), None)
    return first is None or any(first in r.text or r.exception == failure.get("exception") for r in log.records)


def _with_python(command: Sequence[str], python: str | None) -> tuple[str, ...]:
    """The command with `--python` in the place of a bare `python` or `python3`."""
    command = tuple(command)
    if python is None:
        return command
    if not os.access(python, os.X_OK):
        raise XladoctorError(f"--python {python}: no such interpreter", exit_code=3)
    name = command[0]
    if os.sep not in name and name.startswith("python") and name[6:].replace(".", "").isdigit() | (name == "python"):
        return (python, *command[1:])
    raise XladoctorError(
        f"--python {python} says which interpreter `python` is, but the command starts with {name}",
        hint="leave --python out, or write the command as: python ...",
    )


def _new_folder(wanted: Path | None) -> Path:
    """Make the run folder. One that exists and is not empty is never written into."""
    if wanted is None:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        parent = Path(DEFAULT_FOLDER)
        wanted = parent / f"{stamp}-{os.urandom(2).hex()}"
        try:
            parent.mkdir(exist_ok=True)
            ignore = parent / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise XladoctorError(
                f"cannot make {parent} here: {error.strerror or error}",
                hint="name a place with --run-dir DIR",
            ) from error
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        if any(wanted.iterdir()):
            raise XladoctorError(
                f"{wanted} is not empty: a run folder is never written into twice",
                hint="name a new folder with --run-dir, or leave it out",
            )
    except OSError as error:
        raise XladoctorError(f"cannot make the run folder {wanted}: {error.strerror or error}") from error
    return wanted.resolve()


def _run_facts(command: Sequence[str]) -> dict[str, Any]:
    import platform

    import xladoctor
    from xladoctor.evidence.environment import redacted, redacted_text
    from xladoctor.evidence.schema import schema

    return {
        "schema": schema.RUN_SCHEMA,
        "tool_version": xladoctor.__version__,
        "command": [redacted_text(word) for word in command],
        "cwd": str(Path.cwd()),
        "host": {"system": platform.system(), "machine": platform.machine(), "cpus": os.cpu_count()},
        "environment": redacted(os.environ),
    }


def _with_probes(outcome: ProcessOutcome, folder: Path, wanted: bool) -> ProcessOutcome:
    """Say whether the probes recorded, and if not, why."""
    if not wanted:
        return replace(outcome, probes="off", probes_note="--no-probes")
    if any(folder.glob("events-*.jsonl")):
        return replace(outcome, probes="recorded")
    return replace(outcome, probes="absent", probes_note=_why_absent(outcome.command))


def _why_absent(command: Sequence[str]) -> str:
    name = Path(command[0]).name
    if not name.startswith("python"):
        return f"{name} started no Python that loads sitecustomize from PYTHONPATH"
    for word in command[1:]:
        if not word.startswith("-") or word in ("-m", "-c"):
            break
        if not word.startswith("--"):
            for letter, why in (
                ("I", "isolated mode"),
                ("E", "PYTHON* variables are ignored"),
                ("S", "no site module"),
            ):
                if letter in word[1:]:
                    return f"python -{letter} ({why}) does not load them; run the command without -{letter}"
    return "this interpreter did not load sitecustomize from PYTHONPATH"


def _write_reports(diagnosis: Diagnosis, folder: Path, target_status: int) -> None:
    from xladoctor.report import View, render

    view = View(run_dir=str(folder), target_status=target_status)
    for name, form in (("diagnosis.json", "json"), ("blocker.md", "markdown")):
        text = render(diagnosis, form, None, view)
        with (folder / name).open("x", encoding="utf-8") as file:
            file.write(text)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    temporary.replace(path)


def _signal_number(name: str | None) -> int:
    import signal

    try:
        return int(signal.Signals[name]) if name else 1
    except KeyError:
        return 1


class _Progress:
    """One line on standard error for each long step, on a terminal only."""

    def __init__(self, quiet: bool) -> None:
        self._on = not quiet and sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        if self._on:
            sys.stderr.write(f"xladoctor: {text}\n")
