"""Small edits of a program's text, to be tried on its shapes: other numbers and names, other orders, other settings.

Each is made in the parsed tree and taken back again; nothing is written and nothing is run.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xladoctor.model.blame import Edit
from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.taken_apart import is_whole

Shapes = Mapping[ast.expr, tuple[int | None, ...]]
Numbers = Mapping[ast.expr, set[int]]
"""The whole numbers that an expression was seen to have."""


COSTS = {
    "option": 2.0, "order": 2.0, "name": 2.0, "setting": 2.5, "axis": 2.5, "operator": 2.5, "by one": 3.0,
    "number": 3.5, "expression": 3.5, "rank": 4.0, "value": 4.0, "wrap": 4.5, "test": 4.5, "use": 5.5, "forgotten": 2.5,
}  # fmt: skip  # how much an edit asks to be believed, as the costs of `xladoctor.edits`: less is likelier
_NAMED = 1.5


@dataclass(frozen=True, eq=False)
class Variant:
    """One edit: the line that it changes, what kind it is, and the change itself (which gives what takes it back)."""

    file: str
    line: int
    kind: str
    edit: Edit
    apply: Callable[[], Callable[[], None]]
    named: bool = False
    """Whether the names of the program speak for it."""
    why: str = ""  # what is said of the line if it mends, where that is more than that the sizes would fit

    @property
    def cost(self) -> float:
        """How much it asks to be believed."""
        return COSTS[self.kind] - (_NAMED if self.named else 0.0)

    @contextlib.contextmanager
    def made(self) -> Iterator[None]:
        """The program with this edit."""
        undo = self.apply()
        try:
            yield
        finally:
            undo()


@dataclass(frozen=True)
class Names:
    """What is known at a line: the numbers of names, and the parameters of the program's functions."""

    numbers: Mapping[str, int]
    local: frozenset[str]
    """Those of the function itself."""
    parameters: Mapping[str, Sequence[str]]
    given: Mapping[str, Sequence[str]]
    """By the function: what the results that it returns are called there."""
    taken: Mapping[str, Sequence[str]]
    """By the function: what its results are called where it is called."""
    function: str = ""
    own: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """The numbers of the function's own names."""
    attributes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """The numbers of the attributes of `self`, in a method."""
    settings: frozenset[tuple[str, object]] = frozenset()
    """The settings that the calls of the file are given, with their values."""


def replaced(holder: ast.AST, field: str, at: int | None, new: object) -> Callable[[], Callable[[], None]]:
    """The change that puts something into the place of what a node holds."""

    def apply() -> Callable[[], None]:
        if at is None:
            old = getattr(holder, field)
            setattr(holder, field, new)
            return lambda: setattr(holder, field, old)
        items = getattr(holder, field)
        old = items[at]
        items[at] = new

        def undo() -> None:
            items[at] = old

        return undo

    return apply


def _swapped(items: list[ast.expr], i: int, j: int) -> Callable[[], Callable[[], None]]:
    def swap() -> None:
        items[i], items[j] = items[j], items[i]

    def apply() -> Callable[[], None]:
        swap()
        return swap

    return apply


def _with_keyword(call: ast.Call, name: str, value: str | int) -> Callable[[], Callable[[], None]]:
    def apply() -> Callable[[], None]:
        old = call.keywords
        made = ast.keyword(name, ast.copy_location(ast.Constant(value), call))
        call.keywords = [*(k for k in old if k.arg != name), ast.copy_location(made, call)]

        def undo() -> None:
            call.keywords = old

        return undo

    return apply


