"""Where the values of a program go: from some expressions, along assignments, calls and containers, to others.

Order and branches are not looked at: what may reach a place is taken to reach it. Functions and attributes are known
by their last name alone, over all files.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from xladoctor.sources.names import last_name, positional, walk

_SIZES = frozenset({"shape", "dtype", "ndim", "size", "name", "__name__"})
"""What says nothing of the values of a tensor."""
_KEEPS = frozenset(
    {"append", "appendleft", "extend", "add", "insert", "update", "setdefault", "put", "push", "assign", "write", "log",
     "record"}
)  # fmt: skip
"""Methods whose object holds what it was given."""
_ANEW = frozenset({"fit", "fit_generator", "train_on_batch"})
"""Methods whose result is of this call, whatever their object held before."""
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Key = tuple[str, ...]


class Flows:
    """What may hold a value that comes of the `starts`: names, attributes, what functions return."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._scope: dict[int, tuple[str, ...]] = {}
        self._bound: dict[tuple[str, ...], frozenset[str]] = {}
        self._functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = defaultdict(list)
        self._called_objects: dict[int, str] = {}
        """The class of each method that a call of an object runs."""
        self._edges: dict[Key, set[Key]] = defaultdict(set)
        for file, tree in trees.items():
            self._scopes(tree, (file,))
        for tree in trees.values():
            for node in walk(tree):
                self._link(node)

    def reached(
        self,
        calls: Iterable[ast.Call],
        objects: Iterable[ast.expr] = (),
        parameters: Iterable[tuple[ast.AST, str]] = (),
    ) -> frozenset[Key]:
        """Everything that what one of these calls returns, or what one of these objects or parameters (function, name)
        holds, may come to.
        """
        todo: list[Key] = [_of(call) for call in calls]
        todo += [key for node in objects for key in self._targets(node)]
        todo += [(*self._inside(node), name) for node, name in parameters]
        found: set[Key] = set()
        while todo:
            key = todo.pop()
            if key not in found:
                found.add(key)
                todo += self._edges.get(key, ())
        return frozenset(found)

    def holds(self, expression: ast.AST, reached: frozenset[Key]) -> bool:
        """Whether the value of an expression may come of what was `reached`."""
        return any(key in reached for key in self._sources(expression))

    def _inside(self, node: ast.AST) -> tuple[str, ...]:
        """The scope of a function's own names."""
        return (*self._scope[id(node)], f"{getattr(node, 'name', 'lambda')}:{getattr(node, 'lineno', 0)}")

    def _scopes(self, top: ast.AST, scope: tuple[str, ...]) -> None:
        """Note in which scope each node stands, and which names a scope binds."""
        bound: set[str] = set()
        todo: list[ast.AST] = list(ast.iter_child_nodes(top))
        if isinstance(top, Function):
            bound |= {a.arg for a in _parameters(top)}
        while todo:
            node = todo.pop()
            self._scope[id(node)] = scope
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._functions[node.name].append(node)
                bound.add(node.name)
            if isinstance(node, ast.ClassDef):
                methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
                self._functions[node.name] += [n for n in methods if n.name in ("__init__", "__call__")]
                self._called_objects.update((id(n), node.name) for n in methods if n.name in ("__call__", "call"))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound.add(node.id)
            if isinstance(node, Function):
                self._scopes(node, self._inside(node))
            else:
                todo += ast.iter_child_nodes(node)
        self._bound[scope] = frozenset(bound)

    def _name(self, node: ast.Name) -> Key:
        scope = self._scope[id(node)]
        while len(scope) > 1 and node.id not in self._bound.get(scope, ()):
            scope = scope[:-1]
        return (*scope, node.id)

    def _sources(self, expression: ast.AST) -> Iterator[Key]:
        """What an expression is made of, but for the sizes of tensors."""
        todo = [expression]
        while todo:
            node = todo.pop()
            if isinstance(node, ast.Attribute):
                if node.attr in _SIZES:
                    continue
                yield (".", node.attr)
            elif isinstance(node, ast.Name):
                yield self._name(node)
            elif isinstance(node, ast.Call):
                yield _of(node)
                if last_name(node.func) == "len":
                    continue
                yield ("()", last_name(node.func))
                if isinstance(node.func, ast.Attribute) and node.func.attr in _ANEW:
                    continue
            todo += ast.iter_child_nodes(node)

    def _targets(self, target: ast.AST) -> Iterator[Key]:
        if isinstance(target, ast.Name):
            yield self._name(target)
        elif isinstance(target, ast.Attribute):
            yield (".", target.attr)
        elif isinstance(target, ast.Subscript | ast.Starred):
            yield from self._targets(target.value)
        elif isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                yield from self._targets(item)

    def _join(self, value: ast.AST | None, targets: Iterable[Key]) -> None:
        if value is None:
            return
        ends = set(targets)
        for key in self._sources(value):
            self._edges[key] |= ends

    def _assign(self, value: ast.AST, target: ast.AST) -> None:
        """`a, b = c, d` is two assignments."""
        several = ast.Tuple | ast.List
        if isinstance(value, several) and isinstance(target, several) and len(value.elts) == len(target.elts):
            for one, name in zip(value.elts, target.elts, strict=True):
                self._assign(one, name)
        else:
            self._join(value, self._targets(target))

    def _link(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(node.value, target)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
            self._join(node.value, self._targets(node.target))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._join(node.iter, self._targets(node.target))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._join(node.context_expr, self._targets(node.optional_vars))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # What a call of an object gives comes of the object.
            ends = [("()", name) for name in (node.name, self._called_objects.get(id(node))) if name is not None]
            for inner in walk(node):
                if isinstance(inner, ast.Return | ast.Yield | ast.YieldFrom):
                    self._join(inner.value, ends)
        elif isinstance(node, ast.Call):
            self._call(node)

    def _call(self, call: ast.Call) -> None:
        name = last_name(call.func)
        if isinstance(call.func, ast.Attribute) and name in _KEEPS:
            for value in call.args:
                self._join(value, self._targets(call.func.value))
        for function in self._functions.get(name, ()):
            names, inner = positional(function), self._inside(function)
            for number, value in enumerate(call.args):
                self._join(value, [(*inner, names[number])] if number < len(names) else [])
        for keyword in call.keywords:
            ends: list[Key] = [(".", keyword.arg or "")]
            ends += [(*self._inside(f), keyword.arg or "") for f in self._functions.get(name, ())]
            self._join(keyword.value, ends)
        for function_ in (a for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Lambda)):
            given = [a for a in call.args if a is not function_]
            ends = [(*self._inside(function_), a.arg) for a in _parameters(function_)]
            for value in given:
                self._join(value, ends)


def _parameters(node: Function) -> list[ast.arg]:
    found = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [*found, *(a for a in (node.args.vararg, node.args.kwarg) if a is not None)]


def _of(node: ast.AST) -> Key:
    return ("at", str(id(node)))
