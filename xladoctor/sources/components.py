"""Which component of positions and moves comes first, row or column: from where they are put together to where a line
takes one of the two by its number.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from xladoctor.sources.backward import Made
from xladoctor.sources.names import keyword, last_name, operands, text_key, walk
from xladoctor.sources.origins import Origins

_ROWS = frozenset(
    {"y", "ys", "yy", "row", "rows", "height", "dy", "ny", "ycoord", "ycoords", "ypos", "ypositions", "yc", "yi",
     "motory"}
)  # fmt: skip
_COLUMNS = frozenset(
    {"x", "xs", "xx", "col", "cols", "column", "columns", "width", "dx", "nx", "xcoord", "xcoords", "xpos",
     "xpositions", "xc", "xi", "motorx"}
)  # fmt: skip
_MODULES = frozenset({"np", "numpy", "tf", "tensorflow", "jnp", "ops", "math", "keras"})
_KEEPS = frozenset(
    {"astype", "copy", "numpy", "to_numpy", "asarray", "array", "round", "rint", "floor", "ceil", "cast", "constant",
     "convert_to_tensor", "float32", "reshape", "mean", "repeat", "clip", "abs", "take", "gather", "ascontiguousarray",
     "round_", "around", "clip_by_value", "identity", "squeeze", "expand_dims", "concatenate"}
)  # fmt: skip
_TURNS = frozenset({"flip", "reverse"})
_LAST = ("-1", "1", "2", "3")
_DEEP, _MOST = 60, 400
FLIPPED = {"rows": "columns", "columns": "rows"}


@dataclass(frozen=True)
class Order:
    """Which of the two comes first, and which one where they are put together; with that line and the one that hands
    them on, or turns them.
    """

    first: str
    made: str
    file: str
    line: int
    handed_at: tuple[str, int] | None = None


@dataclass(frozen=True)
class Taken:
    """A line that takes components by their numbers: `rows` or `columns` is what it takes for the first one."""

    file: str
    line: int
    first: str
    of: ast.expr


def role(name: str) -> str:
    """Whether a name is one of rows or of columns."""
    tokens = set(re.split(r"[_\d.]+", name.lower()))
    found = ["rows"] * bool(tokens & _ROWS) + ["columns"] * bool(tokens & _COLUMNS)
    return found[0] if len(found) == 1 else ""


def meetings(trees: Mapping[str, ast.Module]) -> Iterator[tuple[Taken, Order]]:
    """Each line that takes components, with each order that they may have there."""
    known = _Orders(trees)
    for file, tree in trees.items():
        for taken in _taken(file, tree):
            yield from ((taken, order) for order in known.of(file, taken.of))


def _taken(file: str, tree: ast.Module) -> Iterator[Taken]:
    for node in walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found = [(n, k) for n in walk(node.value) if (k := component(n)) is not None]
            what = role(node.targets[0].id)
            if what and len(found) == 1 and isinstance(found[0][0], ast.Subscript):
                first = what if found[0][1] == 0 else FLIPPED[what]
                yield Taken(file, node.lineno, first, found[0][0].value)
        elif isinstance(node, ast.For | ast.comprehension):
            yield from _of_loop(file, node.target, node.iter)


def _of_loop(file: str, target: ast.expr, value: ast.expr) -> Iterator[Taken]:
    """`for y, x in corners`, `for image, (y, x) in zip(images, corners)`."""
    if isinstance(value, ast.Call) and last_name(value.func) == "zip" and isinstance(target, ast.Tuple):
        for inner, given in zip(target.elts, value.args, strict=False):
            if isinstance(inner, ast.Tuple):
                yield from _of_loop(file, inner, given)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
        first = _first([last_name(e) for e in target.elts])
        if first:
            yield Taken(file, target.lineno, first, value)


def component(node: ast.AST) -> int | None:
    """The number of a component that an expression takes: `moves[:, 0]`, `moves[..., 1, None]`."""
    parts = node.slice.elts if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else []
    own = [p for p in parts if not (isinstance(p, ast.Constant) and p.value is None) and last_name(p) != "newaxis"]
    last = own[-1] if len(own) > 1 else None
    if not isinstance(last, ast.Constant) or last.value not in (0, 1) or isinstance(last.value, bool):
        return None
    is_whole = all(isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value is ...) for p in own[:-1])
    return (0 if last.value == 0 else 1) if is_whole else None


def _first(names: list[str]) -> str:
    """What comes first of two names of which one is of rows and the other of columns."""
    roles = [role(n) for n in names]
    return roles[0] if len(roles) == 2 and set(roles) == {"rows", "columns"} else ""


class _Orders:
    """The orders that the components of expressions may have, as far as the source tells: a function may be called with
    several.
    """

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._origins = Origins(trees)
        self._back = self._origins.back
        self._left = 0

    def of(self, file: str, node: ast.expr) -> list[Order]:
        """Those of an expression."""
        self._left = _MOST
        return self._of(file, node, _DEEP)

    def _of(self, file: str, node: ast.expr, deep: int) -> list[Order]:
        self._left -= 1
        if deep < 0 or self._left < 0:
            return []
        made = _put_together(node)
        if made:
            return [Order(made, made, file, node.lineno)]
        if isinstance(node, ast.Name):
            return self._of_name(file, node, deep)
        if isinstance(node, ast.Attribute):
            return self._same(self._origins.under(node.attr), deep) if node.attr != "T" else []
        if isinstance(node, ast.Subscript):
            key = text_key(node)
            if key is not None and (under := self._origins.under(key)):
                return self._same(under, deep)
            inner = self._of(file, node.value, deep - 1) if component(node) is None else []
            return _flipped(inner, file, node.lineno) if _is_flip(node.slice) else inner
        if isinstance(node, ast.UnaryOp):
            return self._of(file, node.operand, deep - 1)
        if isinstance(node, ast.BinOp):
            return self._of(file, node.left, deep - 1) or self._of(file, node.right, deep - 1)
        return self._of_call(file, node, deep) if isinstance(node, ast.Call) else []

    def _of_name(self, file: str, node: ast.Name, deep: int) -> list[Order]:
        found = self._back.named(file, node)
        if found and all(isinstance(m.statement, ast.Expr) for m in found):
            return self._any(found, deep)  # what the calls give a parameter
        if found and all(m.part is None for m in found):
            return self._agreed(found, deep)
        parts = [p for m in found for p in self._back.part_of(m.value, m.part)]
        if parts:
            return _handed(self._agreed(parts, deep), file, found[0].line)
        return self._same(self._origins.under(node.id), deep)  # a value that Keras hands on keeps its name

    def _of_call(self, file: str, node: ast.Call, deep: int) -> list[Order]:
        results = self._back.results(node)
        if results:
            return _handed(self._agreed(results, deep), file, node.lineno)
        name = last_name(node.func)
        of, args = operands(node, _MODULES)
        if of is None or not (name in _KEEPS or name in _TURNS):
            return []
        inner = self._of(file, of, deep - 1)
        if name in _KEEPS:
            return inner
        axis = keyword(node, "axis") or (args[0] if args else None)
        turns = axis is not None and ast.unparse(axis).strip("[]()") in _LAST
        return _flipped(inner, file, node.lineno) if turns else []

    def _any(self, found: list[Made], deep: int) -> list[Order]:
        """The orders of all of these that are known."""
        return list(dict.fromkeys(o for m in found for o in self._of(m.file, m.value, deep - 1)))

    def _same(self, found: list[Made], deep: int) -> list[Order]:
        """The orders of what is put under one name, perhaps into several things: none where they differ."""
        orders = [known for m in found if (known := self._of(m.file, m.value, deep - 1))]
        firsts = {o.first for known in orders for o in known}
        return list(dict.fromkeys(o for known in orders for o in known)) if len(orders) == 1 or len(firsts) == 1 else []

    def _agreed(self, found: list[Made], deep: int) -> list[Order]:
        """The orders of these, of which one holds: none where one is not known, or they differ."""
        orders = [self._of(m.file, m.value, deep - 1) for m in found]
        same = len({o.first for known in orders for o in known}) == 1 or len(orders) == 1
        return orders[0] if same and all(orders) else []


def _handed(orders: list[Order], file: str, line: int) -> list[Order]:
    """The orders of what a function gives, handed on at the line of its call: the one nearest to the maker stays."""
    return [o if o.handed_at is not None else replace(o, handed_at=(file, line)) for o in orders]


def _put_together(node: ast.expr) -> str:
    """What comes first of two arrays that are stacked as components, or of two columns of a table."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
        names = [e.value if isinstance(e, ast.Constant) else "" for e in node.slice.elts]
        return _first([n for n in names if isinstance(n, str)])
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or name not in ("stack", "column_stack") or not node.args:
        return ""
    axis = keyword(node, "axis") or (node.args[1] if len(node.args) > 1 else None)
    if name == "stack" and (axis is None or ast.unparse(axis) not in _LAST):
        return ""
    given = node.args[0].elts if isinstance(node.args[0], ast.List | ast.Tuple) else []
    return _first([_subject(e) for e in given])


def _subject(node: ast.expr) -> str:
    """The name of what an expression is about: `ys` of `ys.ravel() * step`."""
    while True:
        if isinstance(node, ast.Call):
            method = isinstance(node.func, ast.Attribute) and last_name(node.func.value) not in _MODULES
            node = node.func.value if isinstance(node.func, ast.Attribute) and method else (node.args or [node.func])[0]
        elif isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return node.slice.value
            node = node.value
        else:
            return last_name(node)


def _is_flip(part: ast.expr) -> bool:
    """Whether a subscript turns its last axis: `[..., ::-1]`, `[:, [1, 0]]`."""
    last = part.elts[-1] if isinstance(part, ast.Tuple) and part.elts else None
    return last is not None and ast.unparse(last) in ("::-1", "[1, 0]", "(1, 0)")


def _flipped(orders: list[Order], file: str, line: int) -> list[Order]:
    return [replace(o, first=FLIPPED[o.first], handed_at=(file, line)) for o in orders]