def fields(node: ast.AST) -> Iterator[tuple[str, int | None, ast.expr]]:
    """The expressions right below a node, with the field and the place that they stand in."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            yield name, None, value
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, ast.expr):
                    yield name, i, item


# -- kinds of edits ---------------------------------------------------------------------------------------------------


def of_numbers(
    file: str, holder: ast.AST, numbers: Numbers, pairs: Mapping[int, int], known: Names
) -> Iterator[Variant]:
    """A number of one of the two sizes: as the other, or as a name that has it."""
    for field, at, node in fields(holder):
        for edges in _near_edges(node, holder):
            yield Variant(file, node.lineno, "by one", "constant", replaced(holder, field, at, edges))
        seen = numbers.get(node, set())
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or len(seen) != 1:
            continue
        value = next(iter(seen))
        other = pairs.get(value)
        written = isinstance(node, ast.Constant)
        if other is not None and (written or isinstance(node, ast.BinOp | ast.Name | ast.Attribute | ast.Call)):
            meant = agrees(holder, at, node, known.parameters)
            fitting = [n for n, size in known.numbers.items() if size == other and not meant]
            called = next((n for n in sorted(fitting, key=lambda n: n not in known.local)), "")
            if called and not written:
                new = ast.copy_location(ast.Name(called, ast.Load()), node)
                # What a function is given is seldom meant to be what the module has.
                strange = last_name(node) in known.local and called not in known.local
                kind = "use" if strange else "name"
                yield Variant(file, node.lineno, kind, "constant", replaced(holder, field, at, new))
            held = next((n for n, size in known.attributes.items() if size == other and n != last_name(node)), "")
            if held and not meant:
                me = ast.copy_location(ast.Name("self", ast.Load()), node)
                new_one = ast.copy_location(ast.Attribute(me, held, ast.Load()), node)
                drops = isinstance(node, ast.BinOp) and isinstance(holder, ast.Return | ast.Assign)
                kind = "expression" if drops else "name"
                yield Variant(file, node.lineno, kind, "constant", replaced(holder, field, at, new_one))
            kind = "number" if written else "expression" if isinstance(node, ast.BinOp | ast.Call) else "use"
            yield Variant(file, node.lineno, kind, "constant", replaced(holder, field, at, whole(other, node)))
        by_one = any(abs(a - b) == 1 for a, b in pairs.items())
        yield from _one_more(file, holder, field, at, node, by_one)
        if written and isinstance(holder, ast.BinOp) and isinstance(holder.op, _SCALES) and value not in pairs:
            for scaled in sorted(_scaled(value, pairs)):
                change = replaced(holder, field, at, whole(scaled, node))
                yield Variant(file, node.lineno, "number", "constant", change)
        if written and _counts(holder) and not (isinstance(holder, ast.Call) and at):
            for near in (value - 1, value + 1):
                if near >= 0:
                    yield Variant(
                        file, node.lineno, "by one", "constant", replaced(holder, field, at, whole(near, node))
                    )


_SCALES = ast.Mult | ast.FloorDiv | ast.Div


def _scaled(value: int, pairs: Mapping[int, int]) -> set[int]:
    """A factor with which one of two sizes becomes the other, where one is a multiple of the other."""
    times = {b // a for a, b in pairs.items() if a > 0 and b > a and b % a == 0}
    return {n for t in times for n in ([value * t, value // t] if value % t == 0 else [value * t]) if n > 0}


_COUNTED = frozenset({"batch", "window", "range", "arange", "linspace", "RepeatVector", "Embedding", "head", "take"})
"""Calls whose argument says how many."""


def _one_more(
    file: str, holder: ast.AST, field: str, at: int | None, node: ast.expr, by_one: bool
) -> Iterator[Variant]:
    """A number of steps as the number of places, `(length - window) // stride + 1`; a count one larger."""
    steps = isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)
    counts = field == "args" and isinstance(holder, ast.Call) and last_name(holder.func) in _COUNTED and by_one
    if steps or (counts and isinstance(node, ast.Name | ast.Attribute)):
        left = node.left if isinstance(node, ast.BinOp) else None
        apart = isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub)
        more = ast.copy_location(ast.BinOp(node, ast.Add(), whole(1, node)), node)
        yield Variant(file, node.lineno, "by one", "constant", replaced(holder, field, at, more), apart)


def agrees(holder: ast.AST, at: int | None, node: ast.expr, parameters: Mapping[str, Sequence[str]]) -> bool:
    """Whether an argument is called as its parameter: `build(width)` of `def build(width)`, `hidden=cfg.hidden`."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    own = key.value if isinstance(key, ast.Constant) else last_name(node)
    if isinstance(holder, ast.keyword):
        return holder.arg == own
    names = parameters.get(last_name(holder.func), ()) if isinstance(holder, ast.Call) else ()
    return at is not None and at < len(names) and names[at] == own and node in holder.args  # type: ignore[attr-defined]


def _near_edges(node: ast.expr, holder: ast.AST) -> Iterator[ast.expr]:
    """Of `Cropping1D((1, 1))`: one less and one more at both ends."""
    edges = isinstance(holder, ast.Call) and last_name(holder.func).startswith(("Cropping", "ZeroPadding"))
    items = node.elts if edges and isinstance(node, ast.Tuple) else [node] if edges else []
    values = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, int)]
    if values and len(values) == len(items) and len(set(values)) == 1:
        for near in (values[0] - 1, values[0] + 1):
            numbers = [whole(near, node) for _ in items]
            yield ast.copy_location(ast.Tuple(numbers, ast.Load()), node) if len(items) > 1 else numbers[0]


