"""Edits of a Python source as text: what is not changed keeps its formatting, to the byte."""

from __future__ import annotations

import ast
import difflib
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from xladoctor.sources.names import parents_of

N = TypeVar("N", bound=ast.AST)


@dataclass(frozen=True)
class Change:
    """The characters from `start` up to `end` of a text, and what stands in their place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Candidate:
    """One small edit of one file that may make the shapes fit.

    `kind` is that of `model.blame.Edit`; `why` says in words what it does. `cost` orders candidates: less is likelier.
    `safe`: wherever the program ran before, it computes the same numbers.
    """

    file: Path
    line: int
    kind: str
    old: str
    new: str
    why: str
    changes: tuple[Change, ...]
    cost: float = 0.0
    safe: bool = False
    followed: bool = False
    """Whether the sources were followed with it, and all sizes of the program fit then."""

    def applied(self, text: str) -> str:
        """The text with the changes."""
        for change in sorted(self.changes, key=lambda c: -c.start):
            text = text[: change.start] + change.text + text[change.end :]
        return text


class Text:
    """A source with its tree, where each node lies in the text.

    Raises:
        SyntaxError, ValueError: it is no Python.
    """

    def __init__(self, file: Path, text: str) -> None:
        self.file = file
        self.text = text
        self.tree = ast.parse(text)
        # Not `splitlines`: a form feed inside of a string ends no line for Python.
        self._starts = [0]
        for line in text.split("\n")[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._lines = text.split("\n")
        self._kinds: dict[type[ast.AST], list[ast.AST]] = {}
        self._tops = [self.span(node) for node in self.tree.body]
        self.parents = parents_of(self.tree)

    def all(self, kind: type[N]) -> list[N]:
        """All nodes of a kind, in the order of the source."""
        if kind not in self._kinds:
            found: list[ast.AST] = [node for node in self.parents if isinstance(node, kind)]
            found.sort(key=lambda n: (getattr(n, "lineno", 0), getattr(n, "col_offset", 0)))
            self._kinds[kind] = found
        return self._kinds[kind]  # type: ignore[return-value]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends in the text."""
        return (
            self._at(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self._at(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def of(self, node: ast.AST) -> str:
        """A node as written."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_of(self, position: int) -> int:
        """The number of the line at a position, from 1."""
        return bisect_right(self._starts, position)

    def line(self, number: int) -> str:
        """A line, without blanks around it."""
        return self._lines[number - 1].strip() if 0 < number <= len(self._lines) else ""

    def row(self, number: int) -> tuple[int, str]:
        """Where a line begins, and the line; an empty one where there is none."""
        if not 0 < number <= len(self._lines):
            return 0, ""
        return self._starts[number - 1], self._lines[number - 1]

    def stays_python(self, changes: tuple[Change, ...]) -> bool:
        """Whether the statement of the module in which the first change lies can still be parsed with the changes.

        The whole of a large source would take a second, for each of many candidates.
        """
        at = changes[0].start
        start, end = next(((a, b) for a, b in self._tops if a <= at <= b), (0, len(self.text)))
        inside = [c for c in changes if start <= c.start and c.end <= end]
        part = self.text[start:end]
        for change in sorted(inside, key=lambda c: -c.start):
            part = part[: change.start - start] + change.text + part[change.end - start :]
        try:
            ast.parse(part)
        except (SyntaxError, ValueError):
            return False
        return True

    def put(self, node: ast.AST, new: str) -> Change:
        """`new` in the place of a node."""
        return Change(*self.span(node), new)

    def wrapped(self, node: ast.AST, before: str, after: str) -> Change:
        """A node with something around it."""
        return self.put(node, f"{before}{self.of(node)}{after}")

    def with_keyword(self, call: ast.Call, name: str, value: str) -> Change:
        """A call with one more keyword, or with another value of the one it has."""
        given = next((k for k in call.keywords if k.arg == name), None)
        if given is not None:
            return self.put(given.value, value)
        _, end = self.span(call)
        last = max([*call.args, *(k.value for k in call.keywords)], key=lambda n: self.span(n)[1], default=None)
        if last is None:
            return Change(end - 1, end - 1, f"{name}={value}")
        # A generator as the only argument has its own brackets; a trailing comma stays behind what is added.
        at = self.span(last)[1]
        return Change(at, at, f", {name}={value}")

    def _at(self, line: int, column: int) -> int:
        """The position of a line and a column in bytes of UTF-8."""
        text = self._lines[line - 1]
        if not text.isascii():
            column = len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))
        return self._starts[line - 1] + column


def unified(name: str, before: str, after: str) -> str:
    """The difference of two texts as `patch -p1` reads it; a last line without an end is marked as `diff` does."""
    rows = difflib.unified_diff(_rows(before), _rows(after), f"a/{name}", f"b/{name}")
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _rows(text: str) -> list[str]:
    """The lines with their ends, as `diff` sees them: only a line feed ends one."""
    *whole, rest = text.split("\n")
    return [*(f"{row}\n" for row in whole), *([rest] if rest else [])]
