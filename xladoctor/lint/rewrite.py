"""A file with safe fixes in it: the same encoding, marks and line ends, and the same program.

Nothing here writes. A text is given back only where its statements are those that it had, which is looked at once more.
"""

from __future__ import annotations

import ast
import codecs
import io
import json
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xladoctor.lint import notebook
from xladoctor.lint.fix import Change, Fix, applied
from xladoctor.sources.source import Source, Unreadable, decode, parse

_INDENTS = (1, 2, 4, 0, None, "\t")


class NotFixable(Exception):
    """Why a file is left as it is."""


@dataclass(frozen=True)
class Text:
    """A file, or a cell of a notebook, before and after."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Rewrite:
    """A file with fixes: its bytes, its source, and the texts that changed."""

    data: bytes
    source: Source
    texts: tuple[Text, ...]


def rewritten(data: bytes, source: Source, fixes: Sequence[Fix]) -> Rewrite:
    """The file `data`, of which `source` was read, with fixes that are compatible.

    Raises:
        NotFixable: it cannot be written as it was, or would be another program.
    """
    made = _notebook(data, source, fixes) if source.map else _module(data, source, fixes)
    if _statements(made.source.tree) != _statements(source.tree):
        raise NotFixable("the fix would change the program")
    return made


def _statements(tree: ast.Module) -> Counter[str]:
    return Counter(ast.dump(node) for node in tree.body)


def _module(data: bytes, source: Source, fixes: Sequence[Fix]) -> Rewrite:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = codecs.decode(data, encoding)
        if decode(data, source.path) != source.text:
            raise NotFixable("it has changed since it was read")
        if codecs.encode(text, encoding) != data:
            raise NotFixable(f"its bytes do not match its text in {encoding}")
        after = applied(text, fixes)
        new = codecs.encode(after, encoding)
        return Rewrite(new, parse(decode(new, source.path), source.path), (Text(source.path, text, after),))
    except (SyntaxError, LookupError, UnicodeError, Unreadable) as error:
        raise NotFixable(str(error)) from None


def _notebook(data: bytes, source: Source, fixes: Sequence[Fix]) -> Rewrite:
    try:
        text = data.decode("utf-8")
        if notebook.read(decode(data, source.path), source.path).text != source.text:
            raise NotFixable("it has changed since it was read")
        book = json.loads(text)
        layout = next((layout for layout in _layouts(text) if _dumped(book, layout) == text), None)
        if layout is None:
            raise NotFixable("the layout of its JSON could not be kept")
        texts = []
        for number, ours in _by_cell(source, fixes).items():
            cell = book["cells"][number - 1]
            before = "".join(cell["source"])
            after = applied(before, ours)
            cell["source"] = after.splitlines(keepends=True) if isinstance(cell["source"], list) else after
            texts.append(Text(f"{source.path}: cell {number}", before, after))
        new = _dumped(book, layout)
        return Rewrite(new.encode(), notebook.read(new.replace("\r\n", "\n"), source.path), tuple(texts))
    except (ValueError, RecursionError, Unreadable) as error:
        raise NotFixable(str(error)) from None


@dataclass(frozen=True)
class _Layout:
    """How a notebook's JSON is written."""

    indent: int | str | None
    ascii: bool
    end: str
    newline: str


def _layouts(text: str) -> Iterator[_Layout]:
    newline = "\r\n" if "\r\n" in text else "\n"
    end = newline if text.endswith("\n") else ""
    for indent in _INDENTS:
        for ascii in (False, True):
            yield _Layout(indent, ascii, end, newline)


def _dumped(book: Any, layout: _Layout) -> str:
    text = json.dumps(book, indent=layout.indent, ensure_ascii=layout.ascii)
    return text.replace("\n", layout.newline) + layout.end


def _by_cell(source: Source, fixes: Sequence[Fix]) -> dict[int, list[Fix]]:
    """The fixes of each cell, with lines that count in it."""
    found: dict[int, list[Fix]] = {}
    for fix in fixes:
        cells = {source.map[change.start[0] - 1].cell for change in fix.changes}
        if len(cells) != 1:
            raise NotFixable("a fix would move code from one cell to another")
        changes = tuple(_in_cell(source, change) for change in fix.changes)
        found.setdefault(cells.pop(), []).append(replace(fix, changes=changes))
    return found


def _in_cell(source: Source, change: Change) -> Change:
    first = source.map[change.start[0] - 1].line
    # The end of a whole line is the start of the next one, which may be in the next cell.
    last = first + change.end[0] - change.start[0]
    return Change((first, change.start[1]), (last, change.end[1]), change.text)
