"""What a worker can be asked about a callable of the user's."""

from __future__ import annotations

from dataclasses import dataclass

from . import answers
from .asking import OfSubject, Way


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DescribeCallable(OfSubject[answers.Description], op="describe"):
    """What can it be varied in?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Call(OfSubject[answers.Attempt], op="call"):
    """What comes of a call? `own` gives the size a trace of its own."""

    way: Way = "graph"
    own: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Capture(OfSubject[answers.Captured], op="capture"):
    """Keep it as a capsule in this folder."""

    folder: str
    way: Way = "graph"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ListWritten(OfSubject[dict[str, str]], op="written"):
    """Which settings does its program write while it is imported and built?"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ListRead(OfSubject[tuple[str, ...] | None], op="settings_read"):
    """Which settings does it ask for? None: not known."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindRefusedOp(OfSubject[answers.RefusedOp | None], op="halted"):
    """Which op does TensorFlow refuse to make while a graph is made of it?"""

    way: Way = "graph"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WriteTraceScript(OfSubject[str], op="script_of_trace"):
    """A script of that op."""

    title: str
    way: Way = "graph"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareCallable(OfSubject[answers.Ways], op="parity_call"):
    """It is kept as a capsule in `folder` and compared as `CompareWays` does, and called from Python: in all three
    ways, or in those that are named. `save_reference` keeps what its reference gives.
    """

    folder: str
    ways: tuple[str, ...] = ("xla",)
    save: str | None = None
    against: tuple[tuple[str, str], ...] = ()
    save_way: str = "plain"
    python: tuple[str, ...] = ("tf.function", "eager", "reference")
    save_reference: str | None = None
