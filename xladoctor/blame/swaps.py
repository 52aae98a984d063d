"""Small edits that put another value of the program into a place: an array of another name, another field or key."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import TYPE_CHECKING

from xladoctor.blame.values import Array, Class, Instance, Map, Value, number
from xladoctor.blame.variants import Shapes, Variant, agrees, fields, replaced
from xladoctor.sources.names import last_name, text_key, walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_MOST = 4
_ALIKE = 0.6
"""From here on two names look as if one was meant to be the other."""


@dataclass(frozen=True)
class Beside:
    """What else is at hand in a function: its arrays by name, with their sizes."""

    arrays: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    tables: frozenset[str] = frozenset()
    """Those that are frames."""
    symbolic: frozenset[str] = frozenset()
    """Those that a model is put together from: no array can be one of them, nor be replaced by one."""
    objects: Mapping[str, Class] = field(default_factory=dict)
    """The objects of the program's classes by name, with their classes."""


def beside(run: Follower, file: str, function: str) -> Beside:
    """The arrays and objects of the function, and of the module where it is the function."""
    found: dict[str, Array] = {}
    objects: dict[str, Class] = {}
    for scope in run.scopes:
        if scope.file == file and scope.function == function:
            found |= {n: v for n, v in scope.names.items() if isinstance(v, Array) and v.dims}
            objects |= {n: v.cls for n, v in scope.names.items() if isinstance(v, Instance)}
    tables = frozenset(n for n, v in found.items() if v.kind == "frame")
    symbolic = frozenset(n for n, v in found.items() if v.kind == "symbolic")
    return Beside({n: v.sizes for n, v in found.items()}, tables, symbolic, objects)


def of_swaps(
    file: str,
    holder: ast.AST,
    shapes: Shapes,
    pairs: Mapping[int, int],
    run: Follower,
    at_hand: Beside,
    parameters: Mapping[str, Sequence[str]] = MappingProxyType({}),
    assigned: Mapping[int, str] = MappingProxyType({}),
) -> Iterator[Variant]:
    """The edits of the expressions right below a node. `assigned` is what the lines assign."""
    for name, at, node in fields(holder):
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            continue
        others = {n.id for _, _, n in fields(holder) if isinstance(n, ast.Name)}
        own = assigned.get(node.lineno, "")
        meant = agrees(holder, at, node, parameters) or _is_short_for(own, node)
        for new, alike in [*_arrays(node, shapes, at_hand), *(() if meant else _fields(node, pairs, run))]:
            if (isinstance(new, ast.Name) and new.id in others) or ast.unparse(new) == own:
                continue  # one value twice, and another one not at all; or what the line itself makes
            kind = "value" if isinstance(node, ast.Name) else "name"
            yield Variant(file, node.lineno, kind, "other", replaced(holder, name, at, new), alike)
        for new in _objects(node, at_hand):
            yield Variant(file, node.lineno, "name", "other", replaced(holder, name, at, new), True)
        for new in _columns(node, holder):
            yield Variant(file, node.lineno, "by one", "slice", replaced(holder, name, at, new))
        for new in _one_column(node):
            yield Variant(file, node.lineno, "rank", "squeeze", replaced(holder, name, at, new))


def _is_short_for(assigned: str, node: ast.expr) -> bool:
    """Whether a line gives a field to a name that is short for it: `w, h = cfg.window, cfg.horizon`."""
    field_name = last_name(node) if isinstance(node, ast.Attribute) else ""
    shorts = {part.strip("() ") for part in assigned.split(",")}
    return any(len(short) < 4 and short and field_name.startswith(short) for short in shorts)


def _arrays(node: ast.expr, shapes: Shapes, at_hand: Beside) -> Iterator[tuple[ast.expr, bool]]:
    """An array of the function under another name and of another shape; those whose names are alike first."""
    sizes = shapes.get(node)
    if not isinstance(node, ast.Name) or not sizes:
        return
    others = {n: s for n, s in at_hand.arrays.items() if n != node.id and s != sizes and abs(len(s) - len(sizes)) < 2}
    likeness = {n: _likeness(n, node.id) for n in others}
    same = {n for n in others if (n in at_hand.symbolic) == (node.id in at_hand.symbolic)}
    near = [n for n in others if n in same and (likeness[n] >= _ALIKE or {n, node.id} <= at_hand.tables)]
    for other in sorted(near, key=lambda n: (len(others[n]) != len(sizes), -likeness[n]))[:_MOST]:
        yield ast.copy_location(ast.Name(other, ast.Load()), node), likeness[other] >= _ALIKE


