"""What is known of a failure that an edit of the source may mend."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from xladoctor.edits.text import Candidate, Change, Text
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Finding
from xladoctor.recording.run import Event

Sizes = tuple[int | None, ...]

_SHAPE = re.compile(r"[\[(]((?:None|\?|\d{1,9})(?: ?, ?(?:None|\?|\d{1,9})){0,11},?)[\])]")
_FAR = 5.0
_NEAR = 3.0
"""Up to here a line is one of those that are suspected, or of the way to them."""
SHARE = 0.6
"""What a step away from what is suspected costs an edit."""
_ALIKE = -2.5
_MOST = 20_000


@dataclass(frozen=True)
class Facts:
    """A failure: its class, its words, the sizes and shapes in them, and the lines that are near to it.

    `lines` maps (file, line) to how far it is from what is suspected: 0 is the first suspect. `locals` are the shapes
    of the failing calls' local names.
    """

    slug: str = ""
    message: str = ""
    op: str = ""
    sizes: tuple[int, ...] = ()
    shapes: tuple[Sizes, ...] = ()
    lines: Mapping[tuple[str, int], float] = field(default_factory=dict)
    locals: Mapping[str, Sizes] = field(default_factory=dict)
    suspects: tuple[Suspect, ...] = ()
    elements: tuple[int, int] | None = None
    """Of a reshape: how many elements there are, and how many it asks for. They are no sizes of axes."""

    def says(self, *words: str) -> bool:
        """Whether the message has one of these words, whatever their case."""
        low = self.message.lower()
        return any(word in low for word in words)

    def far(self, file: str, line: int) -> float:
        """How far a line is from what is suspected."""
        return self.lines.get((file, line), _FAR)

    def is_near(self, text: Text, node: ast.AST) -> bool:
        """Whether a node stands in one of the lines that are suspected, or on the way to them."""
        return self.far(str(text.file), getattr(node, "lineno", 0)) <= _NEAR

    def other(self, size: int) -> list[int]:
        """The sizes that one meets where it should not, each once."""
        return [n for n in dict.fromkeys(self.sizes) if n != size]


def facts_of(finding: Finding, failure: Event | None) -> Facts:
    """What a finding and its recorded exception say."""
    message = str((failure or {}).get("message") or "") or " ".join(p.text for p in finding.evidence if p.kind == "log")
    shapes = tuple(_shape(m[1]) for m in _SHAPE.finditer(message[:_MOST]) if not _counts(message, m.start()))[:12]
    own = [n for n in finding.dims if isinstance(n, int) and not isinstance(n, bool)]
    elements = (own[0], own[1]) if finding.slug == "reshape-mismatch" and len(own) == 2 and min(own) > 0 else None
    no_sizes = set(elements or ()) | _batch(shapes)
    every = dict.fromkeys([*own, *(n for shape in shapes for n in shape if n is not None)])
    sizes = tuple([n for n in every if n not in no_sizes] or ([] if elements else every))[:16]
    known: dict[str, Sizes] = {}
    for frame in (failure or {}).get("frames") or ():
        for tensor in frame.get("tensors") or () if frame.get("user") else ():
            if isinstance(tensor.get("shape"), list):
                known[str(tensor.get("name"))] = tuple(tensor["shape"])
    return Facts(
        finding.slug, message, finding.op or "", sizes, shapes, _lines(finding, failure), known, finding.suspects,
        elements,
    )  # fmt: skip


def _batch(shapes: tuple[Sizes, ...]) -> set[int]:
    """The rows that two shapes agree on: they have no part in what does not fit, unless elsewhere in the shapes."""
    if len(shapes) != 2 or not all(shapes) or max(map(len, shapes)) < 2:
        return set()
    one, other = shapes
    rest = {*one[1:], *other[1:]}
    return {one[0]} if one[0] is not None and one[0] == other[0] and one[0] not in rest and rest - {None} else set()


def _counts(message: str, at: int) -> bool:
    """Whether a bracket says which one of several is meant, as in `In[0]`, and holds no shape."""
    return message[at] == "[" and message[max(0, at - 1) : at].isalnum()


def _shape(text: str) -> Sizes:
    return tuple(int(p) if p.strip().isdigit() else None for p in text.split(",") if p.strip())


def _lines(finding: Finding, failure: Event | None) -> dict[tuple[str, int], float]:
    """Suspects in their order, then the two operands' lines, then those of the way there, then the calls."""
    found: dict[tuple[str, int], float] = {}

    def near(location: object, far: float) -> None:
        file, line = getattr(location, "file", None), getattr(location, "line", None)
        if file and line:
            found.setdefault((str(file), int(line)), far)

    for number, suspect in enumerate(finding.suspects):
        near(suspect.location, min(0.5 * number, 3.0))
    for operand in finding.constraint.operands if finding.constraint else ():
        near(operand.maker, 1.0)
        near(operand.given_at, 1.5)
    near(finding.raised_at or finding.location, 1.5)
    for way in finding.provenance:
        for step in way.steps:
            near(step.location, 2.0)
    for frame in reversed((failure or {}).get("frames") or ()):
        if frame.get("user") and isinstance(frame.get("line"), int):
            found.setdefault((str(frame.get("file")), int(frame["line"])), 3.0)
    return found


def candidate(text: Text, facts: Facts, kind: str, why: str, cost: float, *changes: Change) -> Candidate:
    """An edit of a source; the line is that of its first change in the code (an import that it needs comes along)."""
    main = changes[0]
    line = text.line_of(main.start)
    cost += SHARE * facts.far(str(text.file), line)
    if any(s.edit == kind and (s.location.file, s.location.line) == (str(text.file), line) for s in facts.suspects):
        cost += _ALIKE
    return Candidate(text.file, line, kind, text.line(line), _new(text.text, main, changes), why, changes, cost)


def _new(text: str, main: Change, changes: tuple[Change, ...]) -> str:
    """The lines of a change as they would be, in one."""
    start = text.rfind("\n", 0, main.start) + 1
    end = text.find("\n", main.end)
    end = len(text) if end < 0 else end
    row = text[start:end]
    for change in sorted((c for c in changes if start <= c.start and c.end <= end), key=lambda c: -c.start):
        row = row[: change.start - start] + change.text + row[change.end - start :]
    return " ".join(part.strip() for part in row.split("\n") if part.strip())[:200]
