"""One file of Python source: read, decoded and parsed once."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings
from dataclasses import dataclass, field

LARGEST = 5_000_000
"""Bytes: a larger file is generated, not written."""

_FORM_FEED = re.compile("\f")


class Unreadable(Exception):
    """A file that cannot be linted; the message names it, with the line where there is one."""


@dataclass(frozen=True)
class Line:
    """Where a line of a notebook's code stands: its cell, the line in the cell, and in the file where that is known."""

    cell: int
    line: int
    in_file: int | None


@dataclass(frozen=True)
class Source:
    """Parsed source. `path` is as the user named it; `lines` are without line ends; `map` is for notebooks only."""

    path: str
    text: str
    tree: ast.Module = field(repr=False)
    lines: list[str] = field(repr=False)
    map: tuple[Line, ...] = ()

    def place(self, number: int) -> str:
        """A line in words; of a notebook the cell and the line in it: nobody sees the joined code."""
        if not self.map:
            return f"line {number}"
        at = self.map[min(number, len(self.map)) - 1]
        return f"cell {at.cell}, line {at.line}"

    def at(self, number: int) -> str:
        """The file and a line of it: `train.py:9`, `study.ipynb: cell 3, line 6`."""
        return f"{self.path}: {self.place(number)}" if self.map else f"{self.path}:{number}"

    def line(self, number: int) -> str:
        """The text of a line (1 is the first), without blanks around it; empty where there is none."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""


def decode(data: bytes, path: str) -> str:
    """The text of a Python file: as its coding line or mark says, else UTF-8.

    Raises:
        Unreadable: it is in neither.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return codecs.decode(data, encoding).replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    except (SyntaxError, LookupError) as error:
        raise Unreadable(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"{path}:{line}: byte {data[error.start]:#04x} is not {error.encoding}") from None


def parse(text: str, path: str, lines: tuple[Line, ...] = ()) -> Source:
    """The source with its tree.

    Raises:
        Unreadable: it is no Python of this interpreter's version, or nested too deeply.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are for other linters
            tree = ast.parse(text)
    except SyntaxError as error:
        where = path
        if lines and error.lineno and error.lineno <= len(lines):
            at = lines[error.lineno - 1]
            where = f"{path}: cell {at.cell}, line {at.line}"
        elif error.lineno:
            where = f"{path}:{error.lineno}"
        raise Unreadable(f"{where}: syntax error: {error.msg}") from None
    except ValueError as error:
        raise Unreadable(f"{path}: {error}") from None
    except (RecursionError, MemoryError):
        raise Unreadable(f"{path}: nested too deeply to be read") from None
    # As Python counts lines: a form feed, and what else str.splitlines breaks at, ends none.
    return Source(path, text, tree, _FORM_FEED.sub(" ", text).split("\n"), lines)
