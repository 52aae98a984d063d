"""Lines for a terminal: wrapped to its width between words, aligned, and never interpreted as markup.

Paths are never broken (a broken path can neither be clicked nor copied): a word longer than the line stands
on its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Location
from xladoctor.report import text

if TYPE_CHECKING:
    from rich.console import Console

_LONGEST = 4000
_READABLE = 110
_ROOM = 24


class Page:
    """The writer that the sections of a report share; `text` gives all that was written.

    With a rich console the text has its colours. Without one it is plain, and rich's console, half of the
    time that a short command takes, is never loaded. `here` is the reader's working folder: the lines of files in it
    are written relative to it, as compilers do.
    """

    def __init__(self, width: int = 80, console: Console | None = None, here: str = "") -> None:
        self._console = console
        self._lines: list[list[tuple[str, str]]] = []
        self.width = max(console.width if console else width, 40)
        self._here = re.compile(rf"(?<![\w/.-]){re.escape(here.rstrip('/'))}/(?=[^\s:]{{1,1000}}:\d)") if here else None

    def text(self) -> str:
        """Everything that was written, with the codes of the console's colours."""
        if self._console is None:
            return "".join(f"{''.join(piece for piece, _ in line).rstrip()}\n" for line in self._lines)
        from rich.text import Text

        with self._console.capture() as captured:
            for line in self._lines:
                out = Text()
                for piece, style in line:
                    out.append(piece, style)
                out.rstrip()
                self._console.print(out, soft_wrap=True, markup=False, highlight=False, emoji=False)
        return captured.get()

    def near(self, said: str) -> str:
        """The text with `file:line` of a file in the working folder relative to it."""
        return self._here.sub("", said) if self._here is not None else said

    def _line(self, *pieces: tuple[str, str]) -> None:
        self._lines.append(list(pieces))

    @property
    def height(self) -> int:
        """How many lines were written."""
        return len(self._lines)

    def drop(self, count: int) -> None:
        """Take back the last lines."""
        del self._lines[len(self._lines) - count :]

    def blank(self) -> None:
        """An empty line."""
        self._line()

    def heading(self, title: str, note: str = "", style: str = "bold") -> None:
        """A section's title, with an empty line above it."""
        self.blank()
        self.parts((title, style), (f"  {text.line(note)}" if note else "", "dim"))

    def bullets(self, title: str, said: Sequence[str], style: str = "bold") -> None:
        """A section with a paragraph for each item; nothing where there is none."""
        if said:
            self.heading(title, style=style)
            for item in said:
                self.para(item, hang=2, first="- ")

    def parts(self, *pieces: tuple[str, str], indent: int = 0) -> None:
        """One line of styled pieces, not wrapped."""
        self._line((" " * indent, ""), *((_soft(self.near(piece)), style) for piece, style in pieces))

    def para(self, said: object, indent: int = 2, hang: int = 0, style: str = "", first: str = "") -> None:
        """Text wrapped at the width; `first` stands in front of it, later lines hang by `hang`."""
        clipped = text.lines(text.clip(self.near(str(said)), _LONGEST))
        lines = [part for part in clipped.split("\n") if part.strip()] or [""]
        margin = " " * indent
        lead = margin + first
        for number, part in enumerate(lines):
            start = lead if number == 0 else margin + " " * hang
            for piece in self.wrap(part, min(self.width - 1, _READABLE), start, margin + " " * hang):
                self._line((piece, style))

    def flow(
        self, lead: Sequence[tuple[str, str]], said: object, indent: int = 0, hang: int = 2, style: str = ""
    ) -> None:
        """Styled pieces, and after them, parted by two blanks, text that is wrapped and hangs by `hang`."""
        head = [(_soft(piece), style) for piece, style in lead]
        start = " " * indent + "".join(piece for piece, _ in head)
        width = min(self.width - 1, _READABLE)
        words = text.line(self.near(str(said)))
        first, *others = self.wrap(words, width, f"{start}  ", " " * (indent + hang)) if words else [start]
        self._line((" " * indent, ""), *head, (first[len(start) :], style))
        for piece in others:
            self._line((piece, style))

    def paragraphs(self, said: str, indent: int = 2) -> None:
        """Paragraphs that an empty line separates; single line breaks within them are not kept."""
        for number, part in enumerate(part for part in said.split("\n\n") if part.strip()):
            if number:
                self.blank()
            self.para(text.line(part), indent=indent)

    def verbatim(self, said: str, indent: int = 4, style: str = "") -> None:
        """Lines as they stand, not wrapped."""
        for part in text.lines(said).split("\n"):
            self._line((" " * indent + part, style))

    def wrap(self, part: str, width: int, start: str, later: str) -> list[str]:
        """`part` as lines of at most `width` cells, broken between words only."""
        out: list[str] = []
        current, empty = start, True
        for word in part.split():
            if not empty and _cells(current) + 1 + _cells(word) > width:
                out.append(current)
                current, empty = later, True
            current += word if empty else f" {word}"
            empty = False
        return [*out, current]

    def table(
        self,
        rows: Iterable[Sequence[str]],
        indent: int = 2,
        styles: Sequence[str] | None = None,
        style: str = "",
        caps: Sequence[int] = (),
    ) -> None:
        """Aligned columns; the last one wraps under itself, and goes below where there is no room for it."""
        cells = [[text.line(cell) for cell in row] for row in rows]
        if not cells:
            return
        for row in cells:
            for index, cap in enumerate(caps[: len(row) - 1]):
                row[index] = self._cut(row[index], cap)
        widths = self.widths(cells)[:-1]
        for row in cells:
            self.row(row, widths, indent, styles, style)

    def widths(self, cells: Sequence[Sequence[str]]) -> list[int]:
        """How wide each column of `cells` must be."""
        return [max(_cells(cell) for cell in column) for column in zip(*cells, strict=True)]

    def row(
        self,
        row: Sequence[str],
        widths: Sequence[int],
        indent: int,
        styles: Sequence[str] | None = None,
        style: str = "",
    ) -> None:
        """One line of a table whose first columns are `widths` wide; cells must be free of control codes."""
        out = [(" " * indent, "")]
        for index, width in enumerate(widths):
            cell = row[index]
            out.append((cell + " " * (width - _cells(cell) + 2), styles[index] if styles else style))
        last_style = styles[-1] if styles else style
        used = indent + sum(widths) + 2 * len(widths)
        room = self.width - 1 - used
        if room < _ROOM and _cells(row[-1]) > max(room, 0):
            self._line(*out)
            self.para(row[-1], indent=indent + 4, style=last_style)
            return
        first, *others = self.wrap(row[-1], max(room, _ROOM), "", "")
        self._line(*out, (first, last_style))
        for piece in others:
            self._line((" " * used, ""), (piece, last_style))

    def _cut(self, cell: str, cap: int) -> str:
        return cell if _cells(cell) <= cap else text.clip(cell, cap)


def place(location: Location, short: bool = False) -> str:
    """`file:line`, as terminals make it clickable; `short` leaves the folders out."""
    file = str(location.file)
    if short:
        file = file.replace("\\", "/").rpartition("/")[2]
    return replace(location, file=file).place


def _soft(piece: str) -> str:
    # Keeps the blanks at both ends, which text.line would take away.
    left = piece[: len(piece) - len(piece.lstrip(" "))]
    right = piece[len(piece.rstrip(" ")) :] if piece.strip() else ""
    return left + text.line(piece) + right


def _cells(said: str) -> int:
    """How wide a text is on a terminal."""
    if said.isascii() and said.isprintable():
        return len(said)
    from rich.cells import cell_len

    return cell_len(said)
