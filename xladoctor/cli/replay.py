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

The subject is the failing call of a recorded run (RUN_DIR: the folder that scan -- CMD left; or one of the
capsules in it), or --subject module:callable, which is imported from the current folder: callable(batch_size)
returns (function, arguments). Without any of the parts below the subject is swept over the sizes and, where it
fails, the failing op is isolated. Everything is kept in a new folder; an interrupted replay goes on with
--resume FOLDER."""

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
        typer.Option("--subject", metavar="MODULE:CALLABLE", show_default=False, help="A callable of yours instead."),
    ] = None
    batch_sizes: Annotated[
        str | None,
        typer.Option(
            "--batch-sizes",
            metavar="SIZES",
            show_default=False,
            help="Such as 1,4,15:17,32; a range includes both ends. Without it: the sizes that the call met.",
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
        bool, typer.Option("--exhaustive", help="Try (and with --parity compare) every size; no search.")
    ] = False
    isolate: Annotated[bool, typer.Option("--isolate", help="Find the first op that fails.")] = False
    parity: Annotated[
        bool, typer.Option("--parity", help="Compare eager, graph and XLA; a row alone with its batch.")
    ] = False
    repro: Annotated[
        Path | None,
        typer.Option("--repro", metavar="FILE", show_default=False, help="Write a script that fails the same way."),
    ] = None
    verify: Annotated[bool, typer.Option("--verify", help="Apply the remedies and tell what they do.")] = False
    platform: Annotated[
        str | None,
        typer.Option("--target", metavar="gpu", show_default=False, help="Lower the step for this device as well."),
    ] = None
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FOLDER", show_default=False, help="Go on with an interrupted replay."),
    ] = None


@dataclass(frozen=True)
class Workers:
    """What the workers may do and use."""

    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="Workers at a time.", min=1)] = 1
    min_good: Annotated[bool, typer.Option("--min-good", help="Also tell and keep the nearest case that passes.")] = (
        False
    )
    no_values: Annotated[
        bool, typer.Option("--no-values", help="Random data of the same range instead of the kept values.")
    ] = False
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Of a capsule from elsewhere: leave out ops that may touch files, network or Python, and run the rest "
            "(else it is refused).",
        ),
    ] = False
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="End a try after SECONDS; that is a result.")
    ] = 300.0
    memory: Annotated[
        float | None,
        typer.Option(
            "--memory",
            metavar="GIB",
            show_default=False,
            help="Limit of a worker's memory; beyond it a try ends, which is a result.",
        ),
    ] = None
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", show_default=False, help="The interpreter that has TensorFlow."),
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
        result = session.replay(found, wanted, progress)
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
