"""What a look at a running program finds, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from xladoctor.model.diagnosis import Location, StackFrame

SCHEMA = "xladoctor.attach/1"


@dataclass(frozen=True)
class Thread:
    """A thread of Python. `frames` are innermost first; `holds_lock`: it holds Python's global lock."""

    name: str
    frames: tuple[StackFrame, ...]
    holds_lock: bool = False


@dataclass(frozen=True)
class Process:
    """A process. `busy` is how much of one processor it used while it was looked at (1.5: one and a half).

    `threads` are those of Python; `why_no_stacks` says why there are none.
    """

    pid: int
    parent: int
    command: tuple[str, ...]
    state: str
    busy: float
    threads: tuple[Thread, ...] = ()
    why_no_stacks: str | None = None


@dataclass(frozen=True)
class Compiling:
    """A function that XLA may be compiling.

    It was traced last, `seconds` ago, and no end of its first call was recorded.
    """

    pid: int
    function: str
    location: Location | None
    seconds: float


@dataclass(frozen=True)
class Call:
    """Something that the recording has last: what it was, whether it has ended, and how many seconds ago it was."""

    pid: int
    what: str
    ended: bool
    location: Location | None
    seconds: float


@dataclass(frozen=True)
class Recorded:
    """What the run folder says. `quiet` is how many seconds ago its last event was written."""

    folder: str
    compiling: tuple[Compiling, ...]
    calls: tuple[Call, ...]
    quiet: float


@dataclass(frozen=True)
class Look:
    """All that was found; `problems` say what could not be looked at, and what to do."""

    pid: int
    processes: tuple[Process, ...]
    recorded: Recorded | None
    problems: tuple[str, ...]
    tool_version: str
    schema: str = SCHEMA
