"""The cheap first pass: which lines of a log are worth a look, found by literals on bytes.

A log is mostly progress and banners. Blocks without any of `LITERALS` are skipped without being decoded or split;
around a hit, `BEFORE` and `AFTER` lines are handed on, since the cause of an error often stands above it and its
node names below. Logs up to `SMALL` bytes (a pasted message) are handed on whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

BEFORE, AFTER = 40, 60
SMALL = 1 << 16
LONGEST = 1 << 16

# Fragments that stand in every message this package can segment; word starts are left off, so that case and
# wrapping of the first letter do not matter. Kept few: each costs one pass over the bytes.
LITERALS: tuple[bytes, ...] = (
    b"rror",
    b"raceback",
    b"xception",
    b"RET_CHECK",
    b"heck failed",
    b"[[{{",
    b'File "',
    b"failed",
    b"Failed",
    b"illed",
    b"fault",
    b"bort",
    b"oom",
    b"OOM",
    b"nterrupt",
    b"nknown flag",
    b": nan",
    b"nvalid loss",
    b"retracing",
    b"low compile",
    b"libdevice",
    b"ptxas",
    b"CANCELLED",
    b"FAILED",
)

# A line that says one of these is always looked at; another kind of line only so often (digits do not count).
_STRONG = (
    b"raceback",
    b'File "',
    b"[[{{",
    b"RET_CHECK",
    b"atal",
    b"nknown flag",
    b"Error:",
    b"illed",
    b"fault",
    b"JIT ",
)
OFTEN, KINDS = 20, 20_000

_ANSI = re.compile(rb"\x1b\[[0-?]{0,32}[ -/]{0,4}[@-~]")

Line = tuple[int, bytes]


def hot_regions(chunks: Iterable[bytes]) -> Iterator[list[Line]]:
    """Lists of consecutive (line number, line) around the hits; a new list where lines were skipped between."""
    number, until = 1, 0
    seen: dict[bytes, int] = {}
    tail: list[Line] = []
    pending: list[Line] = []
    for block, whole in _blocks(chunks):
        hits = None if whole else _hit_lines(block, seen)
        count = block.count(b"\n")
        if hits is not None and not hits and until < number:
            if pending:
                yield pending
                pending = []
            tail = _tail(block, number, count)
            number += count
            continue
        lines = block.split(b"\n")
        if block.endswith(b"\n"):
            lines.pop()
        for first, last in _windows(hits, len(lines), until - number):
            wanted = [(number + i, lines[i][:LONGEST]) for i in range(max(first, 0), last)]
            if first < 0:
                start = pending[-1][0] if pending else 0
                wanted = [line for line in tail if line[0] >= number + first and line[0] > start] + wanted
            if pending and wanted and wanted[0][0] != pending[-1][0] + 1:
                yield pending
                pending = []
            pending += wanted
        until = number + (hits[-1] + AFTER if hits else (len(lines) if whole else until - number))
        tail = [(number + i, lines[i][:LONGEST]) for i in range(max(0, len(lines) - BEFORE), len(lines))]
        number += count
        if len(pending) > 2000:
            yield pending
            pending = []
    if pending:
        yield pending


def _blocks(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Blocks of whole lines, and whether the block is a whole small log. Lines beyond `LONGEST` bytes are cut apart."""
    carry = b""
    first = True
    for chunk in chunks:
        carry += chunk
        if first and len(carry) <= SMALL:
            continue
        first = False
        cut = carry.rfind(b"\n") + 1
        if cut:
            yield _no_ansi(carry[:cut]), False
            carry = carry[cut:]
        elif len(carry) > 4 * LONGEST:
            cut = carry.rfind(b"\r") + 1 or len(carry)
            yield _no_ansi(carry[:cut]) + b"\n", False
            carry = carry[cut:]
    if carry:
        yield _no_ansi(carry), first


def _no_ansi(block: bytes) -> bytes:
    return _ANSI.sub(b"", block) if b"\x1b" in block else block


def _hit_lines(block: bytes, seen: dict[bytes, int]) -> list[int]:
    """The numbers (from 0) of the lines that hold one of the literals, ascending; a warning that comes again and
    again is let go by after a while.
    """
    starts: set[int] = set()
    for literal in LITERALS:
        at = block.find(literal)
        while at >= 0:
            starts.add(block.rfind(b"\n", 0, at))
            end = block.find(b"\n", at)
            at = block.find(literal, end) if end >= 0 else -1
    lines, last, number = [], 0, 0
    for start in sorted(starts):
        number += block.count(b"\n", last, start + 1)
        last = start + 1
        if _worth_it(block, start + 1, seen):
            lines.append(number)
    return lines


def _worth_it(block: bytes, start: int, seen: dict[bytes, int]) -> bool:
    end = block.find(b"\n", start)
    line = block[start : min(end if end >= 0 else len(block), start + 2000)]
    if any(mark in line for mark in _STRONG):
        return True
    kind = line[:300].translate(None, b"0123456789")
    count = seen.get(kind, 0)
    if count < OFTEN and (count or len(seen) < KINDS):
        seen[kind] = count + 1
    return count < OFTEN


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


def _tail(block: bytes, number: int, count: int) -> list[Line]:
    piece = block[-BEFORE * 200 :]
    lines = piece.split(b"\n")
    if piece.endswith(b"\n"):
        lines.pop()
    if len(piece) < len(block):
        lines = lines[1:]
    lines = lines[-BEFORE:]
    return [(number + count - len(lines) + i, line[:LONGEST]) for i, line in enumerate(lines)]
