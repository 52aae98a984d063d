"""`xladoctor lsp`: the language server, which an editor starts."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError
from xladoctor.extras import how_to_install

HELP = f"""{SUMMARIES["lsp"]}

It speaks the Language Server Protocol over standard input and output: what lint finds in the open files, its safe
fixes as code actions, and the explanation of a code on hover. Nothing is imported or run.

Needs the extra `lsp` of the package."""

EPILOG = """\b
Examples:
  xladoctor lsp

docs/editors.md has the settings of editors. Exit status: 0 the editor said so, 2 wrong usage."""


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("lsp", help=HELP, epilog=EPILOG)(lsp)


def lsp(
    stdio: Annotated[
        bool,
        typer.Option(
            "--stdio", help="Accepted because some editors add it; the server always uses standard input and output."
        ),
    ] = False,
) -> int:
    """Serves until the editor ends it."""
    if find_spec("pygls") is None:
        raise XladoctorError("lsp needs the library pygls", hint=how_to_install("lsp"))
    from xladoctor.editors.server import serve

    serve()
    return 0
