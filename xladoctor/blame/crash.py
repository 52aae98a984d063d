"""What was recorded of a failure: the user's calls with the shapes in them, and the sizes that the message names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xladoctor.logs.frames import is_user
from xladoctor.model.diagnosis import Finding
from xladoctor.recording.run import ShapeAfter

_USER_CODE = re.compile(r'^ {4}File "([^"\n]{1,400})", line (\d{1,7}), in (\S{1,200})( {2}\*)?', re.MULTILINE)
"""A call within a traced function, as a message names it; those with a star are of AutoGraph's copies."""
_SHAPE = re.compile(r"(?:(?<!\w)\[|\()((?:None|\?|-1|\d{1,9})(?: ?, ?(?:None|\?|-1|\d{1,9})){0,11},?)[\])]")
_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.])")


@dataclass(frozen=True)
class Frame:
    """One of the user's calls: `shapes` and `dtypes` are those of its locals."""

    file: str
    line: int
    function: str
    shapes: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)


Sizes = tuple[int | None, ...]


@dataclass(frozen=True)
class Seen:
    """What was recorded of models: shapes by (file, line).

    Attributes:
        calls: of the arrays that `fit`, `evaluate` and `predict` were given, in the order of x and y.
        outputs: of a model built there; of a Sequential after each `add`.
        argv: the program's command line.
        after: that a name always had after a line in a second run, by file, line and name.
        rows: all shapes of that run, in the order in which they came up.
        ops: what is in the graph that failed, where the message names an argument of it in place of an op.
    """

    calls: Mapping[tuple[str, int], tuple[Sizes | None, ...]] = field(default_factory=dict)
    outputs: Mapping[tuple[str, int], tuple[Sizes | None, ...]] = field(default_factory=dict)
    argv: tuple[str, ...] = ()
    after: Mapping[tuple[str, int, str], Sizes] = field(default_factory=dict)
    rows: tuple[ShapeAfter, ...] = ()
    ops: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Crash:
    """A failure. `frames` are the user's calls, outermost first; `sizes` the numbers of the message that disagree."""

    frames: tuple[Frame, ...]
    message: str = ""
    sizes: tuple[int, ...] = ()
    shapes: tuple[tuple[int | None, ...], ...] = ()
    slug: str = ""
    op: str = ""
    seen: Seen = field(default_factory=Seen)

    @property
    def at(self) -> Frame | None:
        """The innermost call."""
        return self.frames[-1] if self.frames else None

    def frame(self, file: str, function: str) -> Frame | None:
        """The recorded call of a function, the innermost where there are several."""
        for found in reversed(self.frames):
            if found.file == file and found.function.rpartition(".")[2] in (function, f"{function}>"):
                return found
        return None

    def matched(self, stack: Sequence[tuple[str, int, int]]) -> int:
        """How many of the calls that are under way are those of the traceback, from the innermost one outwards."""
        left = list(self.frames)
        found = 0
        for item in reversed(stack):
            if not left or not covers(item, left[-1]):
                break
            left.pop()
            found += 1
        return found

    def is_here(self, stack: Sequence[tuple[str, int, int]]) -> bool | None:
        """Whether the calls that are under way are those of the traceback: True all, False the innermost, None none."""
        last = self.frames[-1] if self.frames else None
        if last is None or not stack or not covers(stack[-1], last):
            return None
        if len(stack) != len(self.frames):
            return False
        return all(covers(item, frame) for item, frame in zip(stack, self.frames, strict=True))


def shortened(crash: Crash) -> int | None:
    """The one axis at which the first shape of the message has fewer elements than the second, but some; None where it
    is not known.
    """
    there, given = crash.shapes[:2] if len(crash.shapes) > 1 else ((), ())
    pairs = list(zip(there, given, strict=False)) if len(there) == len(given) else []
    short = [i for i, (a, b) in enumerate(pairs) if a is not None and b is not None and 0 < a < b]
    return short[0] if len(short) == 1 else None


def covers(item: tuple[str, int, int], frame: Frame) -> bool:
    """Whether a statement (its file, first and last line) holds the line of a call."""
    file, first, last = item
    return file == frame.file and first <= frame.line <= last


def seen(calls: Iterable[Mapping[str, Any]], models: Iterable[Mapping[str, Any]], argv: Sequence[str] = ()) -> Seen:
    """What the events of Keras calls and models tell, and the command line."""
    of_calls = {_line(e): tuple(map(_sizes_of, e.get("inputs") or ())) for e in calls if _line(e) is not None}
    built = (e for e in models if e.get("action") == "build" and _line(e) is not None)
    of_models = {_line(e): tuple(map(_sizes_of, e.get("outputs") or ())) for e in built}
    return Seen(
        {k: v for k, v in of_calls.items() if k is not None},
        {k: v for k, v in of_models.items() if k is not None},
        tuple(argv),
    )


def _line(event: Mapping[str, Any]) -> tuple[str, int] | None:
    where = event.get("where")
    known = isinstance(where, Mapping) and isinstance(where.get("file"), str) and isinstance(where.get("line"), int)
    return (where["file"], where["line"]) if known and isinstance(where, Mapping) else None


def _sizes_of(described: Any) -> Sizes | None:
    shape = described.get("shape") if isinstance(described, Mapping) else None
    return tuple(n if isinstance(n, int) else None for n in shape) if isinstance(shape, list) else None


