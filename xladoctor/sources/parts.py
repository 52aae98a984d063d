"""Arrays that are cut into parts, and put together from parts: which axis of the grid of parts is the outer one.

Parts that lie one after the other have all columns of the first row in front (`rows` first), or all rows of the first
column. It is read from a reshape, a transposition and a reshape, from `extract_patches`, and from two loops.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import pairwise

from xladoctor.sources.names import last_name, nodes_of, operands, walk
from xladoctor.sources.slips.slip import FUNCTIONS, scopes

_MODULES = frozenset({"np", "numpy", "tf", "jnp", "ops", "K", "torch", "tensorflow", "keras"})
_KEEPS = frozenset(
    {"array", "asarray", "ascontiguousarray", "astype", "cast", "constant", "contiguous", "convert_to_tensor",
     "float32", "numpy"}
)  # fmt: skip
_RESHAPES, _TRANSPOSES = ("reshape", "view"), ("transpose", "permute")
_FOLLOWED = _KEEPS | {*_RESHAPES, *_TRANSPOSES}
_DEPTH = 8
Scope = ast.AST
Made = dict[str, list[ast.expr]]
"""{name: what it is given}."""


@dataclass(frozen=True)
class Parts:
    """A place that cuts an array into parts, or `joins` them again."""

    file: str
    line: int
    scope: Scope
    joins: bool
    rows: bool
    """The rows of the grid are the outer axis."""
    torn: bool = False
    """The axes between the parts and within them were not brought together: no part is a block of the array."""

    @property
    def name(self) -> str:
        """The function that does it."""
        return getattr(self.scope, "name", "the module")


@dataclass(frozen=True)
class _Step:
    """One of the functions that an array goes through."""

    kind: str
    line: int
    sizes: tuple[str, ...] = ()
    order: tuple[int, ...] = ()


def parts_of(file: str, tree: ast.Module) -> Iterator[Parts]:
    """All places of a file."""
    for scope in scopes(tree):
        own = list(_own(scope))
        calls = [n for n in own if isinstance(n, ast.Call) and last_name(n.func) in _FOLLOWED]
        made: Made = {}
        for node in own if calls else ():
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1:
                made.setdefault(node.targets[0].id, []).append(node.value)
        inner = {id(_subject(c, made)) for c in calls}
        for call in calls:
            if last_name(call.func) in _RESHAPES and id(call) not in inner:
                found = _reshaped(_steps(call, made))
                if found is not None:
                    line, joins, rows, torn = found
                    yield Parts(file, line, scope, joins, rows, torn)
        for line, joins, rows in _looped(own):
            yield Parts(file, line, scope, joins, rows)


def _own(scope: Scope) -> Iterator[ast.AST]:
    """What stands in a scope, functions within it left out."""
    todo = list(scope.body)  # type: ignore[attr-defined]
    while todo:
        node = todo.pop()
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node
            todo += list(ast.iter_child_nodes(node))


def _subject(call: ast.Call, made: Made) -> ast.expr | None:
    """What a call is made on; of a name the expression that it was given last."""
    of, _ = operands(call, _MODULES)
    if isinstance(of, ast.Name):
        above = [value for value in made.get(of.id, ()) if value.lineno < of.lineno]
        return max(above, key=lambda value: value.lineno) if above else None
    return of


def _steps(node: ast.expr | None, made: Made) -> list[_Step]:
    """What an array went through, the first one in front."""
    found: list[_Step] = []
    for _ in range(_DEPTH):
        if not isinstance(node, ast.Call):
            break
        name = last_name(node.func)
        _, given = operands(node, _MODULES)
        given += [k.value for k in node.keywords if k.arg in ("shape", "newshape", "perm", "axes")]
        items = given[0].elts if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List) else given
        if name in _RESHAPES:
            found.append(_Step("reshape", node.lineno, tuple(ast.unparse(i) for i in items)))
        elif name in _TRANSPOSES:
            order = tuple(i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, int))
            found.append(_Step("transpose", node.lineno, (), order))
        elif name in ("extract_patches", "extract_image_patches"):
            found.append(_Step("extract", node.lineno))
            break
        elif name not in _KEEPS:
            break
        node = _subject(node, made)
    return found[::-1]


def _reshaped(steps: list[_Step]) -> tuple[int, bool, bool, bool] | None:
    """(line, joins, rows first, torn) of what ends in a reshape."""
    kinds = [s.kind for s in steps]
    if kinds[0] == "extract" and kinds[-1] == "reshape" and len(steps) <= 3:
        turned = kinds == ["extract", "transpose", "reshape"]
        if kinds[1:-1] and not (turned and steps[1].order in ((0, 1, 2, 3), (0, 2, 1, 3))):
            return None
        return steps[-1].line, False, not turned or steps[1].order == (0, 1, 2, 3), False
    if kinds[-3:] == ["reshape", "transpose", "reshape"]:
        return _moved(steps[-3], steps[-2].order, steps[-1].sizes)
    return _not_moved(steps[-2], steps[-1]) if kinds[-2:] == ["reshape", "reshape"] else None


def _moved(split: _Step, order: tuple[int, ...], final: tuple[str, ...]) -> tuple[int, bool, bool, bool] | None:
    """Of four neighbouring axes: (rows, columns, height, width) is joined, (rows, height, columns, width) is cut."""
    sizes, count = split.sizes, len(split.sizes)
    if len(order) != count or count < 4:
        return None
    for k in range(count - 3):
        kept = order[:k] == tuple(range(k)) and order[k + 4 :] == tuple(range(k + 4, count))
        block = tuple(axis - k for axis in order[k : k + 4])
        first, second, third, fourth = sizes[k : k + 4]
        if not kept:
            continue
        joins = third == fourth and len(final) == count - 2 and third not in final and block in _JOINED
        cuts = second == fourth and first != second and len(final) < count and block in _CUT
        if joins and not cuts:
            return split.line, True, _JOINED[block], False
        if cuts and not joins:
            return split.line, False, _CUT[block], False
    return None


_JOINED: dict[tuple[int, ...], bool] = {(0, 2, 1, 3): True, (1, 2, 0, 3): False}
_CUT: dict[tuple[int, ...], bool] = {(0, 2, 1, 3): True, (2, 0, 1, 3): False}


def _not_moved(split: _Step, last: _Step) -> tuple[int, bool, bool, bool] | None:
    """The two axes of the grid and the two of a part are taken together as they lie: (rows, height, columns, width) of
    parts of one side become parts, or (rows, columns, height, width) an array.
    """
    sizes, final, count = split.sizes, last.sizes, len(split.sizes)
    for k in range(count - 3):
        first, second, third, fourth = sizes[k : k + 4]
        if "-1" in (second, third, fourth) or fourth.isdigit():
            continue
        pairs = list(pairwise(final))
        if second == fourth and third not in (second, first) and (second, second) in pairs and len(final) < count:
            return last.line, False, True, True
        joins = third == fourth and len({first, second, third}) == 3 and len(final) == count - 2
        if joins and third not in final and not {first, second} & set(final):
            return last.line, True, True, True
    return None


def _looped(own: list[ast.AST]) -> Iterator[tuple[int, bool, bool]]:
    """(line, joins, rows first) of slices of an array by two running numbers, one after the other."""
    for node in own:
        if isinstance(node, ast.For):
            inner = [n for n in node.body if isinstance(n, ast.For)]
            major = _target(node)
            if len(inner) == 1 and major and (minor := _target(inner[0])):
                yield from _of_body(inner[0].body, node.body, major, minor)
            elif not inner and (pair := _divided(node)):
                yield from _of_body(node.body, [], *pair, {n.id for n in nodes_of(node.target, ast.Name)})
        elif isinstance(node, ast.ListComp) and len(node.generators) == 2:
            names = [last_name(g.target) for g in node.generators]
            for cut, first, _ in _sliced(node.elt, {n: {n} for n in names}):
                if isinstance(cut.ctx, ast.Load):
                    yield cut.lineno, False, first == names[0]


def _target(loop: ast.For) -> str:
    """The number that a loop counts: `i` of `for i in range(n)` and of `for i, top in enumerate(tops)`."""
    counted = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) in ("range", "arange")
    return loop.target.id if isinstance(loop.target, ast.Name) and counted else ""


def _divided(loop: ast.For) -> tuple[str, str] | None:
    """(quotient, rest) of the number of a round: `i, j = divmod(k, cols)`, or `i = k // cols` and `j = k % cols`."""
    names = {n.id for n in nodes_of(loop.target, ast.Name)}
    by_op: dict[type[ast.operator], str] = {}
    for assign in (n for n in loop.body if isinstance(n, ast.Assign)):
        target, value = assign.targets[0], assign.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=False))
        divides = isinstance(value, ast.Call) and last_name(value.func) == "divmod" and len(value.args) == 2
        number = last_name(value.args[0]) if divides and isinstance(value, ast.Call) else ""
        if number in names and isinstance(target, ast.Tuple):
            return last_name(target.elts[0]), last_name(target.elts[1])
        for one, of in pairs:
            if isinstance(of, ast.BinOp) and last_name(of.left) in names:
                by_op[type(of.op)] = last_name(one)
    found = by_op.get(ast.FloorDiv), by_op.get(ast.Mod)
    return (found[0], found[1]) if found[0] and found[1] else None


def _of_body(
    body: list[ast.stmt], around: list[ast.stmt], major: str, minor: str, rounds: Set[str] = frozenset()
) -> Iterator[tuple[int, bool, bool]]:
    """Of what stands in the loops: `rounds` are names of what one loop goes through in the order of the parts."""
    made = {major: {major}, minor: {minor}}
    for assign in (n for s in (*around, *body) for n in nodes_of(s, ast.Assign) if isinstance(n.targets[0], ast.Name)):
        used = {n.id for n in nodes_of(assign.value, ast.Name)}
        for name in (major, minor):
            if used & made[name] and not used & made[minor if name == major else major]:
                made[name].add(last_name(assign.targets[0]))
    counters = rounds | {last_name(n.target) for s in body for n in nodes_of(s, ast.AugAssign)}
    appends = [n for s in body for n in walk(s) if isinstance(n, ast.Call) and last_name(n.func) == "append"]
    for statement in body:
        for cut, first, _ in _sliced(statement, made):
            if isinstance(cut.ctx, ast.Store):
                outer = _flat(getattr(statement, "value", None), counters, major, minor)
                if outer:
                    yield cut.lineno, True, first == outer
            elif appends or isinstance(getattr(statement, "value", None), ast.Yield):
                yield cut.lineno, False, first == major
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
                outer = _flat(statement.targets[0], counters, major, minor)
                if outer:
                    yield cut.lineno, False, first == outer


def _sliced(node: ast.AST, made: dict[str, set[str]]) -> Iterator[tuple[ast.Subscript, str, str]]:
    """(subscript, number of its first slice, of its second) of slices by both numbers."""
    for cut in nodes_of(node, ast.Subscript):
        parts = cut.slice.elts if isinstance(cut.slice, ast.Tuple) else []
        found = []
        for part in (p for p in parts if isinstance(p, ast.Slice) and p.lower is not None):
            used = {n.id for n in nodes_of(part, ast.Name)}
            found += [name for name, names in made.items() if used & names]
        if len(found) == 2 and found[0] != found[1]:
            yield cut, found[0], found[1]


def _flat(node: ast.AST | None, counters: Set[str], major: str, minor: str) -> str:
    """The number that is the outer one in the place of a part among all: of a counter that of the outer loop."""
    if node is None:
        return ""
    if any(isinstance(n, ast.Call) and last_name(n.func) in ("next", "pop", "popleft") for n in walk(node)):
        return major
    if isinstance(node, ast.Name) and node.id in counters:
        return major
    for taken in nodes_of(node, ast.Subscript):
        at = taken.slice
        if isinstance(at, ast.Name) and at.id in counters:
            return major
        if isinstance(at, ast.BinOp) and isinstance(at.op, ast.Add):
            for one, other in ((at.left, at.right), (at.right, at.left)):
                times = isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)
                factors = {last_name(n) for n in walk(one)} if times else set()
                for outer, inner in ((major, minor), (minor, major)):
                    if last_name(other) == inner and outer in factors:
                        return outer
    return ""
