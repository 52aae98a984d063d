"""The commands that a page of the docs shows, and what is wrong with each. Nothing is run: commands of ours are parsed
by the command line itself, of others only what is ours is looked up.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import inspect
import io
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import click
import typer.main

if sys.version_info >= (3, 11):
    from tomllib import loads as toml
else:
    from tomli import loads as toml

from xladoctor import __version__
from xladoctor.cli.app import app
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = r"(?:[A-Z_]+=\S+ )*(?:\S*/)?xladoctor"
FENCE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
THEIRS = (
    r"(?:\.venv/bin/)?python (?:-m )?(?:benchmarks|docs|probes|ptycho|pytest|tests)\b[^`]*|make [\w-]+"
    r"|(?:uv tool|pipx|(?:\S+/)?pip) install [^`]+|pytest --[^`]+"
)
INLINE = re.compile(rf"(?<!`)`({PROGRAM} [^`]+|(?:{'|'.join(SUMMARIES)}) [^`]*--[^`]+|{THEIRS})`(?!`)")
PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*")
ENDS = frozenset({"|", "||", "&&", ";", "&"})


def commands(text: str) -> Iterator[str]:
    """Every command of the fenced blocks of a page, and within its sentences those of ours and of this checkout."""
    for kind, block in FENCE.findall(text):
        joined = re.sub(r"\\\n\s*", "", block)
        for line in map(str.strip, joined.splitlines()):
            shown = line.removeprefix("$ ")
            if kind == "sh" or (kind == "console" and shown != line):
                yield re.sub(r"(^|\s+)# .*$", "", shown)
            elif kind in ("", "text") and re.match(rf"{PROGRAM} ", shown):
                # A table of commands: what each does stands behind a gap.
                yield re.split(r"\s{2,}|\s# ", shown)[0]
    for found in INLINE.findall(FENCE.sub("", text)):
        said = " ".join(found.replace("\\|", "|").split())  # a bar in a table
        yield said if re.match(f"{PROGRAM}|{THEIRS}", said) else f"xladoctor {said}"


def wrong(command: str) -> str | None:
    """What is wrong with a line of the shell; None where nothing is, or where it is none of ours."""
    # `<time>` and `a|b` stand for something, `...` for more of it.
    plain = re.sub(r"<[\w-]+>", "X", command).replace("…", "...")
    plain = re.sub(r"(?<=\w)\|(?=\S)[^\s`]+", "", plain)
    try:
        found = list(_simple(plain))
    except ValueError as error:
        return f"this is no line of a shell: {error}"
    return next((said for words in found if (said := _wrong(words))), None)


def _simple(text: str) -> Iterator[list[str]]:
    """The simple commands of a line, without redirections."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    skip = False
    for word in [*lexer, ";"]:
        if word in ENDS:
            if words:
                yield words
            words = []
        elif re.fullmatch("[<>&]+", word):
            words = words[:-1] if words and words[-1].isdigit() else words
            skip = True
        elif skip:
            skip = False
        elif word.strip(".[]"):
            words.append(word)
        elif words and words[-1].startswith("--"):
            words.append("X")


def _wrong(words: list[str]) -> str | None:
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if not words or PLACEHOLDER.fullmatch(words[0].rstrip(".")):
        return None
    name = words[0].rpartition("/")[2]
    name = "python" if re.fullmatch(r"python[\d.]*", name) else name
    known = CHECKS.get(name)
    return f"no check for the program {name}" if known is None else known(words[1:])


def _ours(words: list[str]) -> str | None:
    """As the command line parses it, without what comes then."""
    root = _root()
    own = words[: words.index("--")] if "--" in words else words
    behind = words[len(own) + 1 :]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            if not own or own[0].startswith("-"):
                # The parser alone: an option such as --install-completion acts as soon as it is read.
                with click.Context(root, info_name="xladoctor") as context:
                    root.make_parser(context).parse_args(list(own))
                return None
            if PLACEHOLDER.fullmatch(own[0]):
                return None
            with click.Context(root, info_name="xladoctor") as context:
                command = root.get_command(context, own[0])
                if command is None:
                    return f"there is no command {own[0]}"
                filled = [*_filled(command, own[1:]), *words[len(own) :]]
                command.make_context(own[0], filled, parent=context)
    except click.exceptions.Exit:
        return None
    except click.BadOptionUsage as error:
        # A sentence may name an option without its value.
        return None if error.option_name == own[-1] and "requires" in error.message else error.message
    except (click.ClickException, XladoctorError) as error:
        return error.message
    return _wrong(behind) if behind else None


@cache
def _root() -> click.Group:
    root = typer.main.get_command(app)
    assert isinstance(root, click.Group)
    return root


def _filled(command: click.Command, words: list[str]) -> list[str]:
    """The words with something in the place of SECONDS, FORMAT, PID and the like, where any text will not do."""
    options = {name: param for param in command.params for name in param.opts if isinstance(param, click.Option)}
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    made: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        param = options.get(before) or (arguments[0] if arguments and not before.startswith("-") else None)
        made.append(_example(param) if param is not None and PLACEHOLDER.fullmatch(word) else word)
        if made[-1] == "":
            made[-1] = word
    return made


