"""The command line as a whole: the list of commands, and how wrong usage is told."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import click
import typer
import typer.core
import typer.main

from xladoctor import __version__
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import PipeClosed, XladoctorError, did_you_mean

EPILOG = """\b
Examples:
  xladoctor scan -- python train.py --epochs 2
  xladoctor scan train.log
  xladoctor trace -- python train.py --epochs 2
  xladoctor explain reshape-mismatch

Exit status: 0 nothing wrong, 1 findings at error level, 2 wrong usage or unreadable input, 3 the program
could not be run."""


class _Commands(typer.core.TyperGroup):
    """A group that loads a command when it is asked for, and says what was probably meant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUMMARIES:
            return None
        if cmd_name not in self.commands:
            alone = typer.Typer(add_completion=False, **_SETTINGS)
            import_module(f"xladoctor.cli.{cmd_name}").register(alone)
            self.commands[cmd_name] = typer.main.get_command(alone)
        return self.commands[cmd_name]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # As click does it, without loading the commands: that takes longer than all the rest of the help.
        room = formatter.width - 6 - max(map(len, SUMMARIES))
        rows = [(name, click.Command(name, help=said).get_short_help_str(room)) for name, said in SUMMARIES.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and self.get_command(ctx, name) is None and not name.startswith("-"):
            known = self.list_commands(ctx)
            hint = did_you_mean(name, known)
            command = args[1:] if name == "run" else args
            if name == "run" or is_command(name):
                words = shlex.join(command[1:] if command[:1] == ["--"] else command) or "python train.py"
                python = "python " if words.partition(" ")[0].endswith(".py") else ""
                hint = f"To run a command under the doctor: xladoctor scan -- {python}{words}"
            elif hint is None and Path(name).exists():
                hint = f"To diagnose it: xladoctor scan {name}"
            raise XladoctorError(f"there is no command {name!r}", hint=hint or f"Commands: {', '.join(known)}.")
        return super().resolve_command(ctx, args)


def is_command(name: str) -> bool:
    """Whether a word is a program on the PATH, or a Python file: what stands behind a `--`."""
    return name.endswith(".py") or shutil.which(name) is not None


# Rich help would double the time until the first line.
_SETTINGS: dict[str, Any] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 100},
}
app = typer.Typer(
    name="xladoctor",
    cls=_Commands,
    help="A doctor for TensorFlow/XLA runs: what failed, where, why, and what to do.",
    epilog=EPILOG,
    no_args_is_help=True,
    **_SETTINGS,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"xladoctor {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error (or set XLADOCTOR_DEBUG=1).")
    ] = False,
) -> None:
    pass


def run(args: Sequence[str]) -> int:
    """Parses `args`, runs the command and returns its exit status.

    Raises:
        XladoctorError: wrong usage, with what was probably meant.
        BrokenPipeError: nobody reads standard output any more.
    """
    command = typer.main.get_command(app)
    try:
        status = command.main(list(args), prog_name="xladoctor", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        typer.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        raise _usage(error) from error
    except click.Abort:
        raise KeyboardInterrupt from None
    except PipeClosed:
        raise BrokenPipeError from None
    except SystemExit as end:
        # What typer makes of a pipe that closed while help was written.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    return status if isinstance(status, int) else 0


_FORMATS = {"--md": "markdown"} | {
    f"--{name}": name for name in ("json", "markdown", "html", "sarif", "github", "junit", "jsonl", "csv", "gitlab")
}
"""What other tools call an output format that is a value of `--format` here."""


def _usage(error: click.ClickException) -> XladoctorError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "xladoctor"
    message = error.format_message()
    if isinstance(error, click.NoSuchOption) and context is not None:
        name = _FORMATS.get(error.option_name)
        if name is not None and any("--format" in option.opts for option in context.command.params):
            message = f"No such option '{error.option_name}'. Did you mean '--format {name}'?"
    return XladoctorError(message[:1].lower() + message[1:].rstrip(), hint=f"Try: {path} --help")
