"""Of what a process wrote before it died, the line that says why; none where it is only a healthy one's lines."""

from __future__ import annotations

import re

_LONGEST = 300
_LEVEL = re.compile(r"^(?:([IWEF])\d{4} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: ([IWEF]) )")
"""How absl and TensorFlow begin a log line; of these, only F ends a process."""
_FATAL = re.compile(
    r"^Fatal Python error|\bCheck failed: |^terminate called|^\s*what\(\): |^python[^:]*: .*Assertion .* failed"
    r"|^LLVM ERROR|^free\(\)|^malloc\(\)|^double free|^corrupted |^munmap_chunk\(\)|^\*\*\* stack smashing"
)
_PREAMBLE = re.compile(r"^WARNING: All log messages before absl|^To enable the following instructions")
_FRAME = re.compile(r"^\s|^\[|^(Current thread|Thread) 0x|^Extension modules:|^\*\*\* |^PC: |^@ |^#\d")
"""Of a stack, of a traceback's code, or of its heading."""


def last_words(text: str) -> str:
    """The line that says why, at most 300 characters; "" if none does.

    The first fatal one; else the last that is neither a log line of TensorFlow (each healthy run has some, also at
    the level of an error) nor of a stack.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    for line in lines:
        level = _level(line)
        if level == "F" or (level is None and _FATAL.search(line)):
            return line.strip()[:_LONGEST]
    said = [n for n in lines if _level(n) is None and not _PREAMBLE.search(n) and not _FRAME.search(n)]
    return said[-1].strip()[:_LONGEST] if said else ""


def _level(line: str) -> str | None:
    found = _LEVEL.match(line)
    return None if found is None else found[1] or found[2]
