"""`xladoctor env`: versions, the target's interpreter, and the flags that are set."""

from __future__ import annotations

from typing import Annotated

import typer

from xladoctor.cli import options
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.report import PAGES

HELP = f"""{SUMMARIES["env"]}

The target's packages are read from their metadata; TensorFlow is not imported. Secrets are not shown."""

EPILOG = """\b
Examples:
  xladoctor env
  xladoctor env --python python3 --format json"""


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("env", help=HELP, epilog=EPILOG)(options.spread(env))


def env(
    python: Annotated[
        str | None,
        typer.Option(
            "--python",
            metavar="PATH",
            show_default=False,
            help="The interpreter of the program. Default: this one.",
        ),
    ] = None,
    *,
    shown: options.ShownPage,
) -> int:
    """Looks and shows."""
    import os
    import platform

    import xladoctor
    from xladoctor.cli import env_text, variables
    from xladoctor.recording import interpreter

    target = shown.destination(PAGES)
    asked = interpreter.ask(python)
    libraries = variables.tensorflow_libraries(asked.files.get("tensorflow"))
    found = env_text.Environment(
        xladoctor.__version__,
        platform.python_version(),
        str(xladoctor.__file__),
        asked,
        tuple(variables.relevant(os.environ, libraries)),
    )
    if target.format == "json":
        target.write(env_text.as_json(found))
    elif target.format == "markdown":
        target.write(env_text.as_markdown(found))
    else:
        target.write(env_text.as_console(found, target.page(), shown.verbose, shown.quiet))
    return 0
