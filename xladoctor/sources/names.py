"""Names as a module writes them -> the names that TensorFlow and Keras are documented under."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import takewhile
from typing import TypeVar

N = TypeVar("N", bound=ast.AST)
_SAME = (
    (re.compile(r"^tensorflow\.compat\.v[12](?=\.|$)"), "tensorflow"),
    (re.compile(r"^tensorflow\.(?:python\.)?keras(?=\.|$)"), "keras"),
    (re.compile(r"^(?:tf_keras|keras\.api|keras\.src|keras\.api\._v[12]\.keras)(?=\.|$)"), "keras"),
    (re.compile(r"^tensorflow\.(?:math|linalg)\.(?!experimental)"), "tensorflow."),
    (re.compile(r"^tensorflow\.spectral\."), "tensorflow.signal."),
)


def canonical(name: str) -> str:
    """One name for each thing: `tensorflow.compat.v1.math.reduce_max` is `tensorflow.reduce_max`."""
    for pattern, plain in _SAME:
        name = pattern.sub(plain, name)
    return name


OPTIMIZERS = frozenset(
    {"Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Lamb", "Lion", "Muon", "Nadam", "RMSprop",
     "SGD", "ScheduleFreeAdamW"}
)  # fmt: skip
"""The optimizers of Keras."""
_PLAIN = frozenset({"ctx", "id", "attr", "arg", "asname", "module", "level", "kind", "type_comment", "lineno"})
"""Fields that hold no node; `ctx` holds one of three that say nothing of their own."""


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node that may hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        mine = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN)
        self[kind] = mine
        return mine


_FIELDS = _Fields()


def children(node: ast.AST) -> list[ast.AST]:
    """As `ast.iter_child_nodes` without `ctx`, in a part of its time: what the linter does most."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


_FLAT: ContextVar[dict[ast.AST, list[ast.AST]] | None] = ContextVar("_FLAT", default=None)
_ROOTS = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@contextmanager
def unchanged() -> Iterator[None]:
    """While many checks walk the same trees and change none of them: each module, function and class is walked once."""
    token = _FLAT.set({})
    try:
        yield
    finally:
        _FLAT.reset(token)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, outer ones first."""
    flat = _FLAT.get()
    if flat is None or not isinstance(node, _ROOTS):
        return _walk(node)
    if node not in flat:
        flat[node] = list(_walk(node))
    return iter(flat[node])


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    fields = _FIELDS
    todo = [node]
    while todo:
        here = todo.pop()
        yield here
        if fields[type(here)]:
            todo += children(here)


def nodes_of(tree: ast.AST, kind: type[N]) -> Iterator[N]:
    """The nodes of a kind in a tree, outer ones first."""
    return (node for node in walk(tree) if isinstance(node, kind))


INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
"""What has names of its own, and runs at another time."""


def within(node: ast.AST, without: tuple[type[ast.AST], ...] = INNER) -> Iterator[ast.AST]:
    """A node and all below it, but for nodes of these kinds and what they hold: the inside of functions and classes."""
    todo = [node]
    while todo:
        here = todo.pop()
        yield here
        todo += [child for child in children(here) if not isinstance(child, without)]


def statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a scope in the order of their lines, without those of functions within it."""
    for node in children(scope):
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(node, INNER):
            if isinstance(node, ast.stmt):
                yield node
            yield from statements(node)


