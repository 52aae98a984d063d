"""What else a log tells while it is read: the version, XLA's flags, that it compiled something, and whether training
went on.
"""

from __future__ import annotations

import re

from xladoctor.logs.flags import flags_set
from xladoctor.logs.literals import COMPILED, FLAGS
from xladoctor.logs.matcher import Block, newlines, word

# The number first, since few lines have one; then what stands before it.
# One pattern a major version: what begins with a fixed letter is found four times as fast.
_NUMBERS = tuple(re.compile(major + rb"\.\d{1,2}\.\d{1,2}(?:-?rc\d)?(?![\w.])") for major in (b"1", b"2"))
_VERSION = re.compile(
    rb"(?:[Tt]ensor[Ff]low|TENSORFLOW|\bTF|\btf)(?:[-_ ]?(?:cpu|gpu))?[ :=_-]{0,4}"
    rb"(?:__version__|[Vv]ersion|VERSION)?[\"'():=, ]{0,6}v?$"
)
_BEFORE = 48
_HEAD = 20_000
_EPOCH = b"Epoch "


class Activity:
    """A watcher of blocks. `last_epoch` is the line of the last `Epoch n/m` below the last line that was looked at."""

    def __init__(self) -> None:
        self.lines = 0
        self.version: str | None = None
        self.compiled = False
        self.flags: dict[str, tuple[str, int]] = {}
        self.last_epoch = 0
        self._suspect = False
        self._open = False

    def block(self, block: Block, number: int, suspect: int | None) -> None:
        """Look at one block whose first line has this number."""
        data, end = block.data, block.end
        if self.version is None and number <= _HEAD:
            self._find_version(data, end)
        facts = {literal for literal, *_ in block.hits} if block.hits is not None else {COMPILED, FLAGS}
        if not self.compiled and COMPILED in facts:
            self.compiled = b"Compiled cluster using XLA" in data
        if FLAGS in facts:
            for variable, value, at in flags_set(data[:end]):
                self.flags.setdefault(variable, (value, number + newlines(data[:at], at)))
        self._suspect |= suspect is not None
        if self._suspect:
            at = _last_epoch(data, end, whole=block.hits is None)
            if at >= 0:
                self.last_epoch = number + newlines(data[:at], at)
                self._suspect = suspect is not None and at < suspect
        self.lines += block.newlines
        self._open = not data.endswith(b"\n", 0, end)

    def finish(self) -> None:
        """The last line counts, also where no line end follows it."""
        self.lines += self._open

    @property
    def unfinished(self) -> bool:
        """Whether the last line has no end, as where a log was cut."""
        return self._open

    def _find_version(self, data: bytes, end: int) -> None:
        for number in _NUMBERS:
            for found in number.finditer(data, 0, end):
                if _VERSION.search(data[max(found.start() - _BEFORE, 0) : found.start()]):
                    # The first of all counts.
                    self.version, end = found[0].decode(), found.start()
                    break


def _last_epoch(data: bytes, end: int, whole: bool) -> int:
    """Where the last line that begins with `Epoch ` does, or -1."""
    near = 0 if whole else max(end - (1 << 16), 0)
    at = max(data.rfind(b"\nEpoch ", near, end), data.rfind(b"\rEpoch ", near, end))
    if at >= 0 or not near:
        return at + 1 if at >= 0 else 0 if data.startswith(_EPOCH) else -1
    for _, start, _ in reversed(word(_EPOCH).find_matches_as_indexes(data)):
        if start < end and (start == 0 or data[start - 1 : start] in b"\r\n"):
            return start
    return -1
