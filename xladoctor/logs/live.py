"""A log that is read while it is written: what it shows so far, at any time."""

from __future__ import annotations

from collections import deque

from xladoctor.logs.blocks import LONGEST
from xladoctor.logs.matcher import scan
from xladoctor.logs.prefilter import AFTER, BEFORE, line_numbers
from xladoctor.logs.read import Collector, evidence_of
from xladoctor.logs.repeats import Repeats
from xladoctor.model.evidence import LogEvidence


class LiveLog:
    """Takes bytes of any cut. `changed` says whether an error or warning came since it was last asked."""

    def __init__(self, name: str, literals: tuple[str, ...] = ()) -> None:
        self._name = name
        self._collector = Collector(name, literals)
        self._more = tuple(literal.encode() for literal in literals)
        self._repeats = Repeats()
        self._rest = b""
        self._number = 1
        self._open = False
        self._until = 0
        self._before: deque[tuple[int, bytes]] = deque(maxlen=BEFORE)
        self._size = 0
        self._told = 0

    def feed(self, data: bytes) -> None:
        """Take what was written; a line counts once it is complete."""
        self._size += len(data)
        data = self._rest + data
        cut = data.rfind(b"\n") + 1 or (len(data) if len(data) > LONGEST else 0)
        self._rest = data[cut:]
        if cut:
            self._take(data[:cut])

    def settle(self) -> None:
        """Nothing came for a while: what is open is all there is of it. A line without its end is looked at if it could
        be an error; else it is a progress bar, and goes on.
        """
        if self._rest and scan(self._rest, len(self._rest), self._more).hits:
            self._take_rest()
        self._collector.settle()

    def interrupted(self) -> None:
        """What comes next does not continue what came last: another file has the name, or the file was emptied."""
        self._take_rest()
        self._collector.settle()
        self._number += self._open
        self._open = False
        self._until = 0
        self._before.clear()

    @property
    def changed(self) -> bool:
        """Whether there are records that were not there when this was last asked."""
        told, self._told = self._told, self._collector.count
        return self._told != told

    def close(self) -> LogEvidence:
        """All that the log showed, now that no more of it comes."""
        self._take_rest()
        self._collector.close()
        return self.evidence()

    def evidence(self) -> LogEvidence:
        """What the log shows so far. Lines are counted on where a log was rotated or emptied."""
        return evidence_of([(self._name, self._size, self._collector)])

    def _take_rest(self) -> None:
        rest, self._rest = self._rest, b""
        if rest:
            self._take(rest)

    def _take(self, data: bytes) -> None:
        block = scan(data, len(data), self._more)
        found = self._repeats.worth_it(block, block.end)
        texts = block.data.removesuffix(b"\n").split(b"\n")
        marked = frozenset(line_numbers(block, found, texts))
        lines = [(self._number + at, line if at in marked else line[:LONGEST]) for at, line in enumerate(texts)]
        end = self._number + len(lines)
        self._open = not data.endswith(b"\n")
        if found:
            # Whole pieces: they are small, and what belongs together often comes together.
            self._until = end + AFTER
            self._collector.take([*self._before, *lines])
            self._before.clear()
        elif self._until > self._number:
            near = lines[: self._until - self._number]
            self._collector.take(near)
            self._before.extend(lines[len(near) :])
        else:
            self._before.extend(lines)
        self._collector.activity.block(block, self._number, found[-1][0] if found else None)
        # What comes next goes on with a line that had no end.
        self._number = end - self._open