def _objects(node: ast.expr, at_hand: Beside) -> Iterator[ast.expr]:
    """Another object of the same class: a scaler of the targets in the place of that of the inputs."""
    own = at_hand.objects.get(node.id) if isinstance(node, ast.Name) else None
    for name, cls in list(at_hand.objects.items()) if own is not None else ():
        if cls is own and isinstance(node, ast.Name) and name not in (node.id, "self"):
            yield ast.copy_location(ast.Name(name, ast.Load()), node)


def _likeness(one: str, other: str) -> float:
    """How alike two names are, from 0 to 1; `x_train` and `x_test` begin alike."""
    ratio = SequenceMatcher(None, one, other).ratio()
    head, _, rest = one.partition("_")
    return max(ratio, _ALIKE) if rest and head == other.partition("_")[0] else ratio


def _fields(node: ast.expr, pairs: Mapping[int, int], run: Follower) -> Iterator[tuple[ast.expr, bool]]:
    """`plan.width` as `plan.height`, `sizes["in"]` as `sizes["out"]`: where that has the other size."""
    held = run.holders.get(node)
    if held is None:
        return
    known = _numbers(held)
    own = node.attr if isinstance(node, ast.Attribute) else text_key(node)
    values = run.numbers.get(node) or {known.get(own or "", -1)}
    wanted = pairs.get(next(iter(values))) if len(values) == 1 else None
    for other in [n for n, size in known.items() if size == wanted and n != own][:_MOST]:
        if isinstance(node, ast.Attribute):
            yield ast.copy_location(ast.Attribute(node.value, other, ast.Load()), node), True
        elif isinstance(node, ast.Subscript):
            key = ast.copy_location(ast.Constant(other), node.slice)
            yield ast.copy_location(ast.Subscript(node.value, key, ast.Load()), node), True


def _numbers(held: Value) -> dict[str, int]:
    named = held.items if isinstance(held, Map) else {}
    if isinstance(held, Instance):
        named = {**held.cls.names, **held.names}
    return {str(n): size for n, v in named.items() if isinstance(n, str) and (size := number(v)) is not None}


def _columns(node: ast.expr, holder: ast.AST) -> Iterator[ast.expr]:
    """A list of names of columns with one more, or without its last."""
    drops = isinstance(holder, ast.Call) and last_name(holder.func) == "drop"
    if not isinstance(node, ast.List) or not (drops or isinstance(holder, ast.Subscript | ast.keyword)):
        return
    if node.elts and all(isinstance(e, ast.Constant) and isinstance(e.value, str) for e in node.elts):
        more = ast.copy_location(ast.Constant("another"), node)
        yield ast.copy_location(ast.List([*node.elts, more], ast.Load()), node)
        if len(node.elts) > 1:
            yield ast.copy_location(ast.List(node.elts[:-1], ast.Load()), node)


def _one_column(node: ast.expr) -> Iterator[ast.expr]:
    """`table[["price"]]` as `table["price"]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List) and len(node.slice.elts) == 1:
        yield ast.copy_location(ast.Subscript(node.value, node.slice.elts[0], ast.Load()), node)


Unpacking = tuple[str, tuple[str, ...]]


def unpacking(node: ast.AST) -> Unpacking | None:
    """A function, and what its results are called where they are taken apart, without numbers: `s1, p1 = block(x)`."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if not isinstance(node, ast.Assign) or not isinstance(target, ast.Tuple) or not isinstance(node.value, ast.Call):
        return None
    return last_name(node.value.func), tuple(last_name(e).rstrip("0123456789_") for e in target.elts)


def unpacked_alike(tree: ast.Module) -> frozenset[Unpacking | None]:
    """What several lines take apart in one order: one of them is not the mistake."""
    found = Counter(known for node in walk(tree) if (known := unpacking(node)) is not None)
    return frozenset(known for known, times in found.items() if times > 1 and len(set(known[1])) > 1)
