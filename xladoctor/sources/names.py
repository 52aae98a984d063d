"""Names as a module writes them -> the names that TensorFlow and Keras are documented under."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

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


def children(node: ast.AST) -> list[ast.AST]:
    """As `ast.iter_child_nodes`, in a third of its time: what the linter does most."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, outer ones first."""
    todo = [node]
    while todo:
        here = todo.pop()
        yield here
        todo += children(here)


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


def text_key(node: ast.expr) -> str | None:
    """The key of `config["eager"]`."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword of a call."""
    return next((k.value for k in call.keywords if k.arg == name), None)


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