def _example(param: click.Parameter) -> str:
    if isinstance(param.type, click.Choice):
        return str(param.type.choices[0])
    return "1" if param.type.name in ("integer", "float", "integer range", "float range") else ""


def _python(words: list[str]) -> str | None:
    """A module is there, and one of ours knows the options that it is given."""
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c"):
        words = words[2 if words[0] in ("-X", "-W") else 1 :]
    if words and words[0].startswith(("docs/", "tests/")):
        return _missing(words[:1])
    if not words or words[0] != "-m" or PLACEHOLDER.fullmatch(words[1]):
        return None
    module, given = words[1], words[2:]
    file = ROOT.joinpath(*module.split("."))
    if module.partition(".")[0] not in ("ptycho", "tests", "benchmarks", "docs", "probes"):
        if module == "xladoctor":
            return _ours(given)
        if module == "pytest":
            return _pytest(given)
        return None if importlib.util.find_spec(module) else f"there is no module {module}"
    if not (file.with_suffix(".py").is_file() or (file / "__main__.py").is_file()):
        return f"there is no module {module}"
    if module == "benchmarks":
        return _benchmarks([word for word in given if "NAME" not in word])
    file = file.with_suffix(".py") if file.with_suffix(".py").is_file() else file / "__main__.py"
    text = file.read_text(encoding="utf-8")
    if "ArgumentParser(" in text:
        return _parsed(module if file.stem != "__main__" else f"{module}.__main__", given)
    unknown = [word for word in given if word.startswith("-") and f'"{word.partition("=")[0]}"' not in text]
    return f"{module} has no option {unknown[0]}" if unknown else None


def _benchmarks(words: list[str]) -> str | None:
    """The names are benchmarks; one alone that takes options of its own parses them."""
    from benchmarks.__main__ import names

    asked = [word for word in words if not word.startswith("-")]
    unknown = [name for name in asked if name not in names()]
    if unknown:
        return f"there is no benchmark {unknown[0]}"
    more = [word for word in words if word.startswith("-") and word not in ("--json", "--list")]
    return _parsed(f"benchmarks.{asked[0]}", more) if more and asked else None


class _ParsedError(Exception):
    """Ends a program once its words were parsed."""


def _parsed(module: str, words: list[str]) -> str | None:
    """As the program itself parses it, without what comes then."""
    parse = argparse.ArgumentParser.parse_args

    def parse_alone(parser: argparse.ArgumentParser, args: list[str] | None = None, namespace: object = None) -> None:
        parse(parser, args, namespace)
        raise _ParsedError

    told = io.StringIO()
    # "1" is a file's name and a number.
    asked = [module, *("1" if PLACEHOLDER.fullmatch(word) else word for word in words)]
    try:
        with (
            patch.object(argparse.ArgumentParser, "parse_args", parse_alone),
            patch.object(sys, "argv", asked),
            contextlib.redirect_stderr(told),
            contextlib.redirect_stdout(told),
        ):
            main = importlib.import_module(module).main
            main(asked[1:]) if inspect.signature(main).parameters else main()
    except _ParsedError:
        return None
    except SystemExit:
        return f"{module}: {told.getvalue().strip().splitlines()[-1]}"
    return f"{module} did not parse its words"


def _missing(paths: list[str]) -> str | None:
    """A file of this checkout that is not there; one whose name has a part in capitals stands for any."""
    plain = [path for path in paths if not re.search(r"(?<![A-Za-z])[A-Z]{2,}(?![a-z])", path)]
    return next((f"there is no file {path}" for path in plain if not (ROOT / path).exists()), None)


def _make(words: list[str]) -> str | None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return next((f"make has no target {word}" for word in words if "=" not in word and word not in targets), None)


def _pip(words: list[str]) -> str | None:
    """An extra of ours is there, and a wheel has the name that building it gives."""
    extras = toml((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wheels = [word for word in words if word.endswith(".whl")]
    if wheels and Path(wheels[0]).name != f"xladoctor-{__version__}-py3-none-any.whl":
        return f"there is no wheel {wheels[0]}"
    asked = [extra for word in words for extra in re.findall(r"(?:xladoctor|^\.|\.whl)\[([\w,]+)\]", word)]
    return next((f"there is no extra {e}" for more in asked for e in more.split(",") if e not in extras), None)


def _pytest(words: list[str]) -> str | None:
    from xladoctor import pytest_plugin

    text = Path(pytest_plugin.__file__).read_text(encoding="utf-8")
    ours = [word.partition("=")[0] for word in words if word.startswith("--xladoctor")]
    unknown = [word for word in ours if f'"{word}"' not in text]
    return f"pytest has no option {unknown[0]}" if unknown else _missing([w for w in words if w.startswith("tests/")])


def _theirs(words: list[str]) -> str | None:
    return None


CHECKS: dict[str, Callable[[list[str]], str | None]] = {
    "xladoctor": _ours,
    "python": _python,
    "make": _make,
    **dict.fromkeys(("pip", "pipx", "uv"), _pip),
    "pytest": _pytest,
    **dict.fromkeys(("patch", "cat", "ruff", "mypy", "pre-commit", "grep", "jupyter", "sed"), _theirs),
}
"""What is looked up of each program that a page may name. One that is missing here is a mistake, or a new entry."""
