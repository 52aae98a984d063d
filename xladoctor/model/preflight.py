"""The answer of a preflight, as plain values (schema `xladoctor.preflight/1`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = "xladoctor.preflight/1"
INTERRUPTED = 130

State = Literal["pass", "warn", "fail", "unchecked", "skipped"]
"""*skipped*: the question does not arise. *unchecked*: it arises, but has no answer; `message` says why."""


@dataclass(frozen=True)
class Check:
    """One question and its answer. `message` says why in a sentence; `todo` says what to do if it is not a pass.

    `slugs` are the classes of failure that it found (`xladoctor explain` has more of each); `details` are lines of
    evidence.
    """

    name: str
    title: str
    state: State
    message: str
    seconds: float = 0.0
    todo: str | None = None
    slugs: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Batches:
    """The batches that one call of the study meets: `full` of `size` rows, then one of `last` rows if there are any
    left over. `rows` is None if their number is unknown.
    """

    phase: str
    rows: int | None
    size: int | None
    origin: str
    """Where the numbers come from: a line of the program, the study file, a default of Keras."""
    epochs: int | None = None
    model: str | None = None
    observed: tuple[int, ...] = ()
    """The sizes that the rehearsal saw, if it looked at each batch."""
    ran: int | None = None
    """How many batches of the first epoch the rehearsal ran."""
    unknown: str | None = None
    """Why the end of the data, and so the last batch, is unknown."""

    @property
    def _regular(self) -> bool:
        """Whether all batches but the last have the same size, as far as that is known."""
        if not self.observed or self.rows is None or not self.size:
            return True
        return set(self.observed) == {n for n in (self.size, self.rows % self.size) if n}

    @property
    def full(self) -> int | None:
        """How many full batches there are."""
        return None if self.rows is None or not self.size or not self._regular else self.rows // self.size

    @property
    def last(self) -> int | None:
        """The rows of the last partial batch; 0 if there is none."""
        return None if self.rows is None or not self.size or not self._regular else self.rows % self.size

    @property
    def sizes(self) -> tuple[int, ...]:
        """The distinct sizes."""
        if self.observed:
            return tuple(sorted(self.observed, reverse=True))
        if self.size is None:
            return ()
        if self.rows is None:
            return (self.size,)
        return tuple(n for n in ((self.size if self.full else 0), self.last) if n)


Verdict = Literal["go", "no-go", "unchecked", "interrupted"]

DECISIVE = ("rehearsal",)
"""If one of these has no answer, the study has none."""


@dataclass(frozen=True)
class Preflight:
    """The answer: *no-go* if a check failed (with `strict`, if one warned), *unchecked* if the rehearsal has no answer,
    otherwise *go*.
    """

    study: str
    checks: tuple[Check, ...]
    plan: tuple[Batches, ...] = ()
    strict: bool = False
    strict_unchecked: bool = False
    """Whether an answer *unchecked*, or a check without one, is an exit status of 1."""
    seconds: float = 0.0
    cached: str | None = None
    """When the checks ran, if this answer was kept from an earlier run."""
    folder: str | None = None
    environment: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    there_are: int = 0
    """How many checks there are; `checks` are those that were requested."""
    rehearsed: str | None = None
    """The run folder of the rehearsal, where there is one."""
    interrupted: bool = False
    """It was ended before its last check: there is no answer, only the results of the earlier checks."""
    tool_version: str = ""
    schema: str = SCHEMA

    @property
    def verdict(self) -> Verdict:
        """The answer in a word."""
        bad = ("fail", "warn") if self.strict else ("fail",)
        if self.interrupted:
            return "interrupted"
        if any(c.state in bad for c in self.checks):
            return "no-go"
        if any(c.name in DECISIVE for c in self.unchecked):
            return "unchecked"
        return "go" if any(c.state in ("pass", "warn") for c in self.checks) else "unchecked"

    @property
    def unchecked(self) -> tuple[Check, ...]:
        """The requested checks that have no answer."""
        return tuple(c for c in self.checks if c.state == "unchecked")

    @property
    def go(self) -> bool:
        """Whether the study may be started, as far as the checks see."""
        return self.verdict == "go"

    @property
    def exit_code(self) -> int:
        """0 for go and for unchecked (1 with `strict_unchecked`), 1 for no-go, 130 if it was interrupted."""
        if self.verdict == "interrupted":
            return INTERRUPTED
        without_answer = self.verdict == "unchecked" or bool(self.unchecked)
        return int(self.verdict == "no-go" or (self.strict_unchecked and without_answer))
