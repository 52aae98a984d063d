"""Which files are linted, and what could not be read of them."""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.lint import notebook
from xladoctor.sources.source import LARGEST, Source, Unreadable, decode, parse

STDIN = "-"
SUFFIXES = (".py", ".pyw", ".ipynb")
SKIPPED = frozenset(
    {"__pycache__", "node_modules", "site-packages", "build", "dist", "venv", "__pypackages__", "xladoctor-runs"}
)
"""Folders without source of one's own, like those that begin with a dot. Named on the command line, they are read."""


@dataclass(frozen=True)
class Read:
    """The sources, and what could not be read, a sentence each."""

    sources: tuple[Source, ...]
    problems: tuple[str, ...]


def read(paths: Sequence[str], exclude: Sequence[str] = (), within: Path | None = None) -> Read:
    """Every Python file and notebook of `paths`; `-` is standard input. A link that leads out of the folder `within`
    is a problem.

    Raises:
        XladoctorError: a path does not exist, or there is nothing to read in all of them.
    """
    sources: list[Source] = []
    problems: list[str] = []
    seen: set[str] = set()
    for name in paths:
        if name == STDIN:
            _into(sources, problems, "<stdin>", sys.stdin.buffer.read(LARGEST + 1))
            continue
        for file in paths_in(name, exclude):
            real = os.path.realpath(file)
            if real in seen:
                continue
            seen.add(real)
            if within is not None and not Path(real).is_relative_to(within):
                problems.append(f"{file}: is a link out of {within}")
                continue
            try:
                with Path(file).open("rb") as handle:
                    data = handle.read(LARGEST + 1)
            except OSError as error:
                problems.append(f"{file}: {error.strerror or error}")
                continue
            _into(sources, problems, file, data)
    if not sources and not problems:
        raise XladoctorError(
            f"there is no Python in {', '.join(paths)}", hint="Files that are read end in .py, .pyw or .ipynb."
        )
    return Read(tuple(sources), tuple(problems))


def _into(sources: list[Source], problems: list[str], path: str, data: bytes) -> None:
    try:
        if len(data) > LARGEST:
            raise Unreadable(f"{path}: larger than {LARGEST // 1_000_000} MB, left out")
        text = decode(data, path)
        sources.append(notebook.read(text, path) if path.endswith(".ipynb") else parse(text, path))
    except Unreadable as error:
        problems.append(str(error))


def paths_in(name: str, exclude: Sequence[str]) -> Iterator[str]:
    """The Python files and notebooks of a folder, or the one file of that name.

    Raises:
        XladoctorError: it does not exist.
    """
    if not Path(name).exists():
        parent = Path(name).parent
        names = [child.name for child in list(parent.iterdir())[:1000]] if parent.is_dir() else []
        raise XladoctorError(f"there is no file or folder {name}", hint=did_you_mean(Path(name).name, names))
    if not Path(name).is_dir():
        yield name
        return
    above: set[str] = set()
    for folder, folders, files in os.walk(name, followlinks=True):
        real = os.path.realpath(folder)
        if real in above:  # a link to a folder that was walked already: a loop, or the same files twice
            folders.clear()
            continue
        above.add(real)
        folders[:] = sorted(
            sub
            for sub in folders
            if not sub.startswith(".") and sub not in SKIPPED and not _excluded(_join(folder, sub), sub, exclude)
        )
        for file in sorted(files):
            path = _join(folder, file)
            if file.endswith(SUFFIXES) and not _excluded(path, file, exclude):
                yield path


def _join(folder: str, name: str) -> str:
    """As a person, and an annotation of a pull request, would name it: without a leading "./"."""
    return Path(folder, name).as_posix()


def _excluded(path: str, name: str, patterns: Iterable[str]) -> bool:
    plain = path.replace(os.sep, "/")
    return any(
        fnmatch.fnmatch(plain, pattern.rstrip("/"))
        or fnmatch.fnmatch(name, pattern.rstrip("/"))
        or fnmatch.fnmatch(plain, f"*/{pattern.rstrip('/')}")
        for pattern in patterns
    )
