"""What the follower of a program knows of a value: its shape, and for each size the line that gave it.

Nothing is run: a value is what the source says of it. `None` stands for what cannot be told.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from xladoctor.model.blame import StepKind


@dataclass(frozen=True, eq=False)
class Origin:
    """A line that gave a value or a size. `parents` are those that it was made from, nearest first."""

    kind: StepKind
    file: str
    line: int
    text: str = ""
    parents: tuple[Origin, ...] = ()


def is_at(origin: Origin | None, here: Origin) -> TypeGuard[Origin]:
    """Whether something was made at a line."""
    return origin is not None and (origin.file, origin.line) == (here.file, here.line)


@dataclass(frozen=True, eq=False)
class Dim:
    """The size of one axis: a number, or None where it is not known or differs (a batch)."""

    size: int | None = None
    origin: Origin | None = None
    batch: bool = False


class Value:
    """Anything; by itself, something of which nothing is known but where it came from."""

    def __init__(self, origin: Origin | None = None, sources: Sequence[Value] = ()) -> None:
        self.origin = origin
        self.sources = tuple(sources)


class Const(Value):
    """A Python constant: a number, text, None, ..., with the line that it stands in."""

    def __init__(self, value: Any, origin: Origin | None = None, dim: Dim | None = None) -> None:
        super().__init__(origin)
        self.value = value
        self.dim = dim


class Seq(Value):
    """A list or tuple whose items are known."""

    def __init__(
        self, items: Sequence[Value], origin: Origin | None = None, length: int | None = None, is_open: bool = False
    ) -> None:
        super().__init__(origin)
        self.items = list(items)
        self.length = length
        """How many there really are, where `items` are only the first."""
        self.is_open = is_open
        """Whether nobody can tell how many there are: `items` are what one of them is like."""
        self.most: int | None = None
        """How many items it can hold."""

    @property
    def count(self) -> int | None:
        """How many items there are; None where that cannot be told."""
        if self.is_open:
            return None
        return self.length if self.length is not None else len(self.items)


class Map(Value):
    """A dict with constant keys; `extra` where others may be in it."""

    def __init__(self, items: dict[Any, Value] | None = None, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.items = items or {}


class Array(Value):
    """A NumPy array, a tensor, a column of a frame or a placeholder.

    Attributes:
        dims: its axes; None for an unknown rank.
        kind: array, tensor, symbolic (of Keras), placeholder, variable or frame.
        name: how it is called in the source, where it was assigned.
        classes: for labels made as integers below a bound, that bound.
        integer: whether it holds integers; None where that is not known.
        history: the layers and operations that it came through, for a symbolic tensor.
    """

    def __init__(self, dims: Sequence[Dim] | None, origin: Origin | None = None, kind: str = "array") -> None:
        super().__init__(origin)
        self.dims: tuple[Dim, ...] | None = tuple(dims) if dims is not None else None
        self.kind = kind
        self.name = ""
        self.classes: Dim | None = None
        self.integer: bool | None = None
        self.made_by: Any = None
        self.inputs: tuple[Array, ...] = ()
        self.aliases: tuple[Origin, ...] = ()
        """The lines that only pass it on: `targets = chunks`, `return images, points`."""
        self.unbatched: Origin | None = None
        """Of an element of a pipeline without a batch stage: the last stage."""
        self.rows: Dim | None = None
        """Of a batch: the rows of the data that it is taken from."""

    @property
    def sizes(self) -> tuple[int | None, ...]:
        """The sizes without their origins; none of an unknown rank."""
        return () if self.dims is None else tuple(d.size for d in self.dims)


class Layer(Value):
    """A Keras layer: its class, its arguments, the line that builds it, and the columns that it first met."""

    def __init__(self, cls: str, settings: dict[str, Value], origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.cls = cls
        self.settings = settings
        self.columns: Dim | None = None
        self.output: Array | None = None
        """What it gave last."""


class Model(Value):
    """A Sequential or functional model, with what `compile` gave it."""

    def __init__(self, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.layers: list[Value] = []
        self.inputs: Value | None = None
        self.outputs: Value | None = None
        self.sequential = False
        self.compiled: dict[str, Value] = {}
        self.compiled_at: Origin | None = None
        self.metrics_at: int | None = None


class Dataset(Value):
    """A `tf.data` pipeline: what one element is, and the line of the batch stage."""

    def __init__(self, element: Value, origin: Origin | None = None, rows: Dim | None = None) -> None:
        super().__init__(origin)
        self.element = element
        self.rows = rows
        self.batch: Origin | None = None
        self.size: int | None = None
        self.whole: bool | None = None
        self.endless = False


class Function(Value):
    """A function of the user's; `bound` is what a method is called on."""

    def __init__(self, node: ast.AST, scope: Scope, bound: Value | None = None, owner: Any = None) -> None:
        super().__init__(None)
        self.node = node
        self.scope = scope
        self.bound = bound
        self.owner = owner


class Class(Value):
    """A class of the user's."""

    def __init__(self, node: ast.ClassDef, scope: Scope, bases: list[Value]) -> None:
        super().__init__(None)
        self.node = node
        self.scope = scope
        self.bases = bases
        self.names: dict[str, Value] = {}

    def find(self, name: str, far: int = 8) -> Value | None:
        """A method or attribute of the class or of a base of the user's."""
        if name in self.names:
            return self.names[name]
        for base in self.bases:
            found = base.find(name, far - 1) if isinstance(base, Class) and far else None
            if found is not None:
                return found
        return None

    def library_base(self, far: int = 8) -> str:
        """The first base of a library, by its canonical name; empty where there is none."""
        for base in self.bases:
            if isinstance(base, Library):
                return base.name
            found = base.library_base(far - 1) if isinstance(base, Class) and far else ""
            if found:
                return found
        return ""


