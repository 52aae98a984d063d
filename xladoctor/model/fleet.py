"""A fleet as plain values: what failed in the runs of a window of time, by root cause, with users, nodes and times."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "xladoctor.fleet/1"


@dataclass(frozen=True)
class Share:
    """How many of the runs with a cause were on one node, compared with `expected` if the node has no influence.
    `chance` is the probability of so many or more in that case, corrected for all nodes and causes that were tested.
    """

    node: str
    runs: int
    of: int
    expected: float
    chance: float


@dataclass(frozen=True)
class FleetCause:
    """Runs that failed in the same way. `users` and `nodes` are (name, runs), most runs first; `first` and `last` are
    when it was first and last seen, in seconds since 1970: `first` of all that the store knows, not of the window only.
    `new`: not seen more than a day ago; None if the store has nothing older.
    """

    id: int
    code: str
    slug: str
    level: str
    title: str
    message: str
    op: str | None
    place: str | None
    numbers: tuple[str, ...]
    remedy: str | None
    count: int
    first: float | None
    last: float | None
    new: bool | None
    users: tuple[tuple[str, int], ...]
    nodes: tuple[tuple[str, int], ...]
    examples: tuple[str, ...]
    share: Share | None = None


@dataclass(frozen=True)
class Fleet:
    """The runs below some folders. Of `runs` runs, `read` were read now and the others were known. `unreadable` is the
    number without an answer, and `problems` says why, for the first few.
    """

    roots: tuple[str, ...]
    since: float | None
    until: float
    runs: int
    verdicts: dict[str, int]
    causes: tuple[FleetCause, ...]
    read: int
    unreadable: int
    problems: tuple[str, ...]
    placed: int
    """How many of the runs name their node."""
    tool_version: str = ""
    schema: str = SCHEMA

    @property
    def exit_code(self) -> int:
        """1 if any run has findings at error level, else 0; 2 if there are runs and none could be read."""
        if self.runs and self.unreadable == self.runs:
            return 2
        return int(bool(self.verdicts.get("failed")))
