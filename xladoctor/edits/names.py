"""How a source names what an edit needs: a layer, `tf`, `np`; with the import that is missing, if one is."""

from __future__ import annotations

import ast
from functools import lru_cache

from xladoctor.edits.text import Change, Text
from xladoctor.sources.names import keyword


def last(node: ast.AST) -> str:
    """`Dense` of `tf.keras.layers.Dense`; nothing for what is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def called(node: ast.AST) -> str:
    """The last part of the name of what is called."""
    return last(node.func) if isinstance(node, ast.Call) else ""


def argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """An argument by its position or its name."""
    if position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
        return call.args[position]
    return keyword(call, name)


def number(node: ast.AST | None) -> int | None:
    """The whole number that a node is, also with a sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None


@lru_cache(maxsize=16)
def bound(text: Text) -> dict[str, str]:
    """{name in this source: what an import binds it to}."""
    found: dict[str, str] = {}
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def beside(text: Text, call: ast.Call, name: str) -> tuple[str, tuple[Change, ...]]:
    """How a layer `name` is written beside the layer that `call` makes, and the import that it takes."""
    if isinstance(call.func, ast.Attribute):
        return f"{text.of(call.func.value)}.{name}", ()
    if name in bound(text):
        return name, ()
    for node in text.all(ast.ImportFrom):
        if any((alias.asname or alias.name) == last(call.func) for alias in node.names):
            _, end = text.span(node)
            dots = "." * node.level
            return name, (Change(end, end, f"\n{' ' * node.col_offset}from {dots}{node.module or ''} import {name}"),)
    return name, ()


def module(text: Text, full: str) -> str | None:
    """How a module (`tensorflow`, `numpy`, `keras`) is called in this source; None where it is not imported."""
    for name, target in bound(text).items():
        if target == full:
            return name
    return None


def keras(text: Text) -> str | None:
    """`keras`, `tf.keras`, as this source reaches it."""
    own = module(text, "keras") or module(text, "tensorflow.keras") or module(text, "tf_keras")
    if own is not None:
        return own
    flow = module(text, "tensorflow")
    return None if flow is None else f"{flow}.keras"
