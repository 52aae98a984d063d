"""The source line of a finding, with the lines above it and a caret under what failed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from xladoctor.model.diagnosis import Location
from xladoctor.model.frozen import dataclass
from xladoctor.report.text import lines as harmless

_CUT = "…"
_LEAD = 24


@dataclass(frozen=True)
class SourceLine:
    """A line in three parts, so that the caret stays under `marked` whatever becomes of the text before it."""

    number: int | None
    before: str
    marked: str = ""
    after: str = ""


@dataclass(frozen=True)
class Excerpt:
    """Lines around a place in the source. `note` says why there are none, or what they are not."""

    location: Location
    lines: tuple[SourceLine, ...] = ()
    note: str = ""


def of(location: Location | None, excerpts: Sequence[Excerpt]) -> Excerpt | None:
    """The excerpt of a place, or None."""
    same = (e for e in excerpts if location is not None and _key(e.location) == _key(location))
    return next(same, None)


def drawn(excerpt: Excerpt, width: int) -> Iterator[tuple[str, bool]]:
    """(line, whether it is the caret's) with line numbers in a gutter; no line is wider than `width` cells."""
    digits = max((len(str(line.number)) for line in excerpt.lines if line.number is not None), default=0)
    for line in excerpt.lines:
        number = "" if line.number is None else str(line.number)
        gutter = f"{number:>{digits}} | "
        room = max(width - len(gutter), _LEAD)
        if not line.marked:
            yield gutter + _cut(_shown(line.before + line.after), room), False
            continue
        before, marked, after = _around(*_expanded(line), room)
        yield gutter + before + marked + after, False
        yield " " * digits + " | " + " " * cells(before) + "^" * max(cells(marked), 1), True


def text(excerpt: Excerpt, width: int = 110) -> str:
    """The same as lines of plain text."""
    return "\n".join(line for line, _ in drawn(excerpt, width))


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def _key(location: Location) -> tuple[str, int | None, int | None]:
    return location.file, location.line, location.cell


def _shown(text: str) -> str:
    return harmless(text).replace("\n", " ").rstrip()


def _expanded(line: SourceLine) -> tuple[str, str, str]:
    """The three parts with tabs as blanks, each harmless to a terminal."""
    before = harmless(line.before).replace("\n", " ")
    with_marked = harmless(line.before + line.marked).replace("\n", " ")
    whole = harmless(line.before + line.marked + line.after).replace("\n", " ").rstrip()
    return before, with_marked[len(before) :], whole[len(with_marked) :]


def _around(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """The parts cut so that the marked one is seen."""
    if cells(before + marked + after) <= room:
        return before, marked, after
    if cells(before) > _LEAD and cells(before + marked) > room - 1:
        before = _CUT + before[-(_LEAD - 1) :]
    marked = _cut(marked, room - cells(before))
    return before, marked, _cut(after, room - cells(before + marked))


def _cut(text: str, room: int) -> str:
    if cells(text) <= room:
        return text
    if room < 1:
        return ""
    kept = text[: room - 1]
    while cells(kept) > room - 1:
        kept = kept[:-1]
    return kept + _CUT
