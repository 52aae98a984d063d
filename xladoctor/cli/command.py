"""What the commands that run a program share: the program after `--`, and the options that are about running it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
import typer
import typer.core

from xladoctor.cli import options
from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.recording.schema import schema

if TYPE_CHECKING:
    from xladoctor.cli.output import Output
    from xladoctor.commands.scan import ScanOptions

_COMMAND = "xladoctor.command"
_LEAST_SIZE = 1 << 20

Python = Annotated[
    str | None,
    typer.Option(
        "--python",
        metavar="PATH",
        show_default=False,
        help="The Python interpreter of the command, if the command does not name it.",
    ),
]


@dataclass(frozen=True)
class Running:
    """How a command is run, and what is recorded of it."""

    run_dir: Annotated[
        Path | None,
        typer.Option(
            "--run-dir",
            metavar="DIR",
            show_default=False,
            help="The run folder of the command. DIR must be empty or not exist. Default: xladoctor-runs/<time>-<id>.",
        ),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", show_default=False, help="End the command after SECONDS."),
    ] = None
    python: Python = None
    flip: Annotated[
        list[str] | None,
        typer.Option(
            "--flip",
            metavar="SWITCH",
            show_default=False,
            help="After the run, rehearse the command with SWITCH as it is and in its other position, and compare "
            "graphs and numbers. SWITCH is cfg:KEY, env:NAME or all; the option can be repeated. A rehearsal writes "
            "nothing outside the run folder.",
        ),
    ] = None
    probes: Annotated[
        str | None,
        typer.Option(
            "--probes",
            metavar="LIST",
            show_default=False,
            help=f"Which recorders to use: {', '.join(schema.PROBES)}. Default: all of them.",
        ),
    ] = None
    capture: Annotated[
        str | None,
        typer.Option(
            "--capture",
            click_type=options.Choice(schema.CAPTURES),
            metavar="WHAT",
            show_default=False,
            help="What the run folder keeps of a call. values: its values if it fails; all: also the values of each "
            "step that went well; specs: no values; none: nothing. Default: values; for trace: all.",
        ),
    ] = None
    max_size: Annotated[
        str,
        typer.Option(
            "--max-size",
            metavar="SIZE",
            help="The largest size of the run folder, such as 500M or 2G. If more is recorded, the logs keep their "
            "beginning and end, the least useful recordings are left out, and the diagnosis says so.",
        ),
    ] = "1G"

    def check(self) -> None:
        """See that the options can be meant.

        Raises:
            XladoctorError: they cannot.
        """
        seconds(self.timeout, "--timeout")

    def scan_options(self, shown: options.Shown, to: Output) -> ScanOptions:
        """What these options mean for a run. Where the result is all that standard output carries, the command's own
        goes to standard error.

        Raises:
            XladoctorError: one of them means nothing.
        """
        from xladoctor.commands.scan import ScanOptions

        return ScanOptions(
            run_dir=self.run_dir,
            timeout=self.timeout,
            python=self.python,
            passthrough="stderr" if to.to_stdout and to.format != "console" else "stdout",
            quiet=shown.quiet,
            flip=tuple(self.flip or ()),
            only=recorders(self.probes),
            capture=self.capture,
            max_size=max_size(self.max_size),
        )


def options_of(*groups: type) -> list[str]:
    """The names of all options of some groups."""
    return [field.name for group in groups for field in fields(group)]


class RunsCommand(typer.core.TyperCommand):
    """Takes everything after the first `--` as the command, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses only what stands before the first `--`."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[_COMMAND] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


def given(ctx: click.Context) -> tuple[str, ...] | None:
    """The command after `--`, or None where there is no `--`."""
    command: tuple[str, ...] | None = ctx.meta.get(_COMMAND)
    return command


def checked(ctx: click.Context, command: tuple[str, ...], targets: list[str] | None, what: str) -> None:
    """See that there is a command, and nothing else to look at.

    Raises:
        XladoctorError: there is none, or `what` (logs, a run folder) was named besides.
    """
    if targets:
        raise XladoctorError(
            f"give either {what} ({targets[0]}) or a command after --, not both",
            hint="Options of the command itself come after the --.",
        )
    if not command:
        raise XladoctorError(
            "there is no command after --", hint=f"For example: xladoctor {ctx.info_name} -- python train.py"
        )


def seconds(value: float | None, option: str) -> None:
    """See that an option's number of seconds can be meant.

    Raises:
        XladoctorError: it cannot.
    """
    if value is not None and not (math.isfinite(value) and value > 0):
        raise XladoctorError(f"{option} {value:g}: give a number of seconds above 0")


def max_size(text: str) -> int:
    """The bytes that `--max-size` means.

    Raises:
        XladoctorError: it means no size, or one with which nothing could be recorded.
    """
    match = re.fullmatch(r"(\d{1,19}(?:\.\d{1,19})?)\s{0,9}([KMGT]?)(?:I?B)?", text.strip()[:40], re.IGNORECASE)
    size = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ")) if match else 0
    if size < _LEAST_SIZE:
        raise XladoctorError(f"--max-size {text[:40]}: give a size of at least 1M, such as 500M or 2G")
    return size


def recorders(probes: str | None) -> tuple[str, ...]:
    """The words of `--probes`.

    Raises:
        XladoctorError: one is no recorder, or there is none.
    """
    words = tuple(word.strip() for word in (probes or "").split(",") if word.strip())
    for word in words:
        if word not in schema.PROBES:
            near = did_you_mean(word, list(schema.PROBES))
            raise XladoctorError(
                f"--probes {word}: no such recorder", hint=near or f"Known: {', '.join(schema.PROBES)}."
            )
    if probes is not None and not words:
        raise XladoctorError("--probes names no recorder", hint="To record nothing: --no-probes.")
    return words


def only_for_commands(ctx: click.Context, *names: str) -> None:
    """Refuse options that are about running a command where there is none.

    Raises:
        XladoctorError: one was given.
    """
    for name in names:
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            option = "--" + name.replace("_", "-")
            raise XladoctorError(
                f"{option} is for a command, and there is none",
                hint=f"A command comes after --, for example: xladoctor {ctx.info_name} "
                f"{option}{'' if name.startswith('no_') else ' ...'} -- python train.py",
            )


def only_for_logs(ctx: click.Context, *names: str) -> None:
    """Refuse options that are about saved output where a command is to be run.

    Raises:
        XladoctorError: one was given.
    """
    for name in names:
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise XladoctorError(f"--{name.replace('_', '-')} is for saved output, and this is a command to run")
