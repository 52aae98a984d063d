"""What is known of a value while a program is read: of an array its row set, its sizes, and what its numbers are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Shape = tuple[int | None, ...]


class RowSet:
    """A set of rows in an order. Two that are found to be one share a root."""

    def __init__(self, text: str = "", source: RowSet | None = None, order: bool = False) -> None:
        self._parent: RowSet | None = None
        self.text = text
        self.source = source
        """The set that these rows were picked from."""
        self.order = order
        """They are all rows of it, in another order."""

    def root(self) -> RowSet:
        """The set that stands for all that were joined with this one."""
        here = self
        while here._parent is not None:
            here = here._parent
        return here

    def join(self, other: RowSet) -> None:
        """Both are one."""
        mine, theirs = self.root(), other.root()
        if mine is not theirs:
            mine._parent = theirs


def same(one: RowSet | None, other: RowSet | None) -> bool:
    """Whether both are known, and are one."""
    return one is not None and other is not None and one.root() is other.root()


Names = dict[str, Any]
"""What names of a program hold: the values below, numbers, texts; None where that is not known."""


@dataclass(frozen=True, eq=False)
class Array:
    """An array or tensor whose first axis is the rows.

    `of`: its numbers are positions in that row set, which `order` says are all of them in another order; `picks`: what
    an array has for rows that is indexed with it. `statistic` is the array that it is a mean, or the like, of;
    `scaled` are the arrays by whose statistics it was scaled.
    """

    rows: RowSet | None = None
    shape: Shape | None = None
    of: RowSet | None = None
    picks: RowSet | None = None
    order: bool = False
    statistic: Array | None = None
    scaled: frozenset[int] = frozenset()
    padded: int | None = None
    """The line that padded its rows."""
    zeros: bool = False
    chunk: bool = False
    """It stands for the rows of one step of a loop."""
    predicted: bool = False
    small: bool = False
    """Of an unsigned type of 8 or 16 bits."""
    series: tuple[int, int] | None = None
    """(k, n) of k series of n numbers, one after the other."""
    name: str = ""
    line: int = 0
    """Where it was predicted or put together; of one that was scaled, where that was."""

    @property
    def count(self) -> int | None:
        """How many rows there are."""
        return self.shape[0] if self.shape else None

    def as_new(self, **changes: Any) -> Array:
        """Another array that is made of this one row by row: its numbers are no positions any more."""
        plain = {"of": None, "picks": None, "order": False, "statistic": None, "zeros": False, "series": None}
        return replace(self, **{**plain, **changes})


@dataclass
class Items:
    """A list or tuple. Of one that a loop filled `block` stands for each of its `count` arrays; `over` are the rows
    that the loop went through one by one.
    """

    values: list[Any] = field(default_factory=list)
    block: Array | None = None
    count: int | None = None
    over: RowSet | None = None


@dataclass
class Named:
    """A class, an object of it, or a dict of settings: what it has under its names."""

    values: Names = field(default_factory=dict)
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)


@dataclass(frozen=True)
class Pipeline:
    """A `tf.data.Dataset`: what one element of it is made of."""

    parts: tuple[Any, ...]


class Step:
    """The number of a round of a loop, or what is computed of it; `count` is how many rounds there are."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count


def chunk_of(array: Array) -> Array:
    """The rows of one step of a loop."""
    rest = array.shape[1:] if array.shape else None
    return replace(array, shape=None if rest is None else (None, *rest), chunk=True)


@dataclass(frozen=True)
class Calls:
    """What was recorded of the calls of Keras: {line: shapes of the arrays that one gave}."""

    gave: Mapping[int, Sequence[Shape]] = field(default_factory=dict)
    given: Mapping[int, Sequence[Shape]] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """What a function that is not known gave."""

    name: str


@dataclass(frozen=True)
class RowFault:
    """What is wrong at a line. `kind` names the message; `names` are what it speaks of."""

    kind: str
    line: int
    function: str
    names: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


def linked(one: Array, other: Array) -> None:
    """Two arrays that belong together row by row: sets of their own are one set."""
    if one.rows is None or other.rows is None or same(one.rows, other.rows) or not may_be_one(one, other):
        return
    if one.rows.root().source is None and other.rows.root().source is None:
        one.rows.join(other.rows)


def may_be_one(one: Array, other: Array) -> bool:
    """Whether two arrays can have as many rows as each other."""
    return one.count is None or other.count is None or one.count == other.count


def arrays(values: Sequence[Any]) -> Iterator[Array]:
    """Those of the values that are arrays."""
    return (v for v in values if isinstance(v, Array))