def crash_of(finding: Finding, failure: Mapping[str, Any] | None, known: Seen | None = None) -> Crash:
    """The failure behind a finding: from its recorded event, and from the finding where there is none."""
    frames = [_frame(f) for f in (failure or {}).get("frames", ()) if f.get("user") and f.get("line")]
    message = str((failure or {}).get("message") or "") or " ".join(p.text for p in finding.evidence if p.kind == "log")
    frames = _without_comprehensions(_with_traced(frames, message, finding))
    at = finding.location
    if at is not None and at.line and not any((f.file, f.line) == (at.file, at.line) for f in frames):
        frames.append(Frame(at.file, at.line, at.function or "<module>"))
    shapes = shapes_in(message)
    sizes = _sizes(finding, message)
    return Crash(tuple(frames), message, sizes, shapes, finding.slug, finding.op or "", known or Seen())


def _with_traced(frames: Sequence[Frame], message: str, finding: Finding) -> list[Frame]:
    """The calls with those that only the message names, of functions that were traced: each before the call that the
    message names after it, where that one is known.
    """
    found = list(frames)
    at: int | None = None
    for file, line, function, converted in reversed(_USER_CODE.findall(message)):
        known = [i for i, f in enumerate(found) if (f.file, f.line) == (file, int(line))]
        if known:
            at = known[-1]
        elif converted and is_user(file):
            at = _place(found, file, finding) if at is None else at
            found.insert(at, Frame(file, int(line), function))
    return found


def _place(frames: Sequence[Frame], file: str, finding: Finding) -> int:
    """Where a call belongs that only the message names, a function that was traced: last, or, where the failing line
    is known to be in another file, after the calls of its own file.
    """
    at = finding.location
    last = frames[-1] if frames else None
    if at is None or last is None or file == at.file or (last.file, last.line) != (at.file, at.line):
        return len(frames)
    return max((i + 1 for i, f in enumerate(frames) if f.file == file), default=len(frames))


_COMPREHENSION = re.compile(r"<(?:list|set|dict)comp>$|<genexpr>$")


def _without_comprehensions(frames: Sequence[Frame]) -> list[Frame]:
    """The calls without those that Python makes of a comprehension: what is in one is part of the call around it."""
    found: list[Frame] = []
    for frame in frames:
        outer = found[-1] if found and found[-1].file == frame.file else None
        if outer is None or not _COMPREHENSION.search(frame.function):
            found.append(frame)
            continue
        found[-1] = Frame(
            outer.file, frame.line, outer.function, {**frame.shapes, **outer.shapes}, {**frame.dtypes, **outer.dtypes}
        )
    return found


def _frame(event: Mapping[str, Any]) -> Frame:
    shapes: dict[str, tuple[int | None, ...]] = {}
    dtypes: dict[str, str] = {}
    for tensor in event.get("tensors") or ():
        shape = tensor.get("shape") if isinstance(tensor, Mapping) else None
        if isinstance(shape, list) and isinstance(tensor.get("name"), str):
            shapes.setdefault(tensor["name"], tuple(n if isinstance(n, int) else None for n in shape))
            dtypes.setdefault(tensor["name"], str(tensor.get("dtype") or ""))
    return Frame(str(event["file"]), int(event["line"]), str(event.get("function") or ""), shapes, dtypes)


def shapes_in(message: str) -> tuple[tuple[int | None, ...], ...]:
    """The shapes that a message prints, in their order."""
    found = []
    for match in _SHAPE.finditer(message[:20_000]):
        parts = [p.strip() for p in match[1].split(",") if p.strip()]
        found.append(tuple(int(p) if p.isdigit() else None for p in parts))
    return tuple(found[:12])


def _sizes(finding: Finding, message: str) -> tuple[int, ...]:
    """The numbers that disagree: those of the finding, else all of the message; none where types disagree."""
    if finding.slug == "dtype-mismatch" or not _speaks_of_shapes(finding, message):
        return ()
    own = [n for n in finding.dims if isinstance(n, int) and not isinstance(n, bool)]
    axes = finding.details.get("axes")
    for axis in axes if isinstance(axes, list) else ():
        sizes = axis.get("sizes") if isinstance(axis, dict) else None
        if isinstance(sizes, list | tuple):
            own = [n for n in sizes if isinstance(n, int)] + own
    apart = _apart(finding.details.get("shapes")) or _apart(list(map(list, dict.fromkeys(shapes_in(message)))))
    if apart and not set(own) <= apart:
        # A size at which both agree has no part in it.
        own = [n for n in own if n in apart] or own
    if own:
        return tuple(dict.fromkeys(own))[:12]
    first = message.strip().partition("Call arguments received")[0].partition("Arguments received")[0]
    return tuple(dict.fromkeys(int(n) for n in _NUMBER.findall(first[:4000])))[:12]


_WORDS = ("shape", "dimension", "rank", "ndim", "size", "cardinalit", "broadcast", "axis", "axes", "reshape", "length")


def _speaks_of_shapes(finding: Finding, message: str) -> bool:
    """Whether the numbers of a message may be sizes: of a class that concerns no size only where its words say so."""
    return finding.slug not in _OF_NO_SIZE or any(word in message.lower() for word in _WORDS)


_OF_NO_SIZE = frozenset({"not-xla", "compile-failed", "unsupported-op", "tensor-out-of-scope", "variable-creation"})


def _apart(shapes: Any) -> set[int]:
    """The sizes at which two shapes of one rank differ; none where that is not what was recorded."""
    if not isinstance(shapes, list) or len(shapes) != 2 or not all(isinstance(shape, list) for shape in shapes):
        return set()
    pairs = list(zip(*shapes, strict=False)) if len(shapes[0]) == len(shapes[1]) else []
    return {n for a, b in pairs if isinstance(a, int) and isinstance(b, int) and a != b for n in (a, b)}
