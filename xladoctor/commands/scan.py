"""What `scan -- CMD` and `trace -- CMD` do, without a command line: run a command and diagnose it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from xladoctor import paths
from xladoctor.errors import XladoctorError
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.saved import scan_run, trace_run

if TYPE_CHECKING:
    from xladoctor.commands import second_runs
    from xladoctor.experiments.overlay import Listing
    from xladoctor.model.survey import Survey, Target
    from xladoctor.model.trace import Trace
    from xladoctor.survey.collect import Progress

# The status that coreutils' `timeout` gives.
TIMED_OUT = 124
MAX_SIZE = 1 << 30
_REMOVED = "the run folder was removed while the command ran: what had been recorded in it is lost"


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
    verify: bool = False
    """Try remedies on the call that failed."""
    flip: tuple[str, ...] = ()
    """Switches that are to be tried in their other position, in rehearsals after the run ("all": every one)."""
    only: tuple[str, ...] = ()
    """The recorders to be used (`schema.PROBES`); none named: all of them."""
    capture: str | None = None
    """What capsules hold: values (also where nothing is said), specs, or none for no capsules."""
    max_size: int = MAX_SIZE
    """Bytes that the run folder may take: the logs a sixteenth each, the rest for what the probes record."""
    check_budget: float | None = None
    """Seconds for comparing compiled functions with plain execution; None: as many as the run allows, 0: none."""
    edit_budget: float | None = None
    """Seconds for trying small edits of the sources on a copy, after a failure; None: none is tried."""
    retrace: bool = False
    """Run the command again after a failure, and record the shapes after each line."""
    every: bool = False
    """Ask the worker about every watched call, not about those that failed or lost rows alone (for `trace`)."""


@dataclass(frozen=True)
class ScanResult:
    """The diagnosis of a command, its run folder, and the command's own status (negative: the signal that ended it)."""

    diagnosis: Diagnosis
    run_dir: Path
    target_status: int
    interrupted: bool = False
    """A signal to the doctor ended the command."""


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
    from xladoctor import target
    from xladoctor.commands import second_runs
    from xladoctor.recording import mark, run_folder

    command = target.with_python(command, options.python)
    program = target.resolve(command, os.environ)
    folder = run_folder.new_folder(options.run_dir)
    env = _environment(folder, options)
    same_folder = run_folder.identity(folder)
    facts: dict[str, Any] = {**run_folder.run_facts(command), "flags": _flags_before_the_start(program, env)}
    run_folder.write_if_possible(folder / "run.json", {**facts, "outcome": {"state": "running"}})
    listing = None
    if options.flip or options.edit_budget is not None or options.retrace:
        from xladoctor.experiments import overlay

        # Rehearsals come after the run, and must find the folder as it was before.
        listing = overlay.look(paths.here())
    sys.stdout.flush()
    sys.stderr.flush()
    run = target.run(
        command,
        env=env,
        folder=folder,
        timeout=options.timeout,
        stdout=_descriptor(sys.stdout if options.passthrough == "stdout" else sys.stderr),
        stderr=_descriptor(sys.stderr),
        log_share=_log_share(options),
    )
    outcome = run_folder.with_probes(run.outcome, folder, options.probes)
    facts |= {"pid": run.pid, "started": run.started, "ended": run.ended}
    facts |= {"outcome": {k: v for k, v in asdict(outcome).items() if k != "command"}}
    problems = [] if run_folder.identity(folder) == same_folder else [_REMOVED]
    problems += run_folder.write_if_possible(folder / "run.json", facts)
    mark.sign(folder)
    run.written_down()
    say = _Progress(options.quiet)
    ran = second_runs.Ran(folder, facts, command, say)
    if outcome.state != "interrupted":
        _say_what_is_known(folder, facts, options, say)
        _look_closer(ran, listing, options)
    diagnosis = scan_run(folder, facts)
    if options.edit_budget is not None and listing is not None and outcome.state != "interrupted":
        diagnosis = second_runs.edit(diagnosis, ran, listing, options.edit_budget)
    if diagnosis.problems and outcome.state != "exited":
        # What an abort leaves half-written is a fact about this run, not bad input.
        diagnosis = replace(diagnosis, notes=(*diagnosis.notes, *diagnosis.problems), problems=())
    status = run.outcome.code if run.outcome.code is not None else -_signal_number(run.outcome.signal)
    if outcome.state == "timed-out":
        status = TIMED_OUT  # the signal was the doctor's own
    problems += write_reports(diagnosis, folder, status)
    mark.sign_more(folder, "diagnosis.json", "blocker.md")
    diagnosis = replace(diagnosis, notes=(*diagnosis.notes, *problems))
    return ScanResult(diagnosis, folder, status, interrupted=outcome.state == "interrupted")


