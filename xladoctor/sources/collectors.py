"""What a program collects over a pass: metrics of Keras, meters of its own, and sums that it divides by counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.names import dotted, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, assigns

RESETS = frozenset({"reset_state", "reset_states", "reset"})
_NETWORKS = ("Model", "Layer", "Sequential", "Functional")


@dataclass(frozen=True)
class Collector:
    """`name` of the object of a class (`owner`), of a function or of a module (`scope`)."""

    file: str
    name: str
    owner: ast.ClassDef | None
    scope: ast.AST
    updates: frozenset[str]
    """Methods that add to it; none of a plain sum."""
    reads: frozenset[str] | None
    """Methods that give the result; None: all others."""
    line: int

    @property
    def text(self) -> str:
        """The name as the program writes it."""
        return f"self.{self.name}" if self.owner is not None else self.name

    def is_meant(self, node: ast.AST, owner: ast.ClassDef | None) -> bool:
        """Whether an expression in a class stands for it; `owner` is that class."""
        if self.owner is None:
            return isinstance(node, ast.Name) and node.id == self.name
        if not isinstance(node, ast.Attribute) or node.attr != self.name:
            return False
        return last_name(node.value) != "self" or owner is self.owner


@dataclass(frozen=True)
class _Meter:
    updates: frozenset[str]
    reads: frozenset[str] | None


_OF_KERAS = _Meter(frozenset({"update_state"}), frozenset({"result"}))


def collectors(trees: Mapping[str, ast.Module]) -> Iterator[Collector]:
    """All that are made once under one name."""
    meters = {m.name: found for t in trees.values() for m in nodes_of(t, ast.ClassDef) if (found := _meter(m))}
    for file, tree in trees.items():
        known = meters | {
            (a.asname or a.name): _OF_KERAS
            for n in nodes_of(tree, ast.ImportFrom)
            for a in n.names
            if (n.module or "").endswith("keras.metrics") and a.name[:1].isupper()
        }
        for cls in nodes_of(tree, ast.ClassDef):
            if not any(last_name(b).endswith(_NETWORKS) or last_name(b).endswith("Metric") for b in cls.bases):
                yield from _of_class(file, cls, known)
        for scope in (tree, *(n for n in walk(tree) if isinstance(n, FUNCTIONS))):
            for target, value, line in _own_assigns(scope):
                made = _made(value, known)
                if isinstance(target, ast.Name) and made is not None:
                    yield Collector(file, target.id, None, scope, made.updates, made.reads, line)


def _own_assigns(scope: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    inner = {
        id(n) for f in walk(scope) if isinstance(f, (*FUNCTIONS, ast.ClassDef)) and f is not scope for n in walk(f)
    }
    return ((t, v, line) for t, v, line in assigns(scope) if id(t) not in inner)


def _of_class(file: str, cls: ast.ClassDef, known: Mapping[str, _Meter]) -> Iterator[Collector]:
    for method in cls.body:
        if not (isinstance(method, FUNCTIONS) and method.name == "__init__"):
            continue
        for target, value, line in assigns(method):
            name = (dotted(target) or "").removeprefix("self.")
            if not isinstance(target, ast.Attribute) or "." in name:
                continue
            made = _made(value, known)
            if made is None and isinstance(value, ast.Constant) and value.value in (0, 0.0):
                made = _Meter(frozenset(), frozenset()) if _is_averaged(cls, name) else None
            if made is not None and _stores(cls, name) == 1:
                yield Collector(file, name, cls, cls, made.updates, made.reads, line)


def _stores(cls: ast.ClassDef, name: str) -> int:
    return sum(dotted(t) == f"self.{name}" for n in nodes_of(cls, ast.Assign) for t in n.targets)


def _is_averaged(cls: ast.ClassDef, name: str) -> bool:
    """Whether `self.name += ...` is in the class, and a division of one such sum by another."""
    added = {dotted(n.target) for n in nodes_of(cls, ast.AugAssign) if isinstance(n.op, ast.Add)}
    return f"self.{name}" in added and any(
        {f"self.{name}"} <= sides <= added for n in nodes_of(cls, ast.BinOp) if (sides := ratio(n))
    )


def ratio(node: ast.BinOp) -> set[str | None]:
    """The two names of `self.total / max(self.count, 1)`."""
    sides = [_plain(node.left), _plain(node.right)] if isinstance(node.op, ast.Div) else []
    return {dotted(s) for s in sides} if len(sides) == 2 and None not in [dotted(s) for s in sides] else set()


def _plain(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Call) and node.args and last_name(node.func) in ("float", "max", "int", "cast"):
        node = node.args[0]
    return node


def _made(value: ast.expr, known: Mapping[str, _Meter]) -> _Meter | None:
    if not isinstance(value, ast.Call):
        return None
    name = last_name(value.func)
    if "metrics." in (dotted(value.func) or "") and name[:1].isupper():
        return _OF_KERAS
    return known.get(name) if isinstance(value.func, ast.Name) else None


def _meter(cls: ast.ClassDef) -> _Meter | None:
    """A class of the program that adds up, and that has a method to set it back."""
    if any(last_name(b).endswith("Metric") for b in cls.bases):
        return _OF_KERAS
    methods = [m for m in cls.body if isinstance(m, FUNCTIONS)]
    zeroed = {
        dotted(t)
        for m in methods
        if m.name in RESETS
        for t, v, _ in assigns(m)
        if isinstance(v, ast.Constant) and v.value in (0, 0.0)
    }
    adds = {
        m.name for m in methods if any(isinstance(n, ast.AugAssign) and dotted(n.target) in zeroed for n in walk(m))
    }
    return _Meter(frozenset(adds), None) if adds and len(zeroed) > 1 else None
