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
        self.count: int | None = None
        """How many rows it has, where an array of it says so."""
        self.cut: tuple[RowSet, str] | None = None
        """The set that these rows were cut from, and by which slice."""

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
            theirs.count = theirs.count if theirs.count is not None else mine.count


def whole(one: RowSet, other: RowSet) -> tuple[RowSet, RowSet]:
    """The sets that two were cut from by the same slices; themselves, where they were not."""
    while one.cut is not None and other.cut is not None and one.cut[1] == other.cut[1]:
        one, other = one.cut[0], other.cut[0]
    return one, other


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
    integral: bool = False
    """Its numbers are known to be whole: it can index, row by row."""
    across: RowSet | None = None
    """The rows that its last axis stands for, as the columns of `a @ b.T` stand for the rows of b."""
    parts: tuple[int, ...] = ()
    """The sizes of the axes that the last one was made of, by a reshape."""
    grid: tuple[int | None, int | None] | None = None
    """(outer, inner) of rows that were repeated each, or as a whole: the inner ones are next to each other."""
    plane: bool = False
    """One of the arrays of a `meshgrid`: both of its axes are of a grid, and taken flat it is a row for each pair."""
    labelled: bool = False
    """A column of a table: pandas joins it to others by its labels, and not by place."""
    name: str = ""
    place: tuple[str, int] = ("", 0)
    """File and line where it was predicted or put together; of one that was scaled, where that was."""

    def __post_init__(self) -> None:
        if self.rows is not None and self.shape and self.shape[0] is not None and not self.chunk:
            self.rows.root().count = self.shape[0]

    @property
    def count(self) -> int | None:
        """How many rows there are."""
        return self.shape[0] if self.shape else None

    def as_new(self, **changes: Any) -> Array:
        """Another array that is made of this one row by row: its numbers are no positions any more."""
        plain = {"of": None, "picks": None, "order": False, "statistic": None, "zeros": False, "series": None}
        plain["plane"] = self.plane and changes.get("shape", self.shape) == self.shape
        return replace(self, **{**plain, **changes})


@dataclass
class Items:
    """A list or tuple. Of one that a loop filled `block` stands for each of its `count` arrays; `over` are the rows
    that the loop went through one by one.
    """

    values: list[Any] = field(default_factory=list)
    block: Any = None
    count: int | None = None
    over: RowSet | None = None
    left: RowFault | None = None
    """Of what a generator gives: the rows that its whole batches leave out."""


@dataclass
class Named:
    """A class, an object of it, a dict of settings, or a module: what it has under its names."""

    values: Names = field(default_factory=dict)
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)
    kind: str = ""
    """`class`, `object` or `module`; nothing of a dict."""
    fields: tuple[str, ...] = ()
    """Of a class without an `__init__`: what it is given in this order."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table of pandas: its rows, how many there are, and what is known of its columns."""

    rows: RowSet | None
    count: int | None = None
    columns: Mapping[str, Array] = field(default_factory=dict)
    counted: bool = False
    """It was given an index of its own after its rows were chosen."""

    def array(self) -> Array:
        """Its numbers, without their labels."""
        return Array(self.rows, None if self.count is None else (self.count, None))


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
    file: str = ""


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