def _say_what_is_known(folder: Path, facts: dict[str, Any], options: ScanOptions, say: _Progress) -> None:
    """The verdict of the recording alone, before what a worker is asked takes its seconds."""
    if not say.on or not options.replay:
        return
    from xladoctor.report.headline import headline

    known = scan_run(folder, facts)
    what = f": {known.root.code} {known.root.slug}: {headline(known.root)}" if known.root is not None else " so far"
    say(f"{known.verdict}{what}; now the results are checked; Ctrl-C skips that")


def write_reports(diagnosis: Diagnosis, folder: Path, target_status: int) -> list[str]:
    """Write `diagnosis.json` and `blocker.md`; return what could not be written, and why."""
    from xladoctor import excerpts
    from xladoctor.recording import files
    from xladoctor.report import View, render

    view = View(run_dir=str(folder), target_status=target_status, excerpts=excerpts.of(diagnosis, folder))
    problems: list[str] = []
    for name, form in (("diagnosis.json", "json"), ("blocker.md", "markdown")):
        text = render(diagnosis, form, None, view)
        try:
            with files.create(folder, name) as file:
                file.write(text.encode("utf-8", "replace"))
        except (OSError, files.Unusable) as error:
            why = error.strerror if isinstance(error, OSError) else None
            problems.append(f"{name} could not be written: {why or error}")
            if not isinstance(error, FileExistsError):
                with contextlib.suppress(OSError):
                    (folder / name).unlink()
    return problems


def _environment(folder: Path, options: ScanOptions) -> dict[str, str]:
    """The target's environment: the caller's, with what the probes must know."""
    from xladoctor.experiments.analyse import target_environment
    from xladoctor.recording.schema import schema

    if options.probes:
        _hand_over_places(folder)
        env = target_environment(os.environ, folder, options.only, options.capture)
        env[schema.ENV_MAX_SIZE] = str(options.max_size - 2 * _log_share(options))
    else:
        env = {**os.environ, "XLADOCTOR_PROBES": "0"}
    # A crash or a time-out then leaves the Python stacks in stderr.log.
    env.setdefault("PYTHONFAULTHANDLER", "1")
    return env


def _log_share(options: ScanOptions) -> int:
    """The bytes that each of the two logs may take; the rest of the bound is for what the probes record."""
    return options.max_size // 16


def _descriptor(stream: IO[str]) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None  # a stream that is no file: only the log is kept


def _look_closer(ran: second_runs.Ran, listing: Listing | None, options: ScanOptions) -> None:
    """Ask workers, rehearse, try remedies, as the options say. What goes wrong here costs these answers alone."""
    from xladoctor.commands import second_runs
    from xladoctor.recording import mark
    from xladoctor.recording.schema import schema

    folder = ran.folder
    if options.replay:
        second_runs.ask_workers(ran, options.every, options.check_budget)
        second_runs.first_nan(ran, options.check_budget)
    mark.sign_more(folder, "worker.jsonl", "worker.log", schema.FIRST_NAN_FILE)
    if listing is not None and options.flip:
        second_runs.flip(ran, options.flip, listing, options.capture not in ("specs", "none"))
    if listing is not None and options.retrace:
        second_runs.retrace(ran, listing)
    if options.verify:
        verify_run(folder, options.quiet)
    mark.sign_more(folder, "flips.json", "rehearsals")


