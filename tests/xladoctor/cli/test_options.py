"""Groups of options: what the command line sees of them, and what the command gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from xladoctor.cli import options
from xladoctor.cli.app import app
from xladoctor.cli.summaries import SUMMARIES


@dataclass(frozen=True)
class Size:
    """One group."""

    rows: Annotated[int, typer.Option("--rows", metavar="N")] = 1
    name: Annotated[str | None, typer.Option("--name")] = None


@dataclass(frozen=True)
class Place:
    """Another one, which has an option of the first, too."""

    name: Annotated[str | None, typer.Option("--name")] = None


@pytest.fixture
def run():
    told = []

    def command(first: Annotated[str, typer.Argument()] = "", *, size: Size, place: Place) -> int:
        """What the help says."""
        told.append((first, size, place))
        return 0

    made = typer.Typer()
    made.command()(options.spread(command))

    def go(*args):
        result = CliRunner().invoke(made, list(args))
        return (result, told[-1] if told else None)

    return go


def test_a_group_is_taken_together(run):
    assert run("x", "--rows", "3", "--name", "n")[1] == ("x", Size(3, "n"), Place("n"))
    assert run()[1] == ("", Size(), Place())


def test_an_option_of_two_groups_is_offered_once(run):
    text = run("--help")[0].output
    assert "What the help says." in text and text.count("--name") == 1


# What they write goes to a client, by its protocol.
SERVERS = ("mcp", "lsp")


@pytest.mark.parametrize("name", [name for name in SUMMARIES if name not in SERVERS])
def test_every_command_has_the_shared_options(name):
    known = {option for p in app_command(name).params for option in p.opts}
    shared = {"--format", "--output", "--force", "--color"} | ({"--verbose", "--quiet"} if name != "runs" else set())
    assert shared <= known


def app_command(name):
    group = typer.main.get_command(app)
    return group.get_command(None, name)
