"""What a preflight says, as plain values (schema `xladoctor.preflight/1`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = "xladoctor.preflight/1"
INTERRUPTED = 130

State = Literal["pass", "warn", "fail", "skipped"]


@dataclass(frozen=True)
class Check:
    """One question and its answer. `message` says why in a sentence; `todo` what to do where it is no pass.

    `slugs` are the classes of failure that it saw (`xladoctor explain` has more of each); `details` are lines of
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
    left over. `rows` None: how many there are is not known.
    """

    phase: str
    rows: int | None
    size: int | None
    origin: str
    """Where the numbers come from: a line of the program, the study file, a default of Keras."""
    epochs: int | None = None

    @property
    def full(self) -> int | None:
        """How many full batches there are."""
        return None if self.rows is None or not self.size else self.rows // self.size

    @property
    def last(self) -> int | None:
        """The rows of the last partial batch; 0 if there is none."""
        return None if self.rows is None or not self.size else self.rows % self.size

    @property
    def sizes(self) -> tuple[int, ...]:
        """The distinct sizes."""
        if self.size is None:
            return ()
        if self.rows is None:
            return (self.size,)
        return tuple(n for n in ((self.size if self.full else 0), self.last) if n)


@dataclass(frozen=True)
class Preflight:
    """The answer: *go* if no check failed (with `strict`, if none warned either)."""

    study: str
    checks: tuple[Check, ...]
    plan: tuple[Batches, ...] = ()
    strict: bool = False
    seconds: float = 0.0
    cached: str | None = None
    """When the checks were run, where this answer was kept from then."""
    folder: str | None = None
    environment: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    there_are: int = 0
    """How many checks there are, of which `checks` were asked for."""
    interrupted: bool = False
    """It was ended before its last check: there is no answer, only what the checks before had found."""
    tool_version: str = ""
    schema: str = SCHEMA

    @property
    def go(self) -> bool:
        """Whether the study may be started, as far as the checks see."""
        bad = ("fail", "warn") if self.strict else ("fail",)
        if self.interrupted:
            return False
        return not any(c.state in bad for c in self.checks) and any(c.state in ("pass", "warn") for c in self.checks)

    @property
    def exit_code(self) -> int:
        """0 for go, 1 for no-go, 130 where it was interrupted."""
        return INTERRUPTED if self.interrupted else int(not self.go)
