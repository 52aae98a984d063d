"""The cheap first pass: which lines of a log are worth a look, found by literals on bytes.

A log is mostly progress and banners. Blocks without a hit are skipped without being decoded or split; around a hit,
`BEFORE` and `AFTER` lines are handed on, since the cause of an error often stands above it and its node names below.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Protocol

from xladoctor.logs.blocks import DEEP, LONGEST
from xladoctor.logs.matcher import Block, newlines
from xladoctor.logs.repeats import NEAR_END, WINDOW, Repeats

BEFORE, AFTER = 40, 60
# Parts of one long line.
MOST = 64
_NAME = re.compile(rb"(?<![\w.])(?:[A-Za-z_]\w{0,80}\.){0,12}[A-Z]\w{0,80}(?:Error|Exception): ")

Line = tuple[int, bytes]


class Watcher(Protocol):
    """Sees every block once, after the regions that begin in it were handed on."""

    def block(self, block: Block, number: int, suspect: int | None) -> None:
        """`number` is that of the first line; `suspect` says where in the block the last line stands that is looked
        at, or is None where there is no such line.
        """


def hot_regions(blocks: Iterable[Block], watcher: Watcher | None = None) -> Iterator[list[Line]]:
    """Lists of consecutive (line number, line) around the hits; a new list where lines were skipped between."""
    number, until = 1, 0
    repeats = Repeats()
    tail: list[Line] = []
    pending: list[Line] = []
    last_idle: tuple[Block, int] | None = None
    for block, near_end in _with_end(blocks):
        found = [] if block.quiet else None if block.hits is None else repeats.worth_it(block, near_end)
        if found is not None and not found and until < number:
            if pending:
                yield pending
                pending = []
            tail, last_idle = [], (block, number)
        else:
            if last_idle:
                tail, last_idle = _tail(*last_idle), None
            lines = block.data[: block.end].split(b"\n")
            if lines and not lines[-1]:
                lines.pop()
            hits = None if found is None else line_numbers(block, found, lines)
            marked = frozenset(hits or ())
            for first, last in _windows(hits, len(lines), until - number):
                wanted = [
                    (number + i, lines[i] if found is not None and i in marked else lines[i][:LONGEST])
                    for i in range(max(first, 0), last)
                ]
                if first < 0:
                    start = pending[-1][0] if pending else 0
                    wanted = [line for line in tail if line[0] >= number + first and line[0] > start] + wanted
                if pending and wanted and wanted[0][0] != pending[-1][0] + 1:
                    yield pending
                    pending = []
                pending += wanted
            until = number + (hits[-1] + AFTER if hits else (len(lines) if hits is None else until - number))
            tail = [(number + i, lines[i][:LONGEST]) for i in range(max(0, len(lines) - BEFORE), len(lines))]
            if len(pending) > 2000:
                yield pending
                pending = []
        if watcher:
            watcher.block(block, number, block.end if found is None else found[-1][0] if found else None)
        number += block.newlines
    if pending:
        yield pending


def _with_end(blocks: Iterable[Block]) -> Iterator[tuple[Block, int]]:
    """Each block, and from which byte of it on everything counts because the log ends there."""
    waiting: deque[Block] = deque()
    for block in blocks:
        waiting.append(block)
        # A last block can be of a few bytes: then the end of the log begins in the block before it.
        if len(waiting) > 2:
            first = waiting.popleft()
            yield first, first.end
    behind = sum(block.end for block in waiting)
    while waiting:
        block = waiting.popleft()
        behind -= block.end
        yield block, max(block.end - max(NEAR_END - behind, 0), 0)


def line_numbers(block: Block, found: list[tuple[int, int]], lines: list[bytes]) -> list[int]:
    """The numbers (from 0) of the lines with hits. Of a line that is too long, the parts around its hits are kept,
    each as
    a line of its own.
    """
    numbers, last, number = [], 0, 0
    parts: dict[int, list[bytes]] = {}
    for begin, hit in found:
        number += newlines(block.data[last:begin], begin - last)
        last = begin
        numbers.append(number)
        line = lines[number]
        # Of what has a form (JSON) the beginning is needed; of text no more is read than a record may hold.
        if len(line) > LONGEST or (hit - begin > DEEP and not line.lstrip().startswith((b"{", b'"'))):
            parts.setdefault(number, []).append(_around(block.data, begin, hit))
    for number, around in parts.items():
        lines[number] = b"\n".join(around[:MOST])
    return numbers


def _around(data: bytes, begin: int, hit: int) -> bytes:
    """What stands around a hit in a long line. The name of an exception begins a line."""
    first = max(hit - WINDOW // 2, begin)
    end = data.find(b"\n", hit, hit + WINDOW)
    last = end if end >= 0 else hit + WINDOW
    name = _NAME.search(data, max(hit - 100, begin), hit + 20)
    at = name.start() if name else -1
    if at < 0 and b"\\n" not in data[first:hit]:  # no escaped lines: the message is not far from its constant part
        at = data.rfind(b" ", begin, max(hit - 200, begin)) + 1
    return data[first:last] if at <= first else data[first:at] + b"\n" + data[at:last]


def _windows(hits: list[int] | None, count: int, until: int) -> Iterator[tuple[int, int]]:
    """Ranges [first, last) of lines to hand on; first may be negative (lines of the block before)."""
    if hits is None:
        yield 0, count
        return
    first, last = (0, min(until, count)) if until > 0 else (0, 0)
    for hit in hits:
        if hit - BEFORE > last:
            if last > first:
                yield first, last
            first = hit - BEFORE
        elif not last > first:
            first = hit - BEFORE
        last = max(last, min(hit + AFTER, count))
    if last > first:
        yield first, last


def _tail(block: Block, number: int) -> list[Line]:
    """The last lines of a block that nothing else was wanted of."""
    piece = block.data[max(block.end - BEFORE * 400, 0) : block.end]
    lines = piece.split(b"\n")
    if piece.endswith(b"\n"):
        lines.pop()
    if len(piece) < block.end:
        lines = lines[1:]
    lines = lines[-BEFORE:]
    above = number + block.newlines - len(lines) + (not piece.endswith(b"\n"))
    return [(above + i, line[:LONGEST]) for i, line in enumerate(lines)]
