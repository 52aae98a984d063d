"""An error that is being read from a log: what has been taken of it, and whether the next line still belongs to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from xladoctor.logs import message
from xladoctor.logs.frames import same_paths
from xladoctor.model.evidence import ErrorRecord, Frame
from xladoctor.patterns import pattern

LINES, CHARACTERS, FRAMES = 400, 24_000, 200

_PARAGRAPHS = ("Exception encountered when calling", "in user code", "Graph execution error", "compile-time constant")
# Python's own words for an exception, at the end of what TensorFlow says of a function that it called.
_CALLED = r"(?:^|: )([A-Z]\w{0,60}(?:Error|Exception|Interrupt|Iteration|Exit)): .{0,2000}$"
# How `tf.py_function` and generators pass on an exception (tensorflow/python/lib/core/py_func.cc): by its kind.
_CHAINED = ("UnimplementedError", "OutOfRangeError", "ResourceExhaustedError", "UnknownError")
_OF_CALLED = (*_CHAINED, "InvalidArgumentError", "InternalError", "FailedPreconditionError")
_CARETS = pattern(r"^[ ~]*\^[ ~^]*$|^ +~+ *$")
_MARKS_ONLY = pattern(r"^[\s~^]+$|^\[Previous line repeated|^\.\.\.")


@dataclass
class Draft:
    """The error: its frames, the lines of its message, and in what part of it the reader is."""

    number: int
    before: tuple[str, ...]
    level: str = "error"
    native: str | None = None
    grave: bool = False
    ignored: bool = False
    exception: str | None = None
    frames: list[Frame] = field(default_factory=list)
    op_frames: list[Frame] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    size: int = 0
    blank: bool = False
    open_stack: bool = False
    stacks: int = 0
    first_stack: bool = False
    reverse: bool = False
    user_code: bool = False
    code_below: int = -1
    plain: int = 0
    named_above: str | None = None
    callback: str | None = None
    margin: int = 0

    def record(self, source: str, stream: str | None, *, ended: bool) -> ErrorRecord:
        """The error as it was read; `ended` where nothing that follows from it stands below."""
        first = message.first_root("\n".join(self.lines))
        if self.reverse:
            self.frames.reverse()
        return ErrorRecord(
            text=message.tidy(self.lines),
            exception=self.exception,
            level="warning" if self.level == "warning" else "error",
            where=f"{source}:{self.number}",
            nodes=message.nodes(first),
            op=message.op(first),
            device=message.device(first),
            frames=tuple(self.frames),
            op_frames=same_paths(self.op_frames or message.defined_at(first), self.frames),
            before=self.before,
            ended_run=ended and self.level != "warning",
            stream=stream,
            native=self.native,
        )

    def code_or_marks(self, text: str, code: str) -> None:
        """Take a line below a frame: its code, or the marks that Python prints under the code."""
        last = self.frames[-1]
        if not last.code and not _MARKS_ONLY.match(code):
            self.frames[-1] = replace(last, code=code[:300])
            self.margin = len(text) - len(text.lstrip())
        elif last.code and last.marks is None and _CARETS.match(text) and not text[: self.margin].strip():
            self.frames[-1] = replace(last, marks=text[self.margin :].rstrip()[:300])

    def op_frame(self, frame: Frame) -> None:
        """Take a frame of the stack of a graph node, if it is the first such stack."""
        if self.first_stack and len(self.op_frames) < FRAMES:
            self.op_frames.append(frame)

    def op_code(self, code: str) -> None:
        """Take the code below such a frame."""
        if code and self.first_stack and self.op_frames and not self.op_frames[-1].code:
            self.op_frames[-1] = replace(self.op_frames[-1], code=code[:300])

    def add_frame(self, frame: Frame) -> None:
        """Take a frame of the traceback; of very many only the first ones and the last are kept."""
        if len(self.frames) < FRAMES:
            self.frames.append(frame)
        else:
            self.frames[-1] = frame

    def add(self, text: str) -> None:
        """Take a line of the message."""
        self.lines.append(text)
        self.size += len(text)

    @property
    def full(self) -> bool:
        """Whether no message goes on for so long."""
        return len(self.lines) >= LINES or self.size > CHARACTERS

    @property
    def callback_exception(self) -> str | None:
        """The exception of a Python function that TensorFlow called: its traceback stands within the message."""
        if self.exception not in _OF_CALLED:
            return None
        last = re.search(_CALLED, self._last_line[-3000:])
        above = re.findall(_CALLED, "\n".join(self.lines)[-3000:], re.MULTILINE) if self.exception in _CHAINED else []
        return last[1] if last else above[-1] if above else None

    def goes_on_below_a_gap(self, text: str) -> bool:
        """Whether the message goes on with a line behind a blank one, whatever that line is."""
        of_callback = self.callback is not None and (text[0] in " \t" or text.startswith(f"{self.callback}:"))
        return of_callback or (
            self.stacks > 0
            or self._last_line.endswith(":")
            or any(line.startswith(_PARAGRAPHS) or _PARAGRAPHS[3] in line for line in self.lines[:3])
        )

    @property
    def _last_line(self) -> str:
        return next((line for line in reversed(self.lines) if line), "")
