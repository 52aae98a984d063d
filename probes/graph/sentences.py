"""Lines of a script: those that nobody needs left out, what is used once put where it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

WIDTH = 100
Line = tuple[str, str]
"""(the name that it gives, or nothing, and the expression)."""

# Text in quotes and names of keyword arguments are no names of values.
_WORDS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![.\w])([A-Za-z_]\w*)(?!\w|=(?!=))""")
_STARTS = re.compile(r"(?:^|[(\[,]|\w=)\s*$")
_OPEN, _CLOSE = "([{", ")]}"


def said(lines: Sequence[Line], result: str) -> list[str]:
    """The lines that the result needs, and its `return`. A line is no longer than WIDTH for what was put into it."""
    lines = [*_needed(lines, result), ("return", result)]
    number = 0
    while number < len(lines):
        called, phrase = lines[number]
        at = _only_use(lines, number)
        if at is not None:
            name, other = lines[at]
            together = replaced(other, {called: phrase})
            if len(name) + 3 + len(together) <= WIDTH or together.count("(") == 0:
                lines[at] = (name, together)
                del lines[number]
                continue
        number += 1
    return [f"return {p}" if c == "return" else f"{c} = {p}" if c else p for c, p in lines]


def replaced(phrase: str, by: Mapping[str, str]) -> str:
    """The expression with other expressions in the place of names."""
    found, last = [], 0
    for start, end in _words(phrase):
        name = phrase[start:end]
        if name not in by:
            continue
        other = by[name]
        alone = _STARTS.search(phrase[:start]) and phrase[end : end + 1] in ("", ")", "]", ",")
        found += [phrase[last:start], other if alone or _is_one(other) else f"({other})"]
        last = end
    return "".join([*found, phrase[last:]])


def _needed(lines: Sequence[Line], result: str) -> list[Line]:
    needed = {result[a:b] for a, b in _words(result)}
    kept: list[Line] = []
    for called, phrase in reversed(lines):
        if called and called not in needed:
            continue
        needed.update(phrase[a:b] for a, b in _words(phrase))
        kept.append((called, phrase))
    return kept[::-1]


def _only_use(lines: Sequence[Line], number: int) -> int | None:
    """The line that alone uses what line `number` gives, and uses it once and not in a function of its own."""
    called = lines[number][0]
    uses = [
        (i, start)
        for i, (_, phrase) in enumerate(lines)
        if i > number
        for start, end in _words(phrase)
        if phrase[start:end] == called
    ]
    if not called or len(uses) != 1:
        return None
    at, start = uses[0]
    # Within a lambda it would be computed in the branch.
    return None if _in_lambda(lines[at][1], start) else at


def _in_lambda(phrase: str, at: int) -> bool:
    for match in re.finditer(r"\blambda\b", phrase[:at]):
        depth = 0
        for i in range(phrase.find(":", match.end()), len(phrase)):
            depth += (phrase[i] in _OPEN) - (phrase[i] in _CLOSE)
            if depth < 0 or (not depth and phrase[i] == ","):
                break
            if i == at:
                return True
    return False


def _words(phrase: str) -> Iterator[tuple[int, int]]:
    for match in _WORDS.finditer(phrase):
        if match[1]:
            yield match.span(1)


def _is_one(phrase: str) -> bool:
    """A name, a number, a call: what binds closer than any operator."""
    depth = 0
    for character in phrase:
        depth += (character in _OPEN) - (character in _CLOSE)
        if not depth and character in " -+*/":
            return False
    return not phrase.startswith("lambda")
