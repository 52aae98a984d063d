"""Would the constraints hold with an edit? The edited source is followed with sizes, as blame follows it; nothing runs.

This only orders the candidates: what it says of an edit is no result. Where the source alone does not show the broken
constraint, it says nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from xladoctor.blame.crash import Crash
from xladoctor.blame.follow import Follower
from xladoctor.blame.values import Clash
from xladoctor.edits.facts import Facts
from xladoctor.edits.text import Candidate, Text
from xladoctor.sources.files import Files

SECONDS = 15.0
_HOLDS, _MOVES, _SAME = -4.0, 4.0, 9.0

Key = tuple[str, int, str]


class Constraints:
    """The constraints of a program as its source shows them, with and without an edit."""

    def __init__(self, texts: Mapping[Path, Text], facts: Facts, main: str, read: Callable[[str], str | None]) -> None:
        self._texts = {str(file): text.text for file, text in texts.items()}
        self._read = read
        self._main = main
        self._before = self._broken({})
        self._meant = {key for key, clash in self._before.items() if _is_meant(key, clash, facts)}

    @property
    def known(self) -> bool:
        """Whether the source alone shows the constraint that the failure is about."""
        return bool(self._meant)

    def cost(self, one: Candidate) -> float:
        """What an edit costs more, or less, for what it does to the constraints."""
        text = self._texts[str(one.file)]
        after = one.applied(text)
        longer = after.count("\n") - text.count("\n")
        broken = {
            (file, line - longer if file == str(one.file) and line > one.line else line, what)
            for file, line, what in self._broken({str(one.file): after})
        }
        if broken & self._meant:
            return _SAME
        return _MOVES if broken - set(self._before) else _HOLDS

    def hold(self, one: Candidate) -> bool:
        """Whether the constraint of the failure holds after an edit, and no other is broken by it."""
        return self.known and self.cost(one) == _HOLDS

    def _broken(self, edited: Mapping[str, str]) -> dict[Key, Clash]:
        """The clashes of the whole program, by the line where each shows."""
        files = Files(lambda name: edited.get(name) or self._read(name), (str(Path(self._main).parent),))
        run = Follower(files, Crash(()), {})
        try:
            run.run(self._main)
        except Exception:
            # It follows programs of any kind by guesses; what it stumbles over is no constraint.
            return {}
        return {(*clash.stack[-1], clash.what): clash for clash in run.clashes if clash.stack}


def ordered(candidates: Iterable[Candidate], constraints: Constraints, seconds: float = SECONDS) -> list[Candidate]:
    """The candidates with what the constraints say of them, sorted by cost; those that there is no time for as they
    are.
    """
    until = time.monotonic() + seconds
    judged = []
    for one in candidates:
        more = _HOLDS if one.followed else 0.0
        if not one.followed and constraints.known and time.monotonic() < until:
            more = constraints.cost(one)
        judged.append(replace(one, cost=one.cost + more))
    return sorted(judged, key=lambda c: c.cost)


def _is_meant(key: Key, clash: Clash, facts: Facts) -> bool:
    """Whether a clash is that of the failure: at one of its lines, or of its very sizes."""
    sizes = [side.size for side in clash.sides if side.size is not None]
    known = {*facts.sizes, *(facts.elements or ())}
    of_sizes = len(sizes) > 1 and all(size in known for size in sizes)
    return of_sizes or any((file, line) in facts.lines for file, line in clash.stack)
