"""The sizes of an array by the source alone: numbers where they are known, else the names that stand for them.

What a name held in the run comes first. What is not understood has no sizes.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from xladoctor.sources.backward import Made
from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, operands

Size = int | str | None
Sizes = tuple[Size, ...]

_DEPTH = 16
_MODULES = frozenset({"np", "numpy", "tf", "tensorflow", "jnp", "ops", "math", "rng", "random", "gen", "generator"})
_SAME = frozenset(
    {"abs", "absolute", "asarray", "ascontiguousarray", "astype", "cast", "clip", "constant", "convert_to_tensor",
     "copy", "cos", "cumsum", "exp", "float32", "float64", "log", "log10", "log1p", "nan_to_num", "round", "sin",
     "sqrt", "square", "tanh", "zeros_like", "ones_like", "empty_like", "full_like", "sort", "numpy", "to_numpy"}
)  # fmt: skip
_SHAPED = {"empty": 0, "full": 0, "ones": 0, "random": 0, "random_sample": 0, "standard_normal": 0, "zeros": 0,
           "exponential": 1, "poisson": 1, "binomial": 2, "choice": 1, "gamma": 2, "integers": 2, "normal": 2,
           "randint": 2, "uniform": 2, "lognormal": 2, "beta": 2}  # fmt: skip
"""Where a function that makes an array takes its sizes."""


def size(view: View, node: ast.expr, depth: int = _DEPTH) -> Size:
    """A number, or a text that is the same for the same number."""
    number = view.number(node)
    if number is not None or not depth:
        return number
    if isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1:
        items = _listed(view, node.args[0])
        if items is not None:
            return items
        found = sizes(view, node.args[0], depth - 1)
        return found[0] if found else f"len({ast.unparse(node.args[0])})"
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        values = {size(view.of(m), m.value, depth - 1) for m in made}
        return values.pop() if len(values) == 1 else node.id
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        found, at = sizes(view, node.value.value, depth - 1), view.number(node.slice)
        return found[at] if found and at is not None and -len(found) <= at < len(found) else ast.unparse(node)
    return ast.unparse(node) if isinstance(node, ast.Attribute) else None


def _listed(view: View, node: ast.expr) -> int | None:
    """How many items a list, tuple or dict has that is written out."""
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        node = made[0].value if len(made) == 1 else node
    items = node.keys if isinstance(node, ast.Dict) else node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return len(items) if items and not any(isinstance(i, ast.Starred) or i is None for i in items) else None


def sizes(view: View, node: ast.expr, depth: int = _DEPTH) -> Sizes | None:
    """The sizes of an array, tensor or list of arrays."""
    held = view.shape(node)
    if held is not None or not depth:
        return held
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node) or _one_of_several(view, node)
        return _agreed([sizes(view.of(m), m.value, depth - 1) for m in made])
    if isinstance(node, ast.Attribute) and node.attr == "T":
        found = sizes(view, node.value, depth - 1)
        return found[::-1] if found else None
    if isinstance(node, ast.BinOp):
        return _broadcast(sizes(view, node.left, depth - 1), sizes(view, node.right, depth - 1))
    if isinstance(node, ast.ListComp | ast.List | ast.Tuple):
        return _of_items(view, node, depth)
    if isinstance(node, ast.Subscript):
        return _taken(view, node, depth)
    return _of_call(view, node, depth) if isinstance(node, ast.Call) else None


def _one_of_several(view: View, node: ast.Name) -> list[Made]:
    """Of `x, y = load()` what the function returns in that place; of `x = f()` and `x += y` the first."""
    made = view.back.named(view.file, node)
    whole = [m for m in made if not isinstance(m.statement, ast.AugAssign)]
    if len(whole) == 1 < len(made) and isinstance(whole[0].statement, ast.Assign) and whole[0].part is None:
        return whole  # `x += noise` leaves the sizes as they are
    return view.back.part_of(made[0].value, made[0].part) if len(made) == 1 else []


def _agreed(found: Sequence[Sizes | None]) -> Sizes | None:
    return found[0] if found and all(f == found[0] for f in found) else None


def _broadcast(left: Sizes | None, right: Sizes | None) -> Sizes | None:
    """Of two arrays the larger sizes; what is not known is taken for a number."""
    one, other = sorted((left or (), right or ()), key=len, reverse=True)
    rest = (1,) * (len(one) - len(other)) + other
    return tuple(a if b in (1, a) else b if a == 1 else None for a, b in zip(one, rest, strict=True)) or None


def _of_items(view: View, node: ast.expr, depth: int) -> Sizes | None:
    """A list of arrays, or of numbers: (how many, the sizes of one)."""
    if isinstance(node, ast.ListComp):
        if len(node.generators) != 1 or node.generators[0].ifs:
            return None
        many, item = rounds(view, node.generators[0].iter, depth), sizes(view, node.elt, depth - 1)
        return (many, *item) if item is not None else None
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    first = sizes(view, items[0], depth - 1) if items else None
    return (len(items), *first) if first is not None else None


def rounds(view: View, over: ast.expr, depth: int = _DEPTH) -> Size:
    """How often a loop goes round."""
    if isinstance(over, ast.Call) and last_name(over.func) == "range" and len(over.args) == 1:
        return size(view, over.args[0], depth)
    if isinstance(over, ast.Call) and last_name(over.func) in ("enumerate", "zip", "sorted") and over.args:
        return rounds(view, over.args[0], depth)
    found = _listed(view, over)
    if found is not None:
        return found
    known = sizes(view, over, depth - 1)
    return known[0] if known else f"len({ast.unparse(over)})"


def _taken(view: View, node: ast.Subscript, depth: int) -> Sizes | None:
    """`x[:, None]`, `x[0]`, `x[..., 2]`; of a part by a mask or by positions the first size is not known."""
    found = sizes(view, node.value, depth - 1)
    if found is None:
        return None
    items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    new = [i for i in items if isinstance(i, ast.Constant) and i.value is None]
    dots = [n for n, i in enumerate(items) if isinstance(i, ast.Constant) and i.value is ...]
    if dots:
        fill = len(found) - (len(items) - len(new) - 1)
        items[dots[0] : dots[0] + 1] = [ast.Slice()] * max(fill, 0)
    made: list[Size] = []
    left = list(found)
    for item in items:
        if item in new:
            made.append(1)
        elif not left:
            return None
        elif isinstance(item, ast.Slice):
            whole = item.lower is None and item.upper is None and item.step is None
            made.append(left.pop(0) if whole else (left.pop(0), None)[1])
        elif isinstance(item, ast.Constant | ast.UnaryOp):
            left.pop(0)
        else:
            at = sizes(view, item, depth - 1) if len(items) == 1 else None
            return (at[0], *found[1:]) if at is not None and len(at) == 1 else None
    return (*made, *left)


def _of_call(view: View, node: ast.Call, depth: int) -> Sizes | None:
    name, args = last_name(node.func), list(node.args)
    own = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name in view.back.functions and (own is None or last_name(own) == "self"):
        return _agreed([sizes(*result, depth - 1) for result in view.results(node)])
    of, rest = operands(node, _MODULES)
    if name in _SAME:
        return sizes(view, of, depth - 1) if of is not None else None
    if name in _SHAPED:
        return _made(view, node, _SHAPED[name], depth)
    if name in ("array", "stack"):
        return _stacked(view, node, name, depth)
    if name in ("fromfile", "frombuffer"):
        return _written(view, depth)
    if name == "linspace":
        return (size(view, args[2], depth) if len(args) > 2 else 50,)
    if name == "arange" and len(args) == 1:
        return (size(view, args[0], depth),)
    if name == "column_stack" and args:
        found = sizes(view, args[0], depth - 1)
        return (found[1], found[0]) if found and len(found) == 2 else None
    if name == "reshape" and of is not None:
        wanted = list(rest[0].elts) if len(rest) == 1 and isinstance(rest[0], ast.Tuple | ast.List) else rest
        found = tuple(size(view, w, depth) for w in wanted)
        return tuple(None if n == -1 else n for n in found)
    if name == "transpose" and of is not None:
        return _transposed(view, of, rest, depth)
    return None


def _written(view: View, depth: int) -> Sizes | None:
    """Of numbers that the program itself wrote, the sizes that they had: `signal.tofile(path)`."""
    written = [(v, c.func.value) for v in view.every() for c in v.calls("tofile") if isinstance(c.func, ast.Attribute)]
    return sizes(written[0][0], written[0][1], depth - 1) if len(written) == 1 else None


def _made(view: View, node: ast.Call, place: int, depth: int) -> Sizes | None:
    """An array whose sizes are given."""
    given = keyword(node, "size") or keyword(node, "shape") or (node.args[place] if len(node.args) > place else None)
    if isinstance(given, ast.Attribute) and given.attr == "shape":
        return sizes(view, given.value, depth - 1)
    single = given is not None and not isinstance(given, ast.Tuple | ast.List)
    if given is None or (single and not isinstance(size(view, given, depth), int) and not _is_count(given)):
        return None
    parts = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    return tuple(size(view, p, depth) for p in parts)


def _is_count(node: ast.expr) -> bool:
    """Whether what is given for sizes is one number, and no tuple of them."""
    return isinstance(node, ast.Call) or last_name(node).lower().startswith(("n", "num", "count", "len"))


def _stacked(view: View, node: ast.Call, name: str, depth: int) -> Sizes | None:
    found = sizes(view, node.args[0], depth - 1) if node.args else None
    axis = keyword(node, "axis") or (node.args[1] if name == "stack" and len(node.args) > 1 else None)
    if found is None or axis is None or name == "array":
        return found
    at = view.number(axis)
    if at is None or not -len(found) <= at < len(found):
        return None
    rest = list(found[1:])
    rest.insert(at % len(found), found[0])
    return tuple(rest)


def _transposed(view: View, of: ast.expr, order: list[ast.expr], depth: int) -> Sizes | None:
    found = sizes(view, of, depth - 1)
    if found is None:
        return None
    places = order[0].elts if len(order) == 1 and isinstance(order[0], ast.Tuple | ast.List) else order
    at = [view.number(p) for p in places]
    if not at:
        return found[::-1]
    return (
        tuple(found[n] for n in at if n is not None)
        if sorted(map(str, at)) == sorted(map(str, range(len(found))))
        else None
    )