def whole(value: int, at: ast.expr) -> ast.expr:
    """A number as it is written at a place."""
    return ast.copy_location(ast.Constant(value), at)


def _counts(holder: ast.AST) -> bool:
    """Whether a number is a bound or a step, where people count one too many."""
    if isinstance(holder, ast.Call):
        return last_name(holder.func) == "range" and len(holder.args) == 2
    return isinstance(holder, ast.Compare | ast.Slice) or (
        isinstance(holder, ast.BinOp) and isinstance(holder.op, ast.Add | ast.Sub)
    )


def of_orders(file: str, holder: ast.AST, numbers: Numbers, shapes: Shapes, known: Names) -> Iterator[Variant]:
    """Two arguments, two axes of a shape or two results in the other order."""
    rows: list[tuple[list[ast.expr], Edit, Sequence[str]]] = []
    if isinstance(holder, ast.Call) and last_name(holder.func) in known.parameters:
        rows.append((holder.args[:6], "other", known.parameters[last_name(holder.func)]))
        rows[0] = (holder.args, *rows[0][1:])
    if isinstance(holder, ast.Call) and last_name(holder.func) == "transpose" and len(holder.args) > 2:
        rows.append((holder.args, "transpose", ()))
    for _, _, node in fields(holder):
        if not isinstance(node, ast.Tuple | ast.List) or not 1 < len(node.elts) < 5:
            continue
        alike = all(e in numbers for e in node.elts) and isinstance(holder, ast.Call | ast.keyword)
        given = all(e in shapes for e in node.elts) and not isinstance(holder, ast.For)
        taken = isinstance(holder, ast.Assign) and node in holder.targets and is_whole(holder.value)
        wanted: Sequence[str] = ()
        if taken and isinstance(holder, ast.Assign) and isinstance(holder.value, ast.Call):
            wanted = known.given.get(last_name(holder.value.func), ())
        elif isinstance(holder, ast.Return):
            wanted = known.taken.get(known.function, ())
        if alike or given or taken:
            rows.append((node.elts, "transpose" if alike else "other", wanted))
    for items, edit, wanted in rows:
        for i in range(min(len(items), 6) - 1):
            better = _agreement(items[i : i + 2][::-1], wanted[i : i + 2]) - _agreement(
                items[i : i + 2], wanted[i : i + 2]
            )
            if better >= 0 and ast.dump(items[i]) != ast.dump(items[i + 1]) and not _parted(items, i, edit):
                yield Variant(file, items[i].lineno, "order", edit, _swapped(items, i, i + 1), better > 0)


def _parted(items: Sequence[ast.expr], i: int, edit: Edit) -> bool:
    """Whether an exchange parts two axes of one size, `(n, n, c)` as `(n, c, n)`: the sides of an image. Or takes the
    axis of the batch, `(1, n, c)`, which fits any number of rows, to another place.
    """
    said = [ast.dump(item) for item in items]
    ends = (i and said[i - 1] == said[i], i + 2 < len(said) and said[i + 2] == said[i + 1])
    rows = not i and isinstance(items[0], ast.Constant) and items[0].value == 1
    return edit == "transpose" and len(said) > 2 and (rows or any(ends))


def _agreement(given: Sequence[ast.expr], wanted: Sequence[str]) -> int:
    """How many are called as they are on the other side."""
    return sum(bool(name) and subject(node) == name for node, name in zip(given, wanted, strict=False))


def subject(node: ast.expr) -> str:
    """The name of what an expression is about: `labels` of `self.labels[rows]`, `width` of `net["width"]`."""
    while isinstance(node, ast.Subscript | ast.Call | ast.Starred):
        key = node.slice if isinstance(node, ast.Subscript) else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return key.value
        node = node.func if isinstance(node, ast.Call) else node.value
    return last_name(node)


