"""What a log says outside of any error: a person pasted only the message, or a program printed `str(error)`.

A line that says that something is wrong is kept with the lines below it. It is no error record: only where a log has
none, the rules are asked whether one of them knows the words (`rules/bare.py`).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from xladoctor.logs import message
from xladoctor.logs.clean import CPP
from xladoctor.logs.endings import is_progress, is_work
from xladoctor.logs.kinds import Kind
from xladoctor.model.evidence import ErrorRecord
from xladoctor.patterns import pattern

MOST, SEEN, LINES, CHARACTERS = 64, 2000, 12, 4000
"""How many such places are kept of a log (the last ones), of how many different ones, and how much of each."""
NARROW = 60
"""A line that is shorter than this was not broken by a terminal or a mail program."""
_NUMBERS = pattern(r"\d+")
_WRONG = pattern(
    r"(?i)\b(?:can ?not|can't|could ?n[o']t|couldn't|unable|must|should|expect(?:s|ed|ing)?|incompatible|mis-?match\w*|"
    r"differ(?:s|ent)?|invalid|unsupported|not (?:\w{1,12} )?(?:support(?:ed)?|available|compatible|equal|match|found|"
    r"in)|(?:does|do|did|has|is|are) not|no \w{1,30} \w{1,30} (?:is|was) \w{1,12}|un(?:equal|known)|"
    r"fail(?:s|ed|ure)?|exceed(?:s|ed)?|out of|too (?:small|large|many|few)|error|but|requires?|only|"
    r"negative|got|received|found)\b"
)
# Code, a warning of Python or of a logger, a heading: none is the message of an error.
_OTHER = pattern(
    r"^\s*(?:(?:raise|assert|print|return|def|class|import|from|if|for|while|with|try|except|else)\b|@|>>>|\.\.\.|"
    r"[\w.]{1,60} ?= |[-=*_#]{3,})|(?i:\bwarn(?:ing|ings)?\b|\bdeprecat\w{1,8}\b|\bnote:)|Warning\b"
)
# A compiler's way to name the place: `graph.mlir:47:59: error: ...`.
_DIAGNOSTIC = pattern(r"^\S{1,300}?:\d{1,7}:\d{1,5}: (?:error|fatal error): ")


def says_wrong(text: str) -> bool:
    """Whether a line says that something is wrong, and is no code, warning or heading."""
    return bool(not CPP.match(text) and _WRONG.search(text, 0, CHARACTERS) and not _OTHER.search(text, 0, 200))


@dataclass
class _Words:
    number: int
    lines: list[str]
    size: int
    last: int


@dataclass
class Bare:
    """The places of one stream, as they come; the same words (but for their numbers) count once."""

    source: str
    stream: str | None
    _kept: deque[_Words] = field(default_factory=lambda: deque(maxlen=MOST))
    _open: list[_Words] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _worked: int = 0
    _above: str = ""

    def take(self, number: int, text: str, *, taken: bool) -> None:
        """Take a line outside of any error; `taken` where one begins with it."""
        above, self._above = self._above, ""
        if taken or not text.strip():
            self._open.clear()
            return
        if is_progress(text):
            self._open.clear()
            self._worked = number
            return
        self._go_on(number, text, cpp=bool(len(text) >= NARROW and CPP.match(text)))
        if says_wrong(text):
            self._begin(number, [above, text[:CHARACTERS]] if above and not self._open else [text[:CHARACTERS]])
        elif is_work(text):
            self._worked = number

    def take_inert(self, number: int, text: str, kind: Kind) -> None:
        """The same of a line of an inert kind: it says nothing wrong."""
        if not text or kind.progress:
            self._above = ""
            self._open.clear()
            self._worked = number if kind.progress else self._worked
            return
        self._go_on(number, text, cpp=kind.cpp)
        if kind.works:
            self._worked = number

    def _go_on(self, number: int, text: str, *, cpp: bool) -> None:
        """Add a line to the places that are open."""
        self._above = text[:CHARACTERS] if len(text) >= NARROW and not cpp else ""
        if not self._open:
            return
        self._open = [words for words in self._open if len(words.lines) < LINES and words.size < CHARACTERS]
        for words in self._open:
            words.lines.append(text[:CHARACTERS])
            words.size += len(text)
            words.last = number

    @property
    def is_open(self) -> bool:
        """Whether the next line goes on with such a place."""
        return bool(self._open)

    def pass_by(self, above: str, worked: int) -> None:
        """Take lines that are none of this, while no place is open: the last one, and the last that shows work."""
        self._above = above[:CHARACTERS] if len(above) >= NARROW else ""
        self._worked = worked or self._worked

    def _begin(self, number: int, lines: list[str]) -> None:
        key = _NUMBERS.sub("", lines[-1][:200])
        if key in self._seen or len(self._seen) >= SEEN:
            return
        self._seen.add(key)
        words = _Words(number - len(lines) + 1, lines, sum(map(len, lines)), number)
        self._kept.append(words)
        self._open.append(words)

    def above(self, text: str) -> str:
        """What stands right above a line that goes on with it, from where it says that something is wrong."""
        if text[:1].islower() and not self._above:  # a short line was not broken
            return ""
        return "\n".join(self._open[0].lines) if self._open else self._above

    def gone(self) -> None:
        """What stood above belongs to an error."""
        self._above = ""
        self._open.clear()

    def records(self) -> list[ErrorRecord]:
        """The places as records, each with what its words name. Where work is seen below, it is a warning."""
        return [self._record(words) for words in self._kept]

    def _record(self, words: _Words) -> ErrorRecord:
        lines = [_DIAGNOSTIC.sub("", words.lines[0]), *words.lines[1:]]
        first = message.first_root("\n".join(lines))
        return ErrorRecord(
            text=message.tidy(lines),
            level="warning" if self._worked > words.last else "error",
            where=f"{self.source}:{words.number}",
            nodes=message.nodes(first),
            op=message.op(first),
            device=message.device(first),
            ended_run=False,
            stream=self.stream,
        )
