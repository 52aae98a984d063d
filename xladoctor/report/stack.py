"""The stacks of a failure, before any format: library frames folded, what an earlier stack showed not shown again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from xladoctor.model.diagnosis import CallStack, StackFrame
from xladoctor.report.facts import below, count

_TITLES = {
    "exception": "{of}, as it was raised",
    "call": "The call in the graph whose op failed: {of}",
    "definition": "Where the op was made: {of}",
    "birth": "Where the wrong size arises: {of}",
}


@dataclass(frozen=True)
class Folded:
    """Frames in a row that are not the user's."""

    frames: tuple[StackFrame, ...]

    def __str__(self) -> str:
        libraries = dict.fromkeys(library(frame.file) for frame in self.frames)
        return f"{count(len(self.frames), 'frame')} of {', '.join(libraries)}"


@dataclass(frozen=True)
class Shown:
    """A stack as it is to be shown. `above` is how many of its outer frames an earlier stack showed."""

    stack: CallStack
    above: int
    entries: tuple[StackFrame | Folded, ...]

    @property
    def title(self) -> str:
        """What the stack is."""
        return _TITLES.get(self.stack.what, "{of}").replace("{of}", str(self.stack.of))


def shown(stacks: Sequence[CallStack], folder: object = None) -> list[Shown]:
    """The stacks with frames of libraries folded, and the outer frames that an earlier stack has left out.

    The files of the user are named relative to `folder`, where they lie in there.
    """
    out: list[Shown] = []
    seen: list[list[StackFrame]] = []
    for stack in stacks:
        frames = [f for f in stack.frames if f.user] if seen else list(stack.frames)
        above = max((_common(frames, other) for other in seen), default=0)
        out.append(Shown(stack, above, tuple(_fold([_inside(f, folder) for f in frames[above:]]))))
        seen.append([f for f in stack.frames if f.user])
    return out


def _inside(frame: StackFrame, folder: object) -> StackFrame:
    return replace(frame, file=below(frame.file, folder)) if frame.user else frame


def place(frame: StackFrame) -> str:
    """`file:line`."""
    return f"{frame.file}:{frame.line}" if frame.line else str(frame.file)


def library(file: str) -> str:
    """Whose a file is that is not the user's: `keras`, or `Python`."""
    path = str(file).replace("\\", "/")
    for folder in ("/site-packages/", "/dist-packages/"):
        if folder in path:
            return path.rpartition(folder)[2].partition("/")[0].removesuffix(".py")
    return "the recorder" if path == "<xladoctor>" else "Python"


def _fold(frames: Sequence[StackFrame]) -> Iterator[StackFrame | Folded]:
    for user, group in groupby(frames, key=lambda f: f.user):
        if user:
            yield from group
        else:
            yield Folded(tuple(group))


def _common(a: Sequence[StackFrame], b: Sequence[StackFrame]) -> int:
    number = 0
    for left, right in zip(a, b, strict=False):
        if (left.file, left.line, left.function) != (right.file, right.line, right.function):
            break
        number += 1
    return number