AXES = (-1, 0, 1, 2)
_CELLS = ("LSTM", "GRU", "SimpleRNN")
_REDUCES = ("mean", "sum", "max", "min", "reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "std", "norm")
_PRODUCTS = ("matmul", "batch_dot")


def settings(tree: ast.AST) -> frozenset[tuple[str, object]]:
    """The settings that calls are given as constants."""
    found = (n for n in nodes_of(tree, ast.keyword) if isinstance(n.value, ast.Constant))
    return frozenset((str(n.arg), n.value.value) for n in found if isinstance(n.value, ast.Constant))


def of_settings(file: str, holder: ast.AST, numbers: Numbers, shapes: Shapes, known: Names) -> Iterator[Variant]:
    """Another setting of a call: padding, sequences, axes that are kept, the axis, the order of channels."""
    if not isinstance(holder, ast.Call):
        return
    called, line = last_name(holder.func), holder.lineno
    given = {k.arg: k for k in holder.keywords if k.arg}

    def variant(name: str, value: str | int, edit: Edit) -> Variant:
        at = given[name].value.lineno if name in given else line
        return Variant(file, at, "setting", edit, _with_keyword(holder, name, value))

    if "Conv" in called or ("Pool" in called and not called.startswith("Global")):
        old = given["padding"].value if "padding" in given else None
        same = isinstance(old, ast.Constant) and old.value == "same"
        other = "valid" if same else "same"
        found = variant("padding", other, "other")
        usual = same or ("padding", other) in known.settings
        yield found if usual else replace(found, kind="test")
    if "data_format" in given:
        yield variant("data_format", "channels_last", "channels")
    if called in _CELLS:
        whole = given["return_sequences"].value if "return_sequences" in given else None
        on = isinstance(whole, ast.Constant) and whole.value is True
        yield variant("return_sequences", not on, "return-sequences")
    if called in _REDUCES and "keepdims" not in given:
        yield variant("keepdims", True, "expand")
    if called in _PRODUCTS and "transpose_b" not in given:
        yield variant("transpose_b", True, "transpose")
    for name in ("axis", "axes"):
        old_axis = numbers.get(given[name].value, set()) if name in given else set(AXES)
        batched = shapes.get(holder, (0,))[:1] == (None,)
        for axis in sorted(set(AXES) - old_axis - ({0} if batched else set())):
            yield variant(name, axis, "axis")


def of_wraps(file: str, holder: ast.AST, shapes: Shapes) -> Iterator[Variant]:
    """A result with its last two axes exchanged, with an axis more, or without one of size 1."""
    for field, at, node in fields(holder):
        sizes = shapes.get(node)
        if not sizes or isinstance(node, ast.Constant):
            continue
        rank = len(sizes)
        if rank > 1:
            yield _wrap(file, holder, field, at, node, "transpose", _called("numpy.swapaxes", node, -1, -2))
        yield _wrap(file, holder, field, at, node, "expand", _called("numpy.expand_dims", node, -1))
        if rank > 1 and sizes[-1] == 1:
            yield _wrap(file, holder, field, at, node, "squeeze", _called("numpy.squeeze", node, -1))


def _wrap(file: str, holder: ast.AST, field: str, at: int | None, node: ast.expr, edit: Edit, new: ast.expr) -> Variant:
    return Variant(file, node.lineno, "wrap", edit, replaced(holder, field, at, new))


def _called(name: str, node: ast.expr, *numbers: int) -> ast.expr:
    func = ast.copy_location(ast.Name(name, ast.Load()), node)
    given = [ast.copy_location(ast.Constant(n), node) for n in numbers]
    return ast.copy_location(ast.Call(func, [node, *given], []), node)


def of_tests(file: str, holder: ast.AST) -> Iterator[Variant]:
    """A comparison that always, or never, holds."""
    for field, at, node in fields(holder):
        if isinstance(node, ast.Compare) and not isinstance(holder, ast.BoolOp) and last_name(node.left) != "__name__":
            for value in (True, False):
                new = ast.copy_location(ast.Constant(value), node)
                yield Variant(file, node.lineno, "test", "other", replaced(holder, field, at, new))


def nodes_at(tree: ast.AST, lines: set[int]) -> Iterator[ast.AST]:
    """What stands on the lines: expressions, statements, and calls that begin there with all in them."""
    known: set[ast.AST] = set()
    for node in walk(tree):
        if getattr(node, "lineno", None) in lines and isinstance(node, ast.expr | ast.stmt | ast.keyword):
            inner = [*_own(node), *([node.args] if isinstance(node, ast.FunctionDef) else [])]
            for one in inner:
                if one not in known:
                    known.add(one)
                    yield one


def _own(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.Call) and not _is_list_of_calls(node):
        return [n for n in walk(node) if not isinstance(n, ast.Lambda)]
    return [node]


def _is_list_of_calls(node: ast.Call) -> bool:
    """Whether a call holds a row of layers, each on a line of its own."""
    return any(isinstance(n, ast.List | ast.Tuple) and any(isinstance(e, ast.Call) for e in n.elts) for n in node.args)
