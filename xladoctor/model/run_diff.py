"""Two runs side by side, as data, which `diagnosis.run_diff` makes and the renderers show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xladoctor.model.diagnosis import Diagnosis
from xladoctor.model.trace import TraceDiff

RUN_DIFF_SCHEMA = "xladoctor.run-diff/1"


@dataclass(frozen=True)
class RunSide:
    """One of the two runs, in words: how it ended, and its root cause."""

    source: str
    ended: str
    verdict: str
    root: str | None = None
    command: tuple[str, ...] = ()
    tool_version: str = ""


@dataclass(frozen=True)
class Difference:
    """One thing that differs. A side that does not have it is None."""

    name: str
    a: str | None
    b: str | None
    note: str | None = None


@dataclass(frozen=True)
class Topic:
    """One kind of thing that was compared: how many are the same, and those that are not."""

    id: str
    title: str
    same: int = 0
    differ: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class RunDiff:
    """What two runs have in common, and where they differ. `topics` are in the order in which they act: command,
    versions, environment, settings, order, XLA paths, compilations, outcome. A difference is not a cause.
    """

    a: RunSide
    b: RunSide
    topics: tuple[Topic, ...]
    shapes: TraceDiff
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    tool_version: str = ""
    schema: str = RUN_DIFF_SCHEMA

    @property
    def differs(self) -> bool:
        """Whether anything but the names of the runs differs."""
        return self.shapes.differs or any(topic.differ for topic in self.topics)

    @property
    def exit_code(self) -> int:
        """2 if part of the input could not be read, else 1 if the runs differ, else 0."""
        return 2 if self.problems else int(self.differs)


@dataclass(frozen=True)
class Seen:
    """What is known about one run: its diagnosis, the facts of `run.json`, and whether the probes recorded anything."""

    diagnosis: Diagnosis
    run: dict[str, Any] = field(default_factory=dict)
    ended: str = ""
    recorded: bool = True
