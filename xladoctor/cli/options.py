"""The options that every command has, declared once, and how a command takes a group of options.

A group is a frozen dataclass whose fields are annotated as typer wants the parameters of a command. A command that is
registered with `spread` has a parameter for the whole group; the command line has an option for each of its fields.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import click
import typer

from xladoctor.cli.output import Output
from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.report import FORMATS, PAGES
from xladoctor.report.exports import EXPORTS

ENDINGS = tuple(export.ending for export in EXPORTS.values() if export.ending)


class Choice(click.Choice[str]):
    """A choice of words that says which one was probably meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word itself; anything else fails with all words and the closest."""
        if value in self.choices:
            return str(value)
        near = did_you_mean(str(value), list(self.choices))
        self.fail(f"{value!r} is none of {', '.join(self.choices)}." + (f" {near}" if near else ""), param, ctx)


def formats(known: tuple[str, ...], endings: str, otherwise: str = "console") -> Any:
    """The option `--format` of a command that writes the formats `known`."""
    return typer.Option(
        "--format",
        "-f",
        click_type=Choice(known),
        metavar="FORMAT",
        show_default=False,
        help=f"{', '.join(known)}. Default: by the ending of --output ({endings}), else {otherwise}.",
    )


def spread(command: Callable[..., int]) -> Callable[..., int]:
    """The command as typer reads it: in the place of each group of options, the options themselves. One that stands in
    several groups is one option, in its first place.
    """
    groups: dict[str, Callable[..., Any]] = {}
    names: dict[str, list[str]] = {}
    parameters: dict[str, inspect.Parameter] = {}
    # On Python 3.10, `get_type_hints` would hide what is Annotated and None by default in an Optional.
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        kind = parameter.annotation
        if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
            parameters[parameter.name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            continue
        types = get_type_hints(kind, include_extras=True)
        fields = {field.name: field.default for field in dataclasses.fields(kind)}
        groups[parameter.name], names[parameter.name] = kind, list(fields)
        for name, default in fields.items():
            option = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=types[name])
            parameters.setdefault(name, option)
    alone = parameters.keys() - {name for group in names.values() for name in group}

    def taken_together(**given: Any) -> int:
        made = {group: kind(**{name: given[name] for name in names[group]}) for group, kind in groups.items()}
        return command(**{name: given[name] for name in alone}, **made)

    taken_together.__doc__, taken_together.__name__ = command.__doc__, command.__name__
    taken_together.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    taken_together.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return taken_together


ColorOption = Annotated[
    str,
    typer.Option(
        "--color",
        click_type=Choice(("auto", "always", "never")),
        metavar="WHEN",
        help="auto, always or never. auto: on a terminal, unless NO_COLOR is set.",
    ),
]


@dataclass(frozen=True)
class Written:
    """Where a result goes. A command that writes other formats than these has a class of its own with its `format`."""

    format: Annotated[str | None, formats(FORMATS, ", ".join((".json", ".md", ".html", *ENDINGS)))] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write to FILE instead of standard output. A file that xladoctor wrote is replaced; any "
            "other one only with --force.",
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Let --output replace any file.")] = False


@dataclass(frozen=True)
class Shown(Written):
    """Where a result goes, how much of it is shown, and whether in colours."""

    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show everything.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show the one line that matters.")] = False
    color: ColorOption = "auto"

    def check(self) -> None:
        """See that the options can be meant.

        Raises:
            XladoctorError: they cannot.
        """
        if self.verbose and self.quiet:
            raise XladoctorError("--verbose and --quiet exclude each other")

    def destination(self, formats: Sequence[str] = FORMATS, format: str | None = None) -> Output:
        """Where the result goes, checked. `formats` are those of the command; `format` is taken where none was given.

        Raises:
            XladoctorError: the file cannot be written, or is somebody else's.
        """
        return Output.of(self.format or format, self.output, self.force, self.color, formats)


@dataclass(frozen=True)
class ShownPage(Shown):
    """The same for commands whose result is no diagnosis."""

    format: Annotated[str | None, formats(PAGES, ".json, .md")] = None


Search = Annotated[
    str | None,
    typer.Option(
        "--search",
        "-s",
        metavar="WORDS",
        show_default=False,
        help="List the classes whose texts contain all WORDS. An error message works, too.",
    ),
]

On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="WHERE",
        help="Where the work runs: local, dask:ADDRESS (a dask scheduler, such as dask:tcp://host:8786), or slurm (as "
        "[tool.xladoctor.cluster] describes it).",
    ),
]
