"""What is looked at in a whole loop, and at the end of the program."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xladoctor.sources.loops import TRAINS, takes_rows
from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.rows.values import Array, Items, Names, RowFault

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader


def loop(reader: Reader, node: ast.For | ast.AsyncFor, names: Names) -> None:
    """`for b in range(n // size)`, with something left over, of a loop that only predicts."""
    rest = _left_over(reader, node.iter, names)
    if rest is None or rest[2] >= rest[0]:
        return
    if _filled(node.body) & _filled(reader.after):
        return  # the rest is written behind the loop
    if not takes_rows(node):
        return
    if any(isinstance(n, ast.Yield) for s in node.body for n in walk(s)):
        if reader.left:
            reader.left[-1] = RowFault("rest-left-out", node.lineno, reader.function, (), rest, reader.file)
    elif _predicts(reader, node.body) and not _trains(reader, node.body):
        reader.fault("rest-left-out", node, (), rest)


def generated(reader: Reader, over: Any, body: Sequence[ast.stmt]) -> None:
    """A loop over the whole batches of a generator that leaves something over, and that only predicts."""
    left = over.left if isinstance(over, Items) else None
    if left is not None and _predicts(reader, body) and not _trains(reader, body):
        reader.faults.append(left)


def _filled(body: Sequence[ast.stmt]) -> set[str]:
    """The names of what statements write into, or put something to."""
    nodes = [n for s in body for n in walk(s)]
    stored = {last_name(n.value) for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)}
    calls = (n.func for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    return (stored | {last_name(f.value) for f in calls if f.attr in ("append", "extend")}) - {""}


def _left_over(reader: Reader, over: ast.expr, names: Names) -> tuple[int, int, int] | None:
    """(rows, size of a block, rows in blocks) of `range(rows // size)`, `range(0, rows - size + 1, size)`."""
    if not isinstance(over, ast.Call) or last_name(over.func) not in ("range", "trange"):
        return None
    if len(over.args) == 1:
        found = whole_blocks(reader, over.args[0], names)
        return (*found, found[0] - found[0] % found[1]) if found is not None else None
    if len(over.args) == 3 and isinstance(over.args[1], ast.BinOp):
        first, end, size = (reader.value(a, names) for a in over.args)
        less = _taken_away(over.args[1], reader, names)
        pair = _pair([less[0], size]) if less is not None and less[1] == size and first == 0 else None
        if pair is not None and isinstance(end, int):
            return (*pair, min(pair[0], len(range(0, end, pair[1])) * pair[1]))
    return None


def whole_blocks(reader: Reader, end: ast.expr, names: Names) -> tuple[int, int] | None:
    """(rows, size) of `rows // size`, `int(rows / size)`, and of a name that was given it."""
    end = _spelled(end, names)
    down = isinstance(end, ast.Call) and last_name(end.func) in ("int", "floor") and len(end.args) == 1
    inner = end.args[0] if down and isinstance(end, ast.Call) else end
    if down and isinstance(inner, ast.Call) and last_name(inner.func) == "floor" and inner.args:
        inner = inner.args[0]
    wanted = ast.Div if down else ast.FloorDiv
    if not isinstance(inner, ast.BinOp) or not isinstance(inner.op, wanted) or _rounds_up(inner.left):
        return None
    return _pair([reader.value(inner.left, names), reader.value(inner.right, names)])


def _spelled(end: ast.expr, names: Names) -> ast.expr:
    """The expression that a name was given, as `steps = n // size`."""
    source = names.get(f"={end.id}") if isinstance(end, ast.Name) else None
    return source if isinstance(source, ast.expr) else end


def _rounds_up(left: ast.expr) -> bool:
    return isinstance(left, ast.BinOp | ast.UnaryOp)


def _taken_away(end: ast.BinOp, reader: Reader, names: Names) -> tuple[Any, Any] | None:
    """(n, size) of `n - size` and `n - size + 1`."""
    if isinstance(end.op, ast.Add) and isinstance(end.left, ast.BinOp):
        end = end.left
    if not isinstance(end.op, ast.Sub):
        return None
    return reader.value(end.left, names), reader.value(end.right, names)


def _pair(found: list[Any]) -> tuple[int, int] | None:
    whole = all(isinstance(v, int) and not isinstance(v, bool) and v > 1 for v in found)
    return (found[0], found[1]) if whole and found[0] > found[1] else None


def _predicts(reader: Reader, body: Sequence[ast.stmt], depth: int = 3) -> bool:
    """Whether predictions are made, and not thrown away, as where only the time is wanted."""
    unused = [s.value for s in body if isinstance(s, ast.Expr)]
    for call in (n for s in body for n in nodes_of(s, ast.Call) if n not in unused):
        name = last_name(call.func)
        if name in ("predict", "predict_on_batch") or name in reader.models:
            return True
        if depth and any(_predicts(reader, f.body, depth - 1) for f in reader.functions_of(name)):
            return True
    return False


def _trains(reader: Reader, body: Sequence[ast.stmt], depth: int = 3) -> bool:
    for name in _called(body):
        if name in TRAINS:
            return True
        if depth and any(_trains(reader, f.body, depth - 1) for f in reader.functions_of(name)):
            return True
    return False


def _called(body: Sequence[ast.stmt]) -> set[str]:
    return {last_name(n.func) for s in body for n in nodes_of(s, ast.Call)} - {""}


def at_the_end(reader: Reader) -> None:
    """Rows that a model is used on, scaled by other statistics than those that it was trained on."""
    for array, place, model, method in reader.used:
        known = [a for a, name in reader.trained if name == model]
        if not array.scaled or not known or not all(a.scaled for a in known):
            continue
        trained = frozenset[int]().union(*(a.scaled for a in known))
        if not array.scaled & trained and _own(reader, array):
            names = (array.name or "the rows", method, model)
            file, line = array.place if array.place[1] else place
            reader.faults.append(RowFault("own-statistics", line, reader.function, names, (place[1],), file))


def _own(reader: Reader, array: Array) -> bool:
    """Whether one of the arrays that it was scaled by has its rows."""
    by = [a for a in reader.kept if id(a) in array.scaled]
    return any(a.rows is not None and array.rows is not None and a.rows.root() is array.rows.root() for a in by)
