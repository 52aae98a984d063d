"""Rows that are repeated one by one and reshaped as if they were repeated as a whole, or the other way round.

The copies of `repeat(x, k, axis=0)` are next to each other: (rows, k). Those of `tile(x, (k, 1))` are k blocks of all
rows: (k, rows). Here the count is known by its text alone, and both are in one function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.names import assigned_once, keyword, last_name, nodes_of, operands, parameters, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip

_MODULES = frozenset({"np", "numpy", "tf", "jnp", "ops", "K"})
_OTHER = frozenset(
    {"argsort", "concat", "concatenate", "groupby", "max", "mean", "median", "min", "permute", "reduce_mean", "roll",
     "reduce_sum", "shuffle", "sort", "sorted", "std", "sum", "swapaxes", "transpose", "unique", "var"}
)  # fmt: skip
"""After these the rows are others, or in another order."""
_SIZES = frozenset({"shape", "len", "size", "ones_like", "zeros_like"})
_MANY = re.compile(r"^(?:x|xs|xb|x_\w+)$|batch|rows?$|\w\ws$", re.IGNORECASE)
"""Names of more than one row."""
_ONE = re.compile(r"single|one\b|_one|sample$|example$|image$|query$", re.IGNORECASE)


@dataclass(frozen=True)
class _Copies:
    """A call that repeats rows; `times` is the text of how often."""

    call: ast.Call
    of: ast.expr
    times: str
    rows: frozenset[str]
    """What may be written for the number of the rows."""

    @property
    def name(self) -> str:
        return last_name(self.call.func)


def repeated_rows(tree: ast.Module) -> Iterator[Slip]:
    """Each reshape that takes the copies of a row for the rows of a copy."""
    for function in walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        once = assigned_once(function)
        copies = [c for call in nodes_of(function, ast.Call) if (c := _copies(call, once)) is not None]
        if len({(c.name, c.times) for c in copies}) != 1 or any(_is_one(c, function, tree) for c in copies):
            continue
        first = copies[0]
        for call in nodes_of(function, ast.Call):
            of, sizes = _reshape(call)
            if of is None or not _is_turned(first, sizes) or not _is_of(of, copies, function):
                continue
            if _splits_rows(first, of, sizes, once):
                yield _slip(call, first, sizes)


def _slip(call: ast.Call, copies: _Copies, sizes: list[str]) -> Slip:
    k, rows = copies.times, ast.unparse(copies.of)[:40]
    each = copies.name == "repeat"
    lie = f"(rows, {k})" if each else f"({k}, rows)"
    how = f"the {k} copies of each row are next to each other" if each else f"all rows follow each other {k} times"
    return Slip(
        "pairs-turned",
        call.lineno,
        f"Repeated rows are reshaped to ({', '.join(sizes)}), and lie as {lie}",
        f"Line {copies.call.lineno} repeats `{rows}` by `{copies.name}`: {how}, so they lie as {lie}. The reshape "
        f"takes them as `{'tile' if each else 'repeat'}` would leave them, and mixes the copies of several rows.",
    )


def _copies(call: ast.Call, once: dict[str, ast.expr]) -> _Copies | None:
    """`repeat(x, k, axis=0)` and `tile(x, (k, 1))`."""
    name = last_name(call.func)
    if name not in ("repeat", "tile") or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    of, rest = operands(call, _MODULES)
    named = [k.value for k in call.keywords if k.arg in ("repeats", "reps", "multiples")]
    if of is None or not (rest or named):
        return None
    times = [*named, *rest][0]
    if name == "repeat":
        axis = keyword(call, "axis") or (rest[1] if len(rest) > 1 else None)
        if axis is None or ast.unparse(axis) != "0":
            return None
    else:
        items = times.elts if isinstance(times, ast.Tuple | ast.List) else []
        if len(items) < 2 or any(ast.unparse(i) != "1" for i in items[1:]):
            return None
        times = items[0]
    text = ast.unparse(times)
    is_count = isinstance(times, ast.Name | ast.Attribute | ast.Constant) and text not in ("1", "-1", "2")
    own = ast.unparse(of)
    rows = {f"len({own})", f"{own}.shape[0]", f"tf.shape({own})[0]", f"ops.shape({own})[0]"}
    rows |= {n for n, value in once.items() if ast.unparse(value) in rows}
    return _Copies(call, of, text, frozenset(rows)) if is_count and text not in rows else None


def _is_one(copies: _Copies, function: ast.AST, tree: ast.Module) -> bool:
    """Whether what is repeated is a single row, where it stands or in a call of the function."""
    names = {n.id for n in nodes_of(copies.of, ast.Name)}
    if _is_single(copies.of) or (isinstance(copies.of, ast.Name) and _ONE.search(copies.of.id)):
        return True
    if re.search(r"single|one$", getattr(function, "name", "")):
        return True
    for assign in nodes_of(function, ast.Assign):
        if names & {last_name(t) for t in assign.targets} and _is_single(assign.value):
            return True
    at = [n for n, p in enumerate(parameters(function)) if p in names]
    for call in nodes_of(tree, ast.Call):
        if last_name(call.func) == getattr(function, "name", ""):
            told = [call.args[n] for n in at if n < len(call.args)]
            told += [k.value for k in call.keywords if k.arg in names]
            if any(_is_single(t) or (isinstance(t, ast.Name) and _made_single(tree, t.id)) for t in told):
                return True
    return False


def _made_single(tree: ast.Module, name: str) -> bool:
    return any(name in {last_name(t) for t in a.targets} and _is_single(a.value) for a in nodes_of(tree, ast.Assign))


def _is_single(node: ast.expr) -> bool:
    """`x[None]`, `x[i : i + 1]`, `x[:1]`, `x[-1:]`, `expand_dims(x, 0)`, `x.reshape(1, -1)`."""
    for part in walk(node):
        if isinstance(part, ast.Subscript):
            first = part.slice.elts[0] if isinstance(part.slice, ast.Tuple) and part.slice.elts else part.slice
            text = ast.unparse(first).replace(" ", "")
            if text in ("None", "np.newaxis", "tf.newaxis", ":1", "0:1", "-1:") or text.endswith("+1"):
                return True
        elif isinstance(part, ast.Call) and last_name(part.func) in ("expand_dims", "reshape", "atleast_2d", "zeros"):
            words = re.split(r"[^\w-]+", ast.unparse(part).partition("(")[2])
            if last_name(part.func) in ("expand_dims", "atleast_2d") or "1" in words[:3]:
                return True
    return False


def _reshape(call: ast.Call) -> tuple[ast.expr | None, list[str]]:
    """(what is reshaped, to which sizes)."""
    if last_name(call.func) != "reshape" or keyword(call, "order") is not None:
        return None, []
    of, sizes = operands(call, _MODULES)
    sizes += [k.value for k in call.keywords if k.arg in ("shape", "newshape")]
    items = sizes[0].elts if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List) else sizes
    return of, [ast.unparse(i) for i in items] if len(items) >= 2 else []


def _is_turned(copies: _Copies, sizes: list[str]) -> bool:
    """Whether the sizes are those of the other way to repeat."""
    if len(sizes) < 2:
        return False
    count, rows = sizes[:2] if copies.name == "repeat" else (sizes[1], sizes[0])
    return count == copies.times and (rows == "-1" or rows in copies.rows)


def _splits_rows(copies: _Copies, of: ast.expr, sizes: list[str], once: dict[str, ast.expr]) -> bool:
    """Whether the first two sizes are of rows and copies: one is the number of rows, or each row has one number."""
    if set(sizes[:2]) & copies.rows:
        return True
    value = once.get(of.id, of) if isinstance(of, ast.Name) else of
    if len(sizes) == 2 and (_is_flat(of) or _is_flat(value)):
        return True
    many = isinstance(copies.of, ast.Name) and _MANY.search(copies.of.id) is not None
    return many and copies.name == "repeat" and len(sizes) <= 3


def _is_flat(value: ast.expr) -> bool:
    """`y[:, 0]`, `y[..., 0]`, `squeeze(y, -1)`, `y.ravel()`: one number for each row."""
    if isinstance(value, ast.Call) and last_name(value.func) == "numpy":
        value = getattr(value.func, "value", value)
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Tuple) and len(value.slice.elts) == 2:
        first, last = (ast.unparse(e) for e in value.slice.elts)
        return first in (":", "...") and last.lstrip("-").isdigit()
    return isinstance(value, ast.Call) and last_name(value.func) == "squeeze"


def _is_of(node: ast.expr, copies: list[_Copies], function: ast.AST) -> bool:
    """Whether an expression is made of the copies, row by row as far as names say."""
    calls = {id(c.call) for c in copies}
    known: set[str] = set()
    for assign in sorted(nodes_of(function, ast.Assign), key=lambda a: a.lineno):
        if assign.lineno < node.lineno:
            target = {n.id for t in assign.targets for n in nodes_of(t, ast.Name)}
            known = known | target if _keeps(assign.value, known, calls, copies[0]) else known - target
    return _keeps(node, known, calls, copies[0])


def _keeps(value: ast.expr, known: set[str], calls: set[int], copies: _Copies) -> bool:
    """Whether a value has the copies row by row; what only asks for their shape has not."""
    todo: list[ast.AST] = [value]
    found = False
    while todo:
        node = todo.pop()
        if id(node) in calls or (isinstance(node, ast.Name) and node.id in known):
            found = True
            continue
        if isinstance(node, ast.Attribute) and node.attr in _SIZES:
            continue
        if isinstance(node, ast.Call):
            name, sizes = last_name(node.func), _reshape(node)[1]
            if name in _SIZES:
                continue
            if name in _OTHER or copies.times in sizes[:2]:
                return False
        if isinstance(node, ast.Subscript):
            first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            if ast.unparse(first) not in (":", "...") and not isinstance(first, ast.Constant):
                return False
        todo += [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr | ast.keyword)]
    return found
