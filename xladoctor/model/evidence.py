"""Evidence: everything that was gathered about one run, as plain values that rules can read.

A log gives `LogEvidence`; a run folder gives that too (its captured output), and the `process` outcome and the `run`
recording besides. Rules must work with what exists: a pasted log has neither process nor recording.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from xladoctor.model.frozen import dataclass
from xladoctor.model.location import Location

if TYPE_CHECKING:
    from xladoctor.model.output_log import OutputLog

_SESSION = "tensorflow/python/client/session.py"


@dataclass(frozen=True)
class Frame:
    """One frame of a Python stack as the log printed it. `user` is False for framework, site-packages and stdlib."""

    file: str
    line: int | None
    function: str | None
    code: str | None = None
    user: bool = True
    marks: str | None = None
    """The marks that Python 3.11 and later print under the code, aligned with it (`  ~~^~~`)."""

    @property
    def location(self) -> Location:
        """The frame as a location."""
        return Location(self.file, self.line, self.function)


AT_EXIT = "Exception ignored in atexit callback"
"""What Python prints above the traceback of an exit handler that raised; the exit status does not show it."""


@dataclass(frozen=True)
class ErrorRecord:
    """One error (or warning) that the log shows: an exception, a fatal check, a status line of the runtime.

    Attributes:
        text: the message, cleaned (no ANSI codes, prefixes or wrapping), without its stacks; may have several lines.
        exception: the exception class as printed, without its module, or None for a line of the C++ runtime.
        where: "FILE:LINE" of its first line in the log as the user can find it again.
        nodes: node names from `[[...]]` references, innermost first: the last ones name the true call site.
        op: the op type or the `[Op:...]` tail as printed.
        frames: the Python traceback, outermost first.
        op_frames: the "Stack trace for op definition", outermost first: of the code that traced the function *first*.
        before: up to 40 cleaned lines above the error (which often have the cause).
        ended_run: this is the error with which the process ended, as far as the log can show it.
        stream: the process or rank that printed it, if the log says so.
        native: "FILE:LINE" of the C++ code that printed it, if it is a line of the runtime.
    """

    text: str
    exception: str | None = None
    level: Literal["error", "warning"] = "error"
    where: str = ""
    nodes: tuple[str, ...] = ()
    op: str | None = None
    device: str | None = None
    frames: tuple[Frame, ...] = ()
    op_frames: tuple[Frame, ...] = ()
    before: tuple[str, ...] = ()
    ended_run: bool = True
    stream: str | None = None
    native: str | None = None

    def __hash__(self) -> int:
        """Few records of one log have the same words and place: the frames need not be looked at."""
        return hash((self.text, self.where))

    @property
    def user_frame(self) -> Frame | None:
        """The deepest frame of user code: the op's definition if the log has it, else the traceback.

        A function that was traced at one line of the program and fails at another (a second `fit`) has the first line
        in the op's definition. If that is the only user code in it, the running line counts.
        """
        defined = next((frame for frame in reversed(self.op_frames) if frame.user), None)
        raised = next((frame for frame in reversed(self.frames) if frame.user), None)
        if defined is None or raised is None:
            return defined or raised
        if any(_SESSION in frame.file.replace("\\", "/") for frame in self.frames):
            return defined  # a graph that the program's own lines have put together
        running = {f.line for f in self.frames if f.user and (f.file, f.function) == (defined.file, defined.function)}
        return raised if running and defined.line not in running else defined


@dataclass(frozen=True)
class LogEvidence:
    """What a log shows."""

    source: str = ""
    records: tuple[ErrorRecord, ...] = ()
    tensorflow_version: str | None = None
    lines: int = 0
    size: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    bare: tuple[ErrorRecord, ...] = ()
    """Text outside any error that could be a message without its header (`logs/bare.py`)."""


@dataclass(frozen=True)
class ProcessOutcome:
    """How the target ended, as the doctor saw it."""

    command: tuple[str, ...]
    state: Literal["exited", "signalled", "timed-out", "interrupted", "could-not-start", "running"]
    code: int | None = None
    signal: str | None = None
    seconds: float | None = None
    probes: Literal["recorded", "absent", "off"] = "absent"
    probes_note: str | None = None
    output: tuple[OutputLog, ...] = ()
