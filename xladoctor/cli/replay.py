"""`xladoctor replay`: run a recorded step, or a callable, again and again, and say for which sizes it fails."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from xladoctor.cli import options
from xladoctor.cli.output import Output
from xladoctor.cli.progress import Line
from xladoctor.errors import XladoctorError
from xladoctor.report import View
from xladoctor.report.replay import FORMATS, render

_INTERRUPTED = 130

HELP = """Run a subject again in worker processes: at other batch sizes, in other ways.

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


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("replay", help=HELP, epilog=EPILOG)(replay)


def replay(
    target: Annotated[
        str | None,
        typer.Argument(metavar="[RUN_DIR | CAPSULE]", show_default=False, help="A recorded run, or a capsule of it."),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option("--subject", metavar="MODULE:CALLABLE", show_default=False, help="A callable of yours instead."),
    ] = None,
    batch_sizes: Annotated[
        str | None,
        typer.Option(
            "--batch-sizes",
            metavar="SIZES",
            show_default=False,
            help="Such as 1,4,15:17,32; a range includes both ends. Without it: the sizes that the call met.",
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="NAME=A,B",
            show_default=False,
            help="Also vary: jit=on,off, eager=on,off, dtype, python=PATH, env:NAME, cfg:KEY (of params.cfg), "
            "arg:NAME (of the callable). May be given several times.",
        ),
    ] = None,
    exhaustive: Annotated[
        bool, typer.Option("--exhaustive", help="Try (and with --parity compare) every size; no search.")
    ] = False,
    isolate: Annotated[bool, typer.Option("--isolate", help="Find the first op that fails.")] = False,
    parity: Annotated[
        bool, typer.Option("--parity", help="Compare eager, graph and XLA; a row alone with its batch.")
    ] = False,
    repro: Annotated[
        Path | None,
        typer.Option("--repro", metavar="FILE", show_default=False, help="Write a script that fails the same way."),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Apply the remedies and tell what they do.")] = False,
    platform: Annotated[
        str | None,
        typer.Option("--target", metavar="gpu", show_default=False, help="Lower the step for this device as well."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FOLDER", show_default=False, help="Go on with an interrupted replay."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="Workers at a time.", min=1)] = 1,
    min_good: Annotated[
        bool, typer.Option("--min-good", help="Also tell and keep the nearest case that passes.")
    ] = False,
    no_values: Annotated[
        bool, typer.Option("--no-values", help="Random data of the same range instead of the kept values.")
    ] = False,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Of a capsule from elsewhere: leave out ops that may touch files, network or Python, and run the rest "
            "(else it is refused).",
        ),
    ] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="End a try after SECONDS; that is a result.")
    ] = 300.0,
    memory: Annotated[
        float | None,
        typer.Option(
            "--memory",
            metavar="GIB",
            show_default=False,
            help="Limit of a worker's memory; beyond it a try ends, which is a result.",
        ),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", show_default=False, help="The interpreter that has TensorFlow."),
    ] = None,
    format: Annotated[str | None, options.formats(FORMATS, ".csv, .json, .md")] = None,
    output: options.Output = None,
    force: options.Force = False,
    verbose: options.Verbose = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Sees what is to be replayed, has it replayed, and shows what came of it."""
    if verbose and quiet:
        raise XladoctorError("--verbose and --quiet exclude each other")
    if not (math.isfinite(timeout) and timeout > 0):
        raise XladoctorError(f"--timeout {timeout:g}: give a number of seconds above 0")
    if memory is not None and not (math.isfinite(memory) and memory > 0):
        raise XladoctorError(f"--memory {memory:g}: give a number of GiB above 0")
    if platform not in (None, "gpu", "cpu"):
        raise XladoctorError(f"--target {platform}: known are gpu and cpu")
    destination = Output.of(format, output, force, color, FORMATS)

    from xladoctor.experiments import request, session, sizes
    from xladoctor.experiments import vary as varying
    from xladoctor.workers import subject as subjects

    wanted = request.Options(
        sizes=sizes.parse(batch_sizes) if batch_sizes is not None else (),
        vary=varying.parse(vary or ()),
        exhaustive=exhaustive,
        isolate=isolate,
        parity=parity,
        verify=verify,
        repro=repro,
        target=platform,
        resume=resume,
        jobs=jobs,
        min_good=min_good,
        timeout=timeout,
        memory=None if memory is None else int(memory * 2**30),
    )
    if resume is not None and target is None and subject is None:
        found, wanted = request.resumed(resume, wanted)
    else:
        found = subjects.find(target, subject, python=python, values=not no_values)
    if trust:
        found = replace(found, foreign=False)
    progress = Line(sys.stderr, on=not quiet and sys.stderr.isatty())
    try:
        result = session.replay(found, wanted, progress)
    finally:
        progress.end()
    page = destination.page() if destination.format == "console" else None
    destination.write(render(result, destination.format, page, View(verbose, quiet)))
    return _INTERRUPTED if result.interrupted else result.exit_code
