"""One function over axes by number, that is given the same array before and after its axes were exchanged."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from xladoctor.sources.names import given, keyword, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, assigns

_REDUCES = frozenset(
    {"sum", "mean", "std", "var", "max", "min", "amax", "amin", "median", "norm", "percentile", "quantile", "prod",
     "reduce_sum", "reduce_mean", "reduce_std", "reduce_variance", "reduce_max", "reduce_min"}
)  # fmt: skip
_DEPTH = 2
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def layouts(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """`scale = factor(x)`, and after `x = np.transpose(x, (0, 2, 3, 1))` another call that comes to `factor`."""
    functions: dict[str, list[_Function]] = {}
    for tree in trees.values():
        for node in walk(tree):
            if isinstance(node, FUNCTIONS):
                functions.setdefault(node.name, []).append(node)
    for file, tree in trees.items():
        for scope in (n for n in walk(tree) if isinstance(n, FUNCTIONS)):
            for slip in _of_scope(scope, functions):
                yield file, slip


def _of_scope(scope: _Function, functions: Mapping[str, list[_Function]]) -> Iterator[Slip]:
    calls = list(nodes_of(scope, ast.Call))
    for target, value, line in assigns(scope):
        given, order = _exchanged(value)
        if given is None or not isinstance(target, ast.Name):
            continue
        sure = [c for c in calls if c.lineno > line and _gives(c, target.id)]
        early = [c for c in calls if c.lineno < line or given != target.id]
        for call in (c for c in early if _gives(c, given) and c.lineno != line):
            for name, axes in _reduced(call, given, functions, _DEPTH):
                if {order[a] if a < len(order) else a for a in axes} == set(axes):
                    continue
                other = next((c for c in sure if (name, axes) in set(_reduced(c, target.id, functions, _DEPTH))), None)
                if other is not None:
                    yield Slip(
                        "two-layouts",
                        call.lineno,
                        f"{name} sums over axes {', '.join(map(str, axes))} of `{given}`, whose axes line {line} "
                        "exchanges",
                        f"Line {other.lineno} comes to the same function with the exchanged array. The two go over "
                        "other axes of the same numbers, and only one of them can be what was meant.",
                    )
                    return


def _exchanged(value: ast.expr) -> tuple[str | None, tuple[int, ...]]:
    """(name, order of axes) of `np.transpose(x, (0, 2, 3, 1))` and `x.transpose(0, 2, 3, 1)`, of three axes or more."""
    if not (isinstance(value, ast.Call) and last_name(value.func) == "transpose"):
        return None, ()
    module = isinstance(value.func, ast.Attribute) and last_name(value.func.value) in (
        "np",
        "numpy",
        "tf",
        "ops",
        "jnp",
    )
    subject = value.args[0] if module and value.args else getattr(value.func, "value", None)
    orders = [*value.args[module:], *(k.value for k in value.keywords if k.arg in ("perm", "axes"))]
    if len(orders) == 1 and isinstance(orders[0], ast.Tuple | ast.List):
        orders = orders[0].elts
    axes = [o.value for o in orders if isinstance(o, ast.Constant) and isinstance(o.value, int)]
    whole = len(axes) == len(orders) and len(axes) > 2 and sorted(axes) == list(range(len(axes)))
    name = _root(subject) if subject is not None else None
    return (name, tuple(axes)) if whole else (None, ())


def _root(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _gives(call: ast.Call, name: str) -> bool:
    return any(isinstance(a, ast.Name) and a.id == name for a in (*call.args, *(k.value for k in call.keywords)))


def _reduced(
    call: ast.Call, name: str, functions: Mapping[str, list[_Function]], depth: int
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(function, axes) of the sums and the like over axes by number that a call makes of what it is given."""
    for function in functions.get(last_name(call.func), ()):
        own = [n for n, a in given(call, function) if isinstance(a, ast.Name) and a.id == name]
        for inner in nodes_of(function, ast.Call):
            axes = _axes(inner)
            if axes is not None and any(isinstance(n, ast.Name) and n.id in own for n in walk(inner)):
                yield function.name, axes
            elif depth:
                for parameter in (p for p in own if _gives(inner, p)):
                    yield from _reduced(inner, parameter, functions, depth - 1)


def _axes(call: ast.Call) -> tuple[int, ...] | None:
    """The axes, counted from the first one, that a sum or the like goes over."""
    axis = keyword(call, "axis") if last_name(call.func) in _REDUCES else None
    if axis is None:
        return None
    parts = axis.elts if isinstance(axis, ast.Tuple | ast.List) else [axis]
    found = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, int)]
    return tuple(found) if found and len(found) == len(parts) and min(found) >= 0 else None
