"""A list whose elements do not have one shape: which elements differ, and what put them there.

The shapes of the elements are facts of the recording. Where only the last ones are smaller, the loop that made them
goes on too near the end of what it cuts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xladoctor.diagnosis.first_suspect import suspect_at, with_first_suspect
from xladoctor.diagnosis.own_source import program_of, source_of
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Proof
from xladoctor.model.shapes import python_shape
from xladoctor.recording.run import Event, Recording, location
from xladoctor.sources.backward import Backward
from xladoctor.sources.filled import Filling, fillings
from xladoctor.sources.names import last_name, nodes_of

_SLUGS = frozenset({"concat-pack-mismatch", "dtype-mismatch", "rank-mismatch"})


@dataclass(frozen=True)
class _Elements:
    """Elements of one shape: how many there are, and the place (or the key) of the first."""

    shape: tuple[int | None, ...]
    count: int
    first: int | str


@dataclass(frozen=True)
class _Uneven:
    """A list of a frame of the failure. `at` is the line that the frame had come to."""

    name: str
    length: int
    elements: tuple[_Elements, ...]
    at: Location
    event: Event

    @property
    def short_end(self) -> int:
        """How many of the last elements are smaller than all before them, which have one shape; 0 if none is."""
        most, *others = self.elements
        places = [e.first for e in others if isinstance(e.first, int)]
        rest = self.length - most.count
        all_known = most.count + sum(e.count for e in others) == self.length
        if len(places) < len(others) or most.first != 0 or min(places) != most.count or not all_known:
            return 0
        return rest if all(_is_smaller(e.shape, most.shape) for e in others) and 2 * rest < self.length else 0


def with_uneven_list(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis; where a list of the failing lines was recorded as uneven, with the shapes of its elements, and
    with the loop that goes on too far as the first to suspect.
    """
    root = diagnosis.root
    if root is None or root.slug not in _SLUGS or root.level != "error" or root.status == "confirmed":
        return diagnosis
    lists = list(_lists(recording))
    raised = root.raised_at or root.location
    named = [u for u in lists if raised is not None and (u.at.file, u.at.line) == (raised.file, raised.line)] or lists
    if not named:
        return diagnosis
    uneven = named[-1]
    told = replace(
        root,
        title=f"The elements of `{uneven.name}` do not have one shape",
        message=f"{root.message} {_said(uneven)}",
        details={**root.details, "list": uneven.name, "elements": [_told(e) for e in uneven.elements]},
        evidence=(*root.evidence, Proof("event", _said(uneven), event_of(uneven.event))),
    )
    found = diagnosis.with_finding(root, told)
    back = Backward(program_of(recording, uneven.at.file))
    made = fillings(back, uneven.at.file, uneven.at.line or 0, uneven.name)
    return _with_line(found, told, recording, uneven, made)


def _with_line(
    diagnosis: Diagnosis, root: Finding, recording: Recording, uneven: _Uneven, made: Sequence[Filling]
) -> Diagnosis:
    """The diagnosis with what filled the list among its suspects: first, where the end of a loop is at fault."""
    if len(made) != 1:
        return diagnosis
    short, filling = uneven.short_end, made[0]
    if short and filling.loop is not None and not filling.steps:
        last = "last element" if short == 1 else f"last {short} elements"
        reason = f"The {last} of `{uneven.name}` {'is' if short == 1 else 'are'} smaller: the loop goes on too far."
        file, line = _range_of(recording, filling.file, filling.loop)
        return with_first_suspect(diagnosis, root, suspect_at(recording, file, line, reason), ())
    maker = suspect_at(recording, filling.file, filling.line, f"It gives the elements of `{uneven.name}`.")
    maker = replace(maker, likeliness="possible")
    at = (maker.location.file, maker.location.line)
    others = tuple(s for s in root.suspects if (s.location.file, s.location.line) != at)
    return diagnosis.with_finding(root, replace(root, suspects=(*others[:1], maker, *others[1:])))


def _range_of(recording: Recording, file: str, loop: int) -> tuple[str, int]:
    """Where the rounds of a loop are counted: in the function of the program that gives them, or in the loop."""
    source = source_of(recording, file)
    loops = [n for n in nodes_of(source.tree, ast.For) if n.lineno == loop] if source is not None else []
    name = last_name(loops[0].iter.func) if loops and isinstance(loops[0].iter, ast.Call) else ""
    for other, tree in program_of(recording).items() if name else ():
        for function in nodes_of(tree, ast.FunctionDef):
            counts = [c for c in nodes_of(function, ast.Call) if last_name(c.func) in ("range", "arange")]
            if function.name == name and len(counts) == 1:
                return other, counts[0].lineno
    return file, loop


def _lists(recording: Recording) -> Iterator[_Uneven]:
    """The uneven lists of the failure that ended the program, of the outer frames first."""
    failure = next((e for e in reversed(recording.raised) if (e["pid"], e["failure"]) in recording.uncaught), None)
    for frame in (failure or {}).get("frames") or ():
        at = location(frame) if frame.get("user") else None
        for told in frame.get("uneven") or () if at is not None else ():
            elements = tuple(_Elements(tuple(e["shape"]), e["count"], e["first"]) for e in told["shapes"])
            if failure is not None and at is not None and len(elements) > 1:
                yield _Uneven(told["name"], told["length"], elements, at, failure)


def _is_smaller(shape: Sequence[int | None], other: Sequence[int | None]) -> bool:
    pairs = list(zip(shape, other, strict=False))
    return len(shape) == len(other) and all(a is not None and b is not None and a <= b for a, b in pairs)


def _said(uneven: _Uneven) -> str:
    """The shapes of the elements: the most frequent first."""
    parts = []
    for elements in sorted(uneven.elements, key=lambda e: -e.count):
        place = f"`{elements.first}`" if isinstance(elements.first, str) else f"element {elements.first}"
        where = f"{'from ' if elements.count > 1 else ''}{place}"
        shape = f"of shape {python_shape(elements.shape)}" if elements.shape else "single numbers"
        parts.append(f"{elements.count} {shape} ({where})")
    return f"`{uneven.name}` has {uneven.length} elements: {', '.join(parts)}."


def _told(elements: _Elements) -> Mapping[str, Any]:
    return {"shape": list(elements.shape), "count": elements.count, "first": elements.first}