class Instance(Value):
    """An object of a class of the user's."""

    def __init__(self, cls: Class, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.cls = cls
        self.names: dict[str, Value] = {}
        self.model = Model(origin)
        self.built = False


class Library(Value):
    """Something of a library, by its canonical name; `bound` is what a method is called on."""

    def __init__(self, name: str, bound: Value | None = None, settings: dict[str, Value] | None = None) -> None:
        super().__init__(None)
        self.name = name
        self.bound = bound
        self.settings = settings or {}


class ModuleValue(Value):
    """A module of the user's."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(None)
        self.scope = scope


@dataclass(eq=False)
class Scope:
    """The names of a module or of one call of a function."""

    file: str
    function: str
    names: dict[str, Value] = field(default_factory=dict)
    outer: Scope | None = None
    returned: list[Value] = field(default_factory=list)
    shapes: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    """The recorded shapes of locals, where this call is one of the traceback's."""
    until: int = 0
    """The line that it had reached then."""

    def find(self, name: str) -> Value | None:
        """The value of a name, here or in the scopes around."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None


def renamed(value: Array, alias: Origin) -> Array:
    """The same array as an assignment or a return passes it on."""
    made = Array(value.dims, value.origin, value.kind)
    made.integer, made.classes, made.made_by, made.inputs = value.integer, value.classes, value.made_by, value.inputs
    made.name, made.aliases = value.name, (*value.aliases, alias)[-8:]
    return made


@dataclass(frozen=True, eq=False)
class Clash:
    """A constraint that the source breaks: what was asked, of which values, at which axes, and where.

    `stack` is the files and lines of the user's calls, outermost first. `sides` are the sizes that do not agree.
    """

    relation: str
    what: str
    values: tuple[Value, ...]
    axes: tuple[int | None, ...]
    sides: tuple[Dim, ...]
    stack: tuple[tuple[str, int], ...]
    hint: str = ""


@dataclass(frozen=True)
class Validation:
    """The validation of a `fit` whose training broke no constraint: what it trained with and is tested with, the line
    of the call, and how many clashes there were before.
    """

    trained: Value
    tested: Value
    line: tuple[str, int]
    before: int


def unknown(*sources: Value | None) -> Value:
    """A value of which only the sources are known."""
    return Value(joined(*sources))


def joined(*sources: Value | None) -> Origin | None:
    """The origin that several values share: that of the first which has one, the rest as its parents."""
    origins = list(dict.fromkeys(s.origin for s in sources if s is not None and s.origin is not None))
    if len(origins) < 2:
        return origins[0] if origins else None
    first = origins[0]
    return Origin(first.kind, first.file, first.line, first.text, (*first.parents, *origins[1:])[:12])


def leaves(value: Value | None, far: int = 6) -> Iterator[Value]:
    """The values in lists and dicts, flat."""
    if isinstance(value, Seq) and far:
        for item in value.items:
            yield from leaves(item, far - 1)
    elif isinstance(value, Map) and far:
        for item in value.items.values():
            yield from leaves(item, far - 1)
    elif value is not None:
        yield value


def number(value: Value | None) -> int | None:
    """The whole number that a value is known to be."""
    if isinstance(value, Const):
        found = value.value
        if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
            return None
        return int(found) if found == int(found) and abs(found) < 1 << 62 else None
    return None


def is_open(value: Value | None) -> bool:
    """Whether a value is the size of an axis that is not known."""
    return isinstance(value, Const) and value.value is None and value.dim is not None


def text(value: Value | None) -> str | None:
    """The text that a value is known to be."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


def dim(value: Value | None, origin: Origin | None) -> Dim:
    """The axis that a value asks for; `origin` is the line that asks."""
    if isinstance(value, Const) and value.dim is not None:
        known = value.dim
        if origin is None or origin.kind not in _DECLARES or known.origin is None or known.size is None:
            return known
        return Dim(known.size, replace(origin, text=f"{origin.text} of a size that was read", parents=(known.origin,)))
    size = number(value)
    if size is not None and size < 0:
        size = None
    own = value.origin if value is not None else None
    if own is not None and origin is not None and (own.file, own.line) != (origin.file, origin.line):
        return Dim(size, Origin(origin.kind, origin.file, origin.line, origin.text, (own, *origin.parents)))
    return Dim(size, origin or own)


_DECLARES = ("input", "layer", "placeholder", "variable")


def dims(value: Value | None, origin: Origin | None) -> tuple[Dim, ...] | None:
    """The axes that a shape argument asks for."""
    if isinstance(value, Seq):
        return tuple(dim(item, origin) for item in value.items)
    if isinstance(value, Const) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return (dim(value, origin),)
    return None


def array(value: Value | None) -> Array | None:
    """The value as an array: also a list of numbers or of lists."""
    if isinstance(value, Array):
        return value
    if isinstance(value, Const) and (is_open(value) or isinstance(value.value, int | float)):
        return None if isinstance(value.value, bool) else Array((), value.origin)
    if isinstance(value, Seq):
        inner = [array(item) for item in value.items[:1]]
        first = Dim(value.count, value.origin)
        if not inner:
            return Array((first,), value.origin)
        if inner[0] is None or inner[0].dims is None:
            return Array(None, value.origin)
        made = Array((first, *inner[0].dims), value.origin)
        made.inputs = (inner[0],) if inner[0].dims else ()
        return made
    return None
