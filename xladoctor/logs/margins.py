"""A prefix that the lines of a log share, learned from them: no list of formats knows every logger.

A line in which a traceback or an error begins later than at its first character shows what stands before it. Where
nearly all lines of the region begin so, whatever their digits and their level of severity, it is a prefix.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xladoctor.patterns import pattern

_BEGINS = pattern(
    r"Traceback \(most recent call last|File \"[^\"]{1,500}\", line \d|Detected at node |Stack trace for op definition"
    r"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.:]\d{1,9}: [IWEF] |\b[IWEF]\d{4} \d\d:\d\d:[\d.:]{1,24}\s{1,9}\d{1,10} "
    r"[\w./+-]{1,300}\.cc:"
    r"|(?:\b[A-Za-z_]\w{0,60}\.){0,8}\b[A-Z]\w{0,60}(?:Error|Exception): "
)
# One of them is in whatever the pattern finds: to look for it in a line of training takes a tenth of the time.
_MARKS = ("rror: ", "ception: ", 'File "', "Traceback (", "Detected at node ", "Stack trace for op", ": W ", ": E ",
          ": I ", ": F ", ".cc:")  # fmt: skip
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)"
_VARIES = pattern(rf"\b(?=[\da-f]{{0,15}}\d)[\da-f]{{4,32}}\b|\d+|\b{_LEVEL}\b")
LONGEST = 200
"""Characters of a prefix."""
_LINES, _CANDIDATES, _LEAST, _SHARE = 400, 4, 3, 0.8


def shared_prefix(lines: Sequence[str]) -> re.Pattern[str] | None:
    """What at least four fifths of the lines of one region that are not empty begin with, or None."""
    told = [line for line in lines[: 4 * _LINES] if line.strip()]
    seen: set[str] = set()
    for line in told[:_LINES]:
        prefix = _in_front(line)
        if prefix is None:
            continue
        if line.startswith('File "', len(prefix)) and prefix.endswith("  "):
            prefix = prefix[:-2]  # a frame is indented in its traceback
        text = _pattern(prefix)
        if text in seen:
            continue
        seen.add(text)
        shared = re.compile(text)
        fitting = sum(shared.match(each) is not None for each in told)
        if fitting >= _LEAST and fitting >= _SHARE * len(told):
            return shared
        if len(seen) == _CANDIDATES:
            break
    return None


def may_follow_prefix(line: str) -> bool:
    """Whether a line shows a prefix that its neighbours could have."""
    return _in_front(line) is not None


def _in_front(line: str) -> str | None:
    """What stands in front of a traceback or an error that begins within the line, if anything does."""
    found = _BEGINS.search(line, 0, LONGEST + 600) if any(mark in line for mark in _MARKS) else None
    prefix = line[: found.start()] if found else ""
    return prefix if prefix.strip() and len(prefix) <= LONGEST else None


def _pattern(prefix: str) -> str:
    """The prefix with any digits (also hexadecimal) and any level; an empty line lacks the white space at its end."""
    bare = prefix.rstrip()
    parts, at = [], len(bare) - len(bare.lstrip(" "))
    margin = " *" if at else ""
    for found in _VARIES.finditer(bare):
        form = _LEVEL if found[0].isupper() else r"[\da-f]+" if len(found[0]) >= 4 else r"\d+"
        parts += [re.escape(bare[at : found.start()]), form]
        at = found.end()
    parts.append(re.escape(bare[at:]))
    end = re.escape(prefix[len(bare) :])
    return margin + "".join(parts) + (rf"(?:{end}|\s*$)" if end else "")
