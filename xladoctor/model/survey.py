"""A survey as plain values: the runs with their diagnoses, and the causes over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis

SCHEMA = "xladoctor.survey/1"


@dataclass(frozen=True)
class Target:
    """The input that is diagnosed as one run: a run folder, one log, or the logs of its streams and ranks."""

    kind: Literal["run", "logs"]
    paths: tuple[str, ...]

    @property
    def name(self) -> str:
        """The run as a person would name it."""
        return ", ".join(self.paths)


@dataclass(frozen=True)
class Run:
    """One run and its diagnosis. `time` is when it ended (or its log was last written to), in seconds since 1970; None
    if nothing says it (standard input). `group` is the number of its cause in the survey, None without one.
    """

    target: Target
    diagnosis: Diagnosis
    time: float | None = None
    group: int | None = None


@dataclass(frozen=True)
class Cause:
    """Runs that failed in the same way. `numbers` are the dims of each, newest first, without repetition; `example` is
    the number of the newest run, and `message` is its message. `place` is a line of the user, or otherwise a node.
    """

    code: str
    slug: str
    level: str
    title: str
    message: str
    op: str | None
    place: str | None
    runs: tuple[int, ...]
    newest: float | None
    example: int
    numbers: tuple[tuple[int | None, ...], ...]
    remedy: str | None

    @property
    def count(self) -> int:
        """The number of runs whose root cause it is."""
        return len(self.runs)


@dataclass(frozen=True)
class Survey:
    """Runs newest first, causes newest first (errors before warnings). `problems` say what could not be read."""

    runs: tuple[Run, ...]
    causes: tuple[Cause, ...]
    problems: tuple[str, ...] = ()
    tool_version: str = ""
    schema: str = SCHEMA

    @property
    def verdicts(self) -> dict[str, int]:
        """How many runs failed, have warnings, are healthy."""
        said = [run.diagnosis.verdict for run in self.runs]
        return {verdict: said.count(verdict) for verdict in ("failed", "warnings", "healthy")}

    @property
    def exit_code(self) -> int:
        """2 if anything could not be read, else 1 if any run has findings at error level, else 0."""
        codes = {run.diagnosis.exit_code for run in self.runs}
        return 2 if self.problems or 2 in codes else int(1 in codes)
