"""What rehearsals of a command say of a switch: what it governs, and whether numbers differ (`flips.json`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WORDS: Mapping[str, str] = {
    "1": "0", "0": "1", "true": "false", "false": "true", "yes": "no", "no": "yes", "on": "off", "off": "on",
}  # fmt: skip
"""Words for the two positions of a switch, each with its opposite."""


@dataclass(frozen=True)
class Reading:
    """How the source reads a variable.

    `default` is the text where it is not set, `words` those it is compared with; `flag` whether it is
    tested as true or false, `number` whether it is made into a number before.
    `names` are what its value is called in the file; `uses` the lines that decide by it, `alternatives` those of them
    where both ways call another function with the same arguments; `claims` a promise in a comment beside it.
    `passed_on` is whether it is given to a call. `decides` are the lines that read the variable for a decision, and
    `deferred` those of `uses` that are in a function, which may run long after.
    """

    file: str
    line: int
    default: str | None = None
    words: tuple[str, ...] = ()
    flag: bool = False
    number: bool = False
    names: tuple[str, ...] = ()
    uses: tuple[int, ...] = ()
    alternatives: tuple[int, ...] = ()
    claims: str | None = None
    passed_on: bool = False
    decides: tuple[int, ...] = ()
    deferred: tuple[int, ...] = ()

    def decision(self, value: str | None) -> object:
        """What the tests make of a value: two values with the same decision take the same ways."""
        now = self.default if value is None else value
        if self.words:
            return now if now in self.words else None
        if self.number:
            return bool(int(now)) if now is not None and now.lstrip("+-").isdigit() else now
        return bool(now)

    def other(self, value: str | None, written: Sequence[str] = ()) -> str | None:
        """The other position of a value (None: it is not set); None where it has none that can be told."""
        now = self.default if value is None else value
        if now is None:
            return next(iter(self.words), "1" if self.flag else None)
        others = [w for w in (*self.words, *written) if w != now]
        if self.words:
            opposite = WORDS.get(now.lower())
            if others:
                return others[0]
            return opposite if opposite is not None else f"not-{now}"
        if self.number:
            return ("1" if int(now) == 0 else "0") if self.flag and now.lstrip("+-").isdigit() else None
        if self.flag:  # any text but the empty one is true
            return "" if now else "1"
        return None


@dataclass(frozen=True)
class Switch:
    """A setting with two positions: its store ("env" or the name of a mapping), its value in the run, the other one."""

    store: str
    key: str
    value: Any
    other: Any
    reading: Reading | None = None
    """How the program reads it, of a switch that is the program's own."""

    @property
    def name(self) -> str:
        """As the probes name it, and as a person may."""
        return f"{'env' if self.store == 'env' else 'cfg'}:{self.key}"


@dataclass(frozen=True)
class ComparedFunction:
    """A function that the run traced, beside its twin of the rehearsal; each pair is (before, flipped).

    `step` is whether a Keras step or a call of the program ran it; `same` whether the graphs are the same, op by op
    (None: there is no twin). `nodes` counts the ops, and `compiled` the functions that are marked for XLA.
    """

    function: str | None
    capsule: str | None
    step: bool
    same: bool | None
    nodes: tuple[int, int] = (0, 0)
    compiled: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Parting:
    """A call that was given the same in both positions and gave something else.

    `permuted`: it gave the same numbers in another order. `values` are the first elements that differ in each
    position, `deviation` the largest difference relative to the largest value (None: shapes or types differ, or
    what is finite).
    """

    function: str
    file: str
    line: int
    number: int
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    deviation: float | None
    values: tuple[tuple[float | None, ...], tuple[float | None, ...]]
    permuted: bool


@dataclass(frozen=True)
class JudgedPositions:
    """Two graphs on the same inputs, in float64 too: `exact` is how far they are apart there, and `wrong` the position
    that rounding spoils (0: that of the run, 1: the other one, None: neither).
    """

    function: str
    wrong: int | None
    exact: float
    lost: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class ComparedNumbers:
    """What the calls of two rehearsals gave.

    `compared` counts the pairs of calls, `same` those that agree bit by bit; `functions` are how many functions were
    called. `alike`: both rehearsals did the same in all that was recorded. `printed` are the first printed lines whose
    numbers differ; `complete` is whether all calls were recorded. `why` says why nothing was compared.
    """

    compared: int
    same: int = 0
    functions: int = 0
    parting: Parting | None = None
    alike: bool = False
    printed: tuple[str, str] | None = None
    complete: bool = False
    why: str | None = None
    judged: JudgedPositions | None = None


@dataclass(frozen=True)
class Flip:
    """A switch, and what a rehearsal with its other position gave.

    `ended`: whether the rehearsal ended by itself; `why` it did not. `error` says what kept graphs from being compared.
    """

    name: str
    store: str
    key: str
    value: Any
    other: Any
    ended: bool = False
    reading: Reading | None = None
    functions: tuple[ComparedFunction, ...] = ()
    why: str | None = None
    error: str | None = None
    numbers: ComparedNumbers | None = None

    @property
    def steps(self) -> tuple[ComparedFunction, ...]:
        """The functions that are steps of the run; all of them where none is."""
        return tuple(f for f in self.functions if f.step) or self.functions

    @property
    def parting(self) -> Parting | None:
        """The first call that gave something else on the same arguments."""
        return self.numbers.parting if self.numbers else None

    @property
    def judged(self) -> JudgedPositions | None:
        """Which position is wrong, where both were run in float64."""
        return self.numbers.judged if self.numbers else None

    @property
    def spoilt(self) -> int | None:
        """The position that rounding spoils: 0 is that of the run."""
        return self.judged.wrong if self.judged else None


@dataclass(frozen=True)
class Replaced:
    """A configured value that a default replaced: `text` is the expression, `taken` the default."""

    file: str
    line: int
    text: str
    value: bool | int | float | str | None
    taken: bool | int | float | str | None
    function: str | None = None
    key: str | None = None