def _flags_before_the_start(program: str, env: Mapping[str, str]) -> list[dict[str, str]]:
    """What is wrong with the flags that the command is about to get; said now, since TensorFlow may end it for them."""
    from xladoctor.recording.flags import FLAG_VARIABLES, libraries_of, problems

    if not any(env.get(name) for name in FLAG_VARIABLES):
        return []
    found = problems(env, libraries_of(program, env))
    for problem in found:
        ends = "" if problem.kind == "duplicate" else " (TensorFlow ends the process at such a flag)"
        sys.stderr.write(f"xladoctor: {problem.variable}: {problem.flag}: {problem.message}{ends}\n")
    return [asdict(problem) for problem in found]


def trace_command(command: Sequence[str], options: ScanOptions) -> TraceResult:
    """Run `command` as `scan_command` does, ask a worker about every watched call, and trace its shapes.

    Raises:
        XladoctorError: as `scan_command`.
    """
    # Values are what a branch goes by: of a call that is run again to be looked at, its own are kept.
    done = scan_command(command, replace(options, every=True, capture=options.capture or "all", check_budget=0.0))
    return TraceResult(trace_run(done.run_dir), done.run_dir, done.target_status)


def survey(
    targets: Sequence[Target], jobs: int | None = None, progress: Progress | None = None, on: str = "local"
) -> Survey:
    """Diagnose many runs and group them by root cause. What cannot be read is a problem of the survey. `on` is where
    they are read (`local`, `dask:ADDRESS`, `slurm`).

    Raises:
        XladoctorError: (exit code 2) none of them can be read.
    """
    from xladoctor.cluster.opened import opened
    from xladoctor.model.survey import Run
    from xladoctor.survey.collect import collect
    from xladoctor.survey.table import survey as grouped

    with opened(on, jobs) as cluster:
        if cluster is None:
            results = collect(targets, jobs, progress)
        else:
            results = collect(targets, cluster.slots, progress, lambda: cluster.executor)
    runs = [result for result in results if isinstance(result, Run)]
    problems = [result for result in results if isinstance(result, str)]
    if not runs:
        raise XladoctorError("\n".join(problems))
    return grouped(runs, problems)


def verify_run(folder: Path, quiet: bool = False) -> None:
    """Try remedies on the call that failed in a recorded run; the results go into `replays/` of its folder, where every
    later diagnosis finds them. Says why, where nothing can be tried.
    """
    from xladoctor.experiments.request import Options
    from xladoctor.experiments.session import replay
    from xladoctor.workers.subject import find

    try:
        replay(find(str(folder), None), Options(verify=True), _Progress(quiet))
    except XladoctorError as error:
        sys.stderr.write(f"xladoctor: no remedy was tried: {_line(str(error))}\n")


def _hand_over_places(folder: Path) -> None:
    """Give the probes the user's own places; say what is wrong with them before the target starts."""
    from xladoctor.experiments import places

    found = places.find(paths.here())
    for problem in found.problems:
        sys.stderr.write(f"xladoctor: {_line(problem)}\n")
    places.write(found, folder)


def _line(text: str) -> str:
    from xladoctor.report.text import line

    return line(text)


def _signal_number(name: str | None) -> int:
    import signal

    try:
        return int(signal.Signals[name]) if name else 1
    except KeyError:
        return 1


class _Progress:
    """One line on standard error for each long step, on a terminal only."""

    def __init__(self, quiet: bool) -> None:
        self.on = not quiet and sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        if self.on:
            sys.stderr.write(f"xladoctor: {_line(text)}\n")
