"""A log as searched blocks of whole lines: in order, with a few of them under way at once.

Reading, decompressing, searching and counting release Python's lock, so the search of one block goes on while the next
is read and the last is looked at. At most `AHEAD` + threads blocks are in memory.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from xladoctor.logs.matcher import Block, scan
from xladoctor.machine import processors

if TYPE_CHECKING:
    from concurrent.futures import Future

BLOCK = 1 << 20
SMALL = 1 << 16
LONGEST = 1 << 16
DEEP = 12_000
"""A hit beyond this column would be cut off with the end of its line."""
# Where a line goes on beyond a block, so much of it is handed on twice: no message is cut at the border.
LAP = 1 << 15
AHEAD = 2
# So many blocks are read before threads (and NumPy, to count lines) are worth their start.
ALONE = 24


def lines_of(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Chunks of any cut, as blocks that end with a line. A line that is longer than a block comes in
    parts; the beginning of the next part stands behind the end of each.
    """
    carry = b""
    for chunk in chunks:
        carry = carry + chunk if carry else chunk
        cut = carry.rfind(b"\n") + 1
        if not cut and len(carry) > 4 * LONGEST:
            cut = carry.rfind(b"\r") + 1 or len(carry) - LAP
        if cut and len(carry) > SMALL:
            yield carry, cut
            carry = carry[cut:]
    if carry:
        yield carry, len(carry)


def lines_of_file(descriptor: int, told: Callable[[int], None]) -> Iterator[tuple[bytes, int]]:
    """The same of a plain file, without copying anything: what stands behind the last line end is read again.

    `told` hears how many bytes each block has.
    """
    at = 0
    while data := os.pread(descriptor, BLOCK, at):
        cut = data.rfind(b"\n") + 1
        if len(data) < BLOCK:
            # The end of the file, unless it is being written to: then the rest comes with the next block.
            cut = cut if at + len(data) < os.fstat(descriptor).st_size and cut else len(data)
        elif not cut:
            cut = data.rfind(b"\r") + 1 or len(data) - LAP
        at += cut
        told(cut)
        yield data, cut


def searched(
    blocks: Iterable[tuple[bytes, int]], threads: int | None = None, more: tuple[bytes, ...] = ()
) -> Iterator[Block]:
    """The blocks with their hits (`more`: of these literals too), in order. A whole log of up to `SMALL` bytes is
    not searched: all of it counts.
    """
    source = iter(blocks)
    first = next(source, None)
    if first is None:
        return
    second = next(source, None)
    if second is None and first[1] == len(first[0]) <= SMALL and not _has_longer(first[0], DEEP):
        yield Block(first[0], first[1], None, first[0].count(b"\n"))
        return
    yield scan(*first, more)
    if second is None:
        return
    yield scan(*second, more)
    for _ in range(ALONE):
        block = next(source, None)
        if block is None:
            return
        yield scan(*block, more)
    threads = min(processors(), 4) if threads is None else threads
    yield from _together(source, threads, more) if threads > 1 else (scan(*block, more) for block in source)


def _has_longer(data: bytes, limit: int) -> bool:
    """Whether a line is longer than `limit`."""
    at = 0
    while len(data) - at > limit:
        end = data.rfind(b"\n", at, at + limit + 1)
        if end < 0:
            return True
        at = end + 1
    return False


def _together(blocks: Iterator[tuple[bytes, int]], threads: int, more: tuple[bytes, ...]) -> Iterator[Block]:
    from concurrent.futures import ThreadPoolExecutor

    import numpy  # noqa: F401 - `matcher.newlines` uses it once it is there

    waiting: deque[Future[Block]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="xladoctor-log")
    try:
        for data, end in blocks:
            waiting.append(pool.submit(scan, data, end, more))
            if len(waiting) >= threads + AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # Also when nobody wants the rest any more: an interrupt, a reader that stops.
        pool.shutdown(wait=False, cancel_futures=True)
