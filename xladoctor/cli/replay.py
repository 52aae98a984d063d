"""`xladoctor replay`: run a recorded step, or a callable, again and again, and say for which sizes it fails."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.cli import command, options
from xladoctor.cli.progress import Line
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError
from xladoctor.report import View
from xladoctor.report.replay import FORMATS, render

if TYPE_CHECKING:
    from xladoctor.experiments.request import Options

_INTERRUPTED = 130

HELP = f"""{SUMMARIES["replay"]}

RUN_DIR is the folder that scan -- CMD wrote; its failing call is run again in worker processes. CAPSULE is one call
in it. Or name a callable of your own with --subject module:callable: it is imported from the current folder, and
callable(batch_size) returns (function, arguments). By default, replay tries batch sizes and, where the call fails,
finds the op that fails. The results go into a new folder; --resume FOLDER continues an interrupted replay."""

EPILOG = """\b
Examples:
  xladoctor replay xladoctor-runs/20260106T101500-3f2a
  xladoctor replay --batch-sizes 1,4,15:17,32 xladoctor-runs/20260106T101500-3f2a
  xladoctor replay --subject ptycho:reassemble --batch-sizes 1:4096
  xladoctor replay --subject mypkg.steps:train_step --batch-sizes 8 --vary jit=on,off --vary dtype=float32,float64

Exit status: 0 nothing failed, 1 something did, 2 wrong usage, 3 the subject could not be run, 130 interrupted."""


@dataclass(frozen=True)
class Asked:
    """The questions about the subject."""

    subject: Annotated[
        str | None,
        typer.Option(
            "--subject", metavar="MODULE:CALLABLE", show_default=False, help="Run a callable of your own instead."
        ),
    ] = None
    batch_sizes: Annotated[
        str | None,
        typer.Option(
            "--batch-sizes",
            metavar="SIZES",
            show_default=False,
            help="Such as 1,4,15:17,32; a range includes both ends. Default: the sizes that the call met.",
        ),
    ] = None
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="NAME=A,B",
            show_default=False,
            help="Also vary: jit=on,off, eager=on,off, dtype, python=PATH, env:NAME, cfg:KEY (of params.cfg), "
            "arg:NAME (of the callable). May be given several times.",
        ),
    ] = None
    exhaustive: Annotated[
        bool,
        typer.Option("--exhaustive", help="Try every size instead of searching; with --parity, compare at every size."),
    ] = False
    isolate: Annotated[bool, typer.Option("--isolate", help="Find the first op that fails.")] = False
    parity: Annotated[
        bool,
        typer.Option(
            "--parity", help="Compare eager, graph and XLA, and a row by itself with the same row in its batch."
        ),
    ] = False
    repro: Annotated[
        Path | None,
        typer.Option("--repro", metavar="FILE", show_default=False, help="Write a script that fails the same way."),
    ] = None
    verify: Annotated[bool, typer.Option("--verify", help="Apply the remedies, and report what they do.")] = False
    platform: Annotated[
        str | None,
        typer.Option("--target", metavar="gpu", show_default=False, help="Lower the step for this device as well."),
    ] = None
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FOLDER", show_default=False, help="Continue an interrupted replay."),
    ] = None


_AT_ONCE = 64
"""So many tries are under way at once on a cluster, where --jobs does not say more."""


@dataclass(frozen=True)
class Workers:
    """What the workers may do and use."""

    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="How many workers run in parallel.", min=1)] = 1
    on: options.On = "local"
    min_good: Annotated[bool, typer.Option("--min-good", help="Also report and keep the nearest case that passes.")] = (
        False
    )
    no_values: Annotated[
        bool, typer.Option("--no-values", help="Use random data of the same range instead of the recorded values.")
    ] = False
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Run a capsule that was not recorded here, without its ops that can reach files, network or Python. "
            "Without this option, such a capsule is refused.",
        ),
    ] = False
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", metavar="SECONDS", help="End a try after SECONDS. The time-out counts as its result."
        ),
    ] = 300.0
    memory: Annotated[
        float | None,
        typer.Option(
            "--memory",
            metavar="GIB",
            show_default=False,
            help="The memory that a worker may use. A try that needs more ends, and that counts as its result.",
        ),
    ] = None
    python: Annotated[
        str | None,
        typer.Option(
            "--python", metavar="PATH", show_default=False, help="The Python interpreter that has TensorFlow."
        ),
    ] = None

    def check(self) -> None:
        """See that the options can be meant.

        Raises:
            XladoctorError: they cannot.
        """
        command.seconds(self.timeout, "--timeout")
        if self.memory is not None and not (math.isfinite(self.memory) and self.memory > 0):
            raise XladoctorError(f"--memory {self.memory:g}: give a number of GiB above 0")


@dataclass(frozen=True)
class Shown(options.Shown):
    """Where the replay goes, in a format of its own."""

    format: Annotated[str | None, options.formats(FORMATS, ".csv, .json, .md")] = None


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("replay", help=HELP, epilog=EPILOG)(options.spread(replay))


def replay(
    target: Annotated[
        str | None,
        typer.Argument(metavar="[RUN_DIR | CAPSULE]", show_default=False, help="A recorded run, or a capsule of it."),
    ] = None,
    *,
    asked: Asked,
    workers: Workers,
    shown: Shown,
) -> int:
    """Sees what is to be replayed, has it replayed, and shows what came of it."""
    shown.check()
    workers.check()
    if asked.platform not in (None, "gpu", "cpu"):
        raise XladoctorError(f"--target {asked.platform}: known are gpu and cpu")
    destination = shown.destination(FORMATS)

    from xladoctor.cluster.opened import opened
    from xladoctor.experiments import request, session
    from xladoctor.workers import subject as subjects

    wanted = _wanted(asked, workers)
    if asked.resume is not None and target is None and asked.subject is None:
        found, wanted = request.resumed(asked.resume, wanted)
    else:
        found = subjects.find(target, asked.subject, python=workers.python, values=not workers.no_values)
    if workers.trust:
        found = replace(found, foreign=False)
    progress = Line(sys.stderr, on=not shown.quiet and sys.stderr.isatty())
    try:
        with opened(workers.on) as cluster:
            if cluster is not None and wanted.jobs == 1:
                wanted = replace(wanted, jobs=min(cluster.slots, _AT_ONCE))
            executor = None if cluster is None else cluster.executor
            result = session.replay(found, wanted, progress, executor)
    finally:
        progress.end()
    page = destination.page() if destination.format == "console" else None
    destination.write(render(result, destination.format, page, View(shown.verbose, shown.quiet)))
    return _INTERRUPTED if result.interrupted else result.exit_code


def _wanted(asked: Asked, workers: Workers) -> Options:
    """What the options ask for, as a replay takes it.

    Raises:
        XladoctorError: sizes or variations that mean nothing.
    """
    from xladoctor.experiments import request, sizes
    from xladoctor.experiments import vary as varying

    return request.Options(
        sizes=sizes.parse(asked.batch_sizes) if asked.batch_sizes is not None else (),
        vary=varying.parse(asked.vary or ()),
        exhaustive=asked.exhaustive,
        isolate=asked.isolate,
        parity=asked.parity,
        verify=asked.verify,
        repro=asked.repro,
        target=asked.platform,
        resume=asked.resume,
        jobs=workers.jobs,
        min_good=workers.min_good,
        timeout=workers.timeout,
        memory=None if workers.memory is None else int(workers.memory * 2**30),
    )
