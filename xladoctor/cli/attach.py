"""`xladoctor attach`: where a program hangs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from xladoctor.cli import options
from xladoctor.cli.summaries import SUMMARIES

FORMATS = ("console", "json")
HELP = f"""{SUMMARIES["attach"]}

Shows the Python stacks of the process PID and of all that it started, innermost frame first. Of a run that xladoctor
records it also shows the last recorded calls, and the function that XLA may be compiling. Nothing is stopped or ended.

Needs the extra `attach` of the package (py-spy). What was recorded is shown without it."""

EPILOG = """\b
Examples:
  xladoctor attach 4711
  xladoctor attach 4711 --format json --output stacks.json

Exit status: 0 there is something to see, 2 there is no such process, or nothing of it could be read."""


@dataclass(frozen=True)
class Shown(options.Shown):
    """Where the stacks go."""

    format: Annotated[str | None, options.formats(FORMATS, ".json")] = None


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("attach", help=HELP, epilog=EPILOG)(options.spread(attach))


def attach(
    pid: Annotated[int, typer.Argument(metavar="PID", min=1, show_default=False, help="The process that hangs.")],
    run_dir: Annotated[
        Path | None,
        typer.Option(
            "--run-dir",
            metavar="DIR",
            show_default=False,
            help="Its run folder, if its environment does not name it.",
        ),
    ] = None,
    *,
    shown: Shown,
) -> int:
    """Looks once, and shows what was found."""
    from xladoctor.attach.look import look

    shown.check()
    target = shown.destination(FORMATS)
    found = look(pid, run_dir)
    if target.format == "json":
        import json

        from xladoctor.report.json_ import plain

        target.write(json.dumps(plain(found), indent=1) + "\n")
    else:
        from xladoctor.attach.text import as_console

        target.write(as_console(found, target.page(), shown.verbose))
    return 0 if found.recorded is not None or any(process.threads for process in found.processes) else 2
