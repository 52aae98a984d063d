"""Which kinds of lines mean nothing by themselves, and which whole logs do.

An inert line, met while nothing is open, makes no record and is part of none: it only stands above the next error. Most
lines of most logs are so. Whatever the segmenter, or the search for bare words, may look at makes a line not inert; to
be wrong on that side costs time and no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xladoctor.logs import signatures
from xladoctor.logs.bare import says_wrong
from xladoctor.logs.bounds import HEADER, NODE, RAISED
from xladoctor.logs.clean import CPP, KINDS, Clean, wraps_at
from xladoctor.logs.endings import death, glued, is_progress, is_work
from xladoctor.logs.frames import arrow, ipython_frame, pytest_frame, python_frame
from xladoctor.logs.kinds import LONGEST, MOST, ZEROS, Kind


class Inert:
    """Knows inert kinds, where a line that holds one of `literals` (of rules) is an error."""

    def __init__(self, literals: tuple[str, ...]) -> None:
        self._literals = tuple({signatures.zeros(literal) for literal in literals})
        self._judged: dict[Kind, bool] = {}
        # Kinds of whole lines: their lengths, raw and cleaned, and how far they are indented (None: not at all).
        self._quiet: dict[bytes, tuple[int, int, int | None]] = {}

    def judge(self, kind: Kind) -> bool:
        """Whether a kind is inert."""
        inert = self._judged.get(kind)
        if inert is None:
            if len(self._judged) >= MOST:
                self._judged.clear()
            text = kind.clean
            inert = self._judged[kind] = not text or not self._means_something(text, kind.cpp)
            if inert and text:
                kind.progress, kind.works = is_progress(text), is_work(text)
        return inert

    def judge_all(self, kinds: Sequence[Kind | list[Clean]]) -> list[bool]:
        """The same of many; what has no kind is not inert."""
        known = self._judged
        return [
            isinstance(kind, Kind) and (inert if (inert := known.get(kind)) is not None else self.judge(kind))
            for kind in kinds
        ]

    def _means_something(self, text: str, cpp: bool) -> bool:
        if HEADER in text or any(literal in text for literal in self._literals) or signatures.may_speak(text):
            return True
        if cpp:
            found = CPP.match(text)
            return found is None or (found[1] or found[2]) != "I"
        return bool(
            python_frame(text)
            or pytest_frame(text)
            or ipython_frame(text)
            or arrow(text)
            or RAISED.search(text)
            or death(text)
            or glued(text)
            or signatures.warns(text)
            or ("[[" in text and NODE.match(text))
            or says_wrong(text)
        )

    def all_quiet(self, data: bytes) -> bool:
        """Whether every line of a whole log is inert, and none of them can become another line by what its neighbours
        are like (a terminal that broke lines, a prefix that all have, a margin): such a log has no records at all.
        """
        kinds = data.translate(ZEROS).split(b"\n")
        if not kinds[-1]:
            kinds.pop()
        known = self._quiet
        for line in set(kinds) - known.keys():
            if not self._learn(line):
                return False
        rows = [known[line] for line in kinds]
        if rows and min((row[2] for row in rows if row[2] is not None), default=0) > 0:
            return False
        return not (_may_wrap(kinds, [row[0] for row in rows]) or _may_wrap(kinds, [row[1] for row in rows]))

    def _learn(self, line: bytes) -> bool:
        """Note a kind of lines if it is quiet."""
        kind = KINDS.of_zeros(line) if len(line) <= LONGEST else None
        if kind is None or not self.judge(kind) or kind.prefixed:
            return False
        if len(self._quiet) >= MOST:
            self._quiet.clear()
            return False  # the other lines of this log were noted there, too
        clean = kind.clean
        self._quiet[line] = kind.length, len(clean), len(clean) - len(clean.lstrip()) if clean else None
        return True


def _may_wrap(kinds: Sequence[bytes], lengths: Sequence[int]) -> bool:
    """Whether lines of these lengths could have been broken by a terminal: see `clean._wrap_width`."""
    width, enough = wraps_at(lengths)
    if not width:
        return False
    ending = {kind.replace(b"0", b"") for kind, length in zip(kinds, lengths, strict=True) if length == width}
    return len(ending) >= enough


@cache
def inert_by(literals: tuple[str, ...]) -> Inert:
    """The one that knows these literals, with what it has learnt so far."""
    return Inert(literals)
