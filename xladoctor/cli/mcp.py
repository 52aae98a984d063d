"""`xladoctor mcp`: the doctor as a server for coding agents."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from xladoctor import paths
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError
from xladoctor.extras import how_to_install

HELP = f"""{SUMMARIES["mcp"]}

The agent gets tools that read: diagnose, trace, explain and lint. What it may name are files below --root (may be
repeated), else below the current folder. With --allow-run ROOT it also gets scan, replay and preflight, which run
commands in ROOT. A command can do whatever you can do: allow it only for an agent that may run commands anyway.

Needs the extra `mcp` of the package."""

EPILOG = """\b
Examples:
  xladoctor mcp
  xladoctor mcp --root ~/study --root /scratch/runs
  xladoctor mcp --allow-run ~/study

Exit status: 0 the client went away, 2 wrong usage."""


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("mcp", help=HELP, epilog=EPILOG)(mcp)


def mcp(
    root: Annotated[
        list[Path] | None,
        typer.Option("--root", metavar="DIR", show_default=False, help="A folder whose files the agent may name."),
    ] = None,
    allow_run: Annotated[
        Path | None,
        typer.Option("--allow-run", metavar="ROOT", show_default=False, help="Let the agent run commands in ROOT."),
    ] = None,
) -> int:
    """Serves until the client goes away."""
    if find_spec("mcp") is None:
        raise XladoctorError("mcp needs the SDK of the Model Context Protocol", hint=how_to_install("mcp"))
    from xladoctor.agents.roots import Roots
    from xladoctor.agents.server import serve

    allowed = [allow_run] if allow_run is not None else []
    roots = Roots.of([*(root or ([] if allowed else [paths.here()])), *allowed])
    serve(roots, allow_run.resolve() if allow_run is not None else None)
    return 0