def parents_of(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """What each node of a tree stands in, outer ones first."""
    found: dict[ast.AST, ast.AST] = {}
    todo = [tree]
    for node in todo:  # grows as it is read
        below = children(node)
        found |= dict.fromkeys(below, node)
        todo += below
    return found


def around(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    """What a node stands in, from the inside outwards."""
    while node in parents:
        node = parents[node]
        yield node


def around_in_statement(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    """What a node stands in within its statement, from the inside outwards."""
    return takewhile(lambda above: not isinstance(above, ast.stmt), around(node, parents))


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` of an expression that is only names and attributes."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node: ast.AST) -> str:
    """`Conv2D` of `keras.layers.Conv2D`, `units` of `self.units`; nothing of any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def names_in(node: ast.AST) -> set[str]:
    """The plain names below a node, those that are read and those that get a value."""
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}


def mentioned(tree: ast.AST) -> set[str]:
    """The names, attributes and texts of a tree."""
    found = names_in(tree)
    for node in walk(tree):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def text_key(node: ast.expr) -> str | None:
    """The key of `config["eager"]`."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def summands(node: ast.expr) -> list[ast.expr]:
    """What a sum adds up: of `a + b + c` all three."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*summands(node.left), *summands(node.right)]
    return [node]


def called(node: ast.expr) -> str:
    """What a number is called: `side` of `side`, `cfg.side`, `cfg["side"]` and `get("side")`."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return last_name(node) or text_key(node) or ""


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword of a call."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def operands(call: ast.Call, modules: Container[str]) -> tuple[ast.expr | None, list[ast.expr]]:
    """(what a call is made on, its other arguments), for `np.reshape(x, 3)` as for `x.reshape(3)`. `modules` are names
    whose functions are no methods.
    """
    own = call.func.value if isinstance(call.func, ast.Attribute) else None
    if own is not None and last_name(own) not in modules:
        return own, list(call.args)
    return call.args[0] if call.args else None, list(call.args[1:])


def positional(function: ast.AST) -> list[str]:
    """The parameters that a call can give by place, in this order; an object's own is none of them."""
    args = getattr(function, "args", None)
    known = [*args.posonlyargs, *args.args] if isinstance(args, ast.arguments) else []
    return [a.arg for i, a in enumerate(known) if i or a.arg not in ("self", "cls")]


def parameters(function: ast.AST) -> list[str]:
    """The parameters of a function in the order of the arguments of a call; an object's own is none of them."""
    args = getattr(function, "args", None)
    return [*positional(function), *(a.arg for a in args.kwonlyargs)] if isinstance(args, ast.arguments) else []


def defaults(function: ast.AST) -> dict[str, ast.expr]:
    """{parameter: its default}."""
    args = getattr(function, "args", None)
    if not isinstance(args, ast.arguments):
        return {}
    by_place = [*args.posonlyargs, *args.args]
    found = {a.arg: d for a, d in zip(by_place[len(by_place) - len(args.defaults) :], args.defaults, strict=True)}
    return found | {a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None}


def given(call: ast.Call, function: ast.AST) -> list[tuple[str, ast.expr]]:
    """(parameter, what a call gives it) of those for which it can be told."""
    stars = [i for i, a in enumerate(call.args) if isinstance(a, ast.Starred)]
    by_place = zip(positional(function), call.args[: stars[0]] if stars else call.args, strict=False)
    return [*by_place, *((k.arg, k.value) for k in call.keywords if k.arg is not None)]


def argument(call: ast.Call, function: ast.AST, name: str) -> ast.expr | None:
    """What a call gives a parameter of a function; None where that cannot be told, or it gives nothing."""
    return dict(given(call, function)).get(name)


def assigned_once(function: ast.AST) -> dict[str, ast.expr]:
    """{name: its value} of the names that a function assigns once."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).extend((node.value, node.value))
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def imported(node: ast.Import | ast.ImportFrom, package: str) -> dict[str, str]:
    """What an import statement binds: local name -> full name. `package` is that of the importing module."""
    if isinstance(node, ast.Import):
        return {
            alias.asname or alias.name.partition(".")[0]: alias.name if alias.asname else alias.name.partition(".")[0]
            for alias in node.names
        }
    base = node.module or ""
    if node.level:
        above = package.split(".") if package else []
        above = above[: len(above) - node.level + 1]
        base = ".".join([*above, *([base] if base else [])])
    return {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names if alias.name != "*"}
