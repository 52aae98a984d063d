"""Which statements made a value: back along assignments, arguments, returns and attributes, nearest first.

Branches are not looked at; functions and attributes are known by their last name alone, over all files.
"""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from xladoctor.sources.names import argument, last_name, nodes_of, parameters, statements, walk
from xladoctor.sources.order import innermost

_MOST = 150
_IN_PLACE = frozenset({"shuffle", "sort", "append", "extend", "insert", "reverse", "fill", "add", "update"})
_SIZES = frozenset({"shape", "dtype", "ndim", "size"})
Part = tuple[int, int]
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Made:
    """A statement that made a value, and the expression that it gave; of several results, which one of how many."""

    file: str
    line: int
    statement: ast.stmt
    value: ast.expr
    part: Part | None = None


class Backward:
    """The assignments of a program."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.trees = trees
        self.functions: dict[str, list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]] = defaultdict(list)
        self._calls: dict[str, list[tuple[str, ast.Call]]] = defaultdict(list)
        self._attributes: dict[str, list[Made]] = defaultdict(list)
        self._made: dict[int, dict[str, list[Made]]] = {}
        self._called: dict[int, str] = {}
        """The name by which an `__init__` is called: that of its class."""
        self._of_objects: dict[str, tuple[str, ast.FunctionDef]] = {}
        """By the name of a class, its `__call__`."""
        self._inside: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = defaultdict(list)
        for file, tree in trees.items():
            for node in walk(tree):
                if isinstance(node, _FUNCTIONS):
                    self.functions[node.name].append((file, node))
                    self._inside[file].append(node)
                elif isinstance(node, ast.Call):
                    self._calls[last_name(node.func)].append((file, node))
                elif isinstance(node, ast.ClassDef):
                    for item in node.body:
                        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                            self._called[id(item)] = node.name
                        elif isinstance(item, ast.FunctionDef) and item.name == "__call__":
                            self._of_objects[node.name] = (file, item)
                        elif isinstance(item, ast.AnnAssign) and item.value and isinstance(item.target, ast.Name):
                            self._attributes[item.target.id].append(Made(file, item.lineno, item, item.value))
                elif isinstance(node, ast.Assign | ast.AnnAssign):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for attribute, value in (p for t in targets if node.value for p in _fields(t, node.value)):
                        self._attributes[attribute].append(Made(file, node.lineno, node, value))

    def call_at(self, file: str, line: int, method: str) -> ast.Call | None:
        """The call of a method at a line."""
        tree = self.trees.get(file)
        calls = nodes_of(tree, ast.Call) if tree is not None else ()
        found = [c for c in calls if last_name(c.func) == method and c.lineno <= line <= (c.end_lineno or c.lineno)]
        return max(found, key=lambda c: c.lineno, default=None)

    def calls_of(self, name: str) -> list[tuple[str, ast.Call]]:
        """(file, call) of all calls of a name."""
        return self._calls.get(name, [])

    def named(self, file: str, node: ast.Name) -> list[Made]:
        """What was assigned to a name where it is read: the last whole value, and what changed it since."""
        return list(self._named(file, self.trees[file], node.id, node.lineno))

    def values(self, file: str, node: ast.Name) -> list[Made]:
        """What a name may hold where it is read; nothing where it is changed in part since."""
        scope = self._scope(file, node.lineno)
        found = self.named(file, node) or self.given(scope, node.id)
        whole = all(
            isinstance(m.statement, ast.Assign | ast.AnnAssign | ast.Expr) and _is_it(m, node.id) for m in found
        )
        return found if whole else []

    def given(self, function: ast.AST, name: str) -> list[Made]:
        """What the calls of a function give to a parameter."""
        if not isinstance(function, _FUNCTIONS):
            return []
        return list(self._arguments(function, name)) if name in parameters(function) else []

    def fields(self, name: str) -> list[ast.expr]:
        """What is written to be under a name in objects: assignments to attributes, and fields of classes."""
        return [m.value for m in self.attributes(name)]

    def attributes(self, name: str) -> list[Made]:
        """What is written to be under a name in objects, with its file."""
        return self._attributes.get(name, [])

    def tree(self, file: str) -> ast.Module | None:
        """The tree of a file of the program."""
        return self.trees.get(file)

    def steps(self, file: str, value: ast.expr) -> Iterator[Made]:
        """What made a value, and what made that, nearest first."""
        todo: deque[tuple[str, ast.expr, int, Part | None]] = deque([(file, value, value.lineno, None)])
        seen: set[tuple[int, int]] = set()
        while todo and len(seen) < _MOST:
            here, expression, line, part = todo.popleft()
            for made in self.part_of(expression, part) or self._of(here, expression, line):
                key = (id(made.statement), id(made.value))
                if key not in seen:
                    seen.add(key)
                    yield made
                    todo.append((made.file, made.value, made.line, made.part))

    def results(self, call: ast.expr) -> list[Made]:
        """What the functions of the program that a call names give back, wherever they return."""
        own = self.functions.get(last_name(call.func), ()) if isinstance(call, ast.Call) else ()
        return [made for file, function in own for made in _returns(file, function)]

    def part_of(self, call: ast.expr, part: Part | None) -> list[Made]:
        """One of the results of a function of the program that gives so many back, wherever it returns."""
        returned = self.results(call) if part is not None else []
        found = [
            replace(m, value=m.value.elts[part[0]])
            for m in returned
            if part is not None and isinstance(m.value, ast.Tuple) and len(m.value.elts) == part[1]
        ]
        return found if len(found) == len(returned) else []

    def _of(self, file: str, expression: ast.expr, line: int) -> Iterator[Made]:
        tree = self.trees[file]
        for node in _parts(expression):
            if isinstance(node, ast.Name):
                yield from self._named(file, tree, node.id, line)
            elif isinstance(node, ast.Attribute):
                yield from self._attributes.get(node.attr, ())
            elif isinstance(node, ast.Call):
                for where, function in (*self.functions.get(last_name(node.func), ()), *self._objects(node.func, file)):
                    yield from _returns(where, function)

    def _objects(self, called: ast.expr, file: str) -> Iterator[tuple[str, ast.FunctionDef]]:
        """The `__call__` of an object of the program that is called: `Scaler()(x)`, `scaler(x)`."""
        made: list[ast.expr] = [called]
        if self._of_objects and isinstance(called, ast.Name):
            made += [m.value for m in self.named(file, called)]
        elif self._of_objects and isinstance(called, ast.Attribute):
            made += self.fields(called.attr)
        names = {last_name(n.func) for n in made if isinstance(n, ast.Call)}
        yield from (self._of_objects[name] for name in sorted(names & set(self._of_objects)))

    def _scope(self, file: str, line: int) -> ast.AST:
        """The innermost function around a line; the module where there is none."""
        return innermost(self._inside[file], line) or self.trees[file]

    def _named(self, file: str, tree: ast.Module, name: str, line: int) -> Iterator[Made]:
        scope = self._scope(file, line)
        found = [m for m in self._assigned(file, scope).get(name, ()) if m.line <= line and not _within(m, name, line)]
        if not found and isinstance(scope, _FUNCTIONS):
            if name in parameters(scope):
                yield from self._arguments(scope, name)
                return
            found = list(self._assigned(file, tree).get(name, ()))
        whole = [
            n for n, m in enumerate(found) if isinstance(m.statement, ast.Assign | ast.AnnAssign) and _whole(m, name)
        ]
        yield from reversed(found[whole[-1] :] if whole else found)

    def _arguments(self, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Iterator[Made]:
        if function.name == "__call__":
            calls = self._calls_of_objects(function)
        else:
            calls = self._calls.get(self._called.get(id(function), function.name), [])
        for file, call in calls[:4]:
            value = argument(call, function, name)
            if value is not None:
                yield Made(file, call.lineno, ast.Expr(value=value, lineno=call.lineno), value)

    def _calls_of_objects(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[tuple[str, ast.Call]]:
        """The calls of the objects whose `__call__` it is: `Folder()(x)`, and `fold(x)` after `fold = Folder()`."""
        owner = next((name for name, (_, own) in self._of_objects.items() if own is function), None)
        if owner is None:
            return []
        nodes = [n for tree in self.trees.values() for n in nodes_of(tree, ast.Assign)]
        made = [n for n in nodes if isinstance(n.value, ast.Call) and last_name(n.value.func) == owner]
        names = {last_name(target) for n in made for target in n.targets} - {""}
        at_once = [c for c in self._calls.get("", ()) if last_name(getattr(c[1].func, "func", c[1].func)) == owner]
        return [*at_once, *(c for name in sorted(names) for c in self._calls.get(name, ()))]

    def _assigned(self, file: str, scope: ast.AST) -> dict[str, list[Made]]:
        if id(scope) not in self._made:
            found: dict[str, list[Made]] = defaultdict(list)
            for statement in statements(scope):
                for name, value, part in _bound(statement):
                    found[name].append(Made(file, statement.lineno, statement, value, part))
            self._made[id(scope)] = found
        return self._made[id(scope)]


def _parts(expression: ast.expr) -> Iterator[ast.AST]:
    """What an expression is made of, but for the sizes of arrays."""
    todo: list[ast.AST] = [expression]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Attribute) and node.attr in _SIZES:
            continue
        if isinstance(node, ast.Call) and last_name(node.func) == "len":
            continue
        yield node
        todo += ast.iter_child_nodes(node)


def _bound(statement: ast.stmt) -> Iterator[tuple[str, ast.expr, Part | None]]:
    """(name, value, which of several) of what a statement gives to names, whole or in part."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _unpacked(target, statement.value)
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign) and statement.value is not None:
        yield from _unpacked(statement.target, statement.value)
    elif isinstance(statement, ast.For | ast.AsyncFor):
        yield from _unpacked(statement.target, statement.iter)
    elif isinstance(statement, ast.With | ast.AsyncWith):
        for item in statement.items:
            if item.optional_vars is not None:
                yield from _unpacked(item.optional_vars, item.context_expr)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if isinstance(call.func, ast.Attribute) and call.func.attr in _IN_PLACE:
            owners = [call.func.value, *call.args[:1]]
            yield from ((o.id, call, None) for o in owners if isinstance(o, ast.Name))


def _unpacked(
    target: ast.expr, value: ast.expr, part: Part | None = None
) -> Iterator[tuple[str, ast.expr, Part | None]]:
    if isinstance(target, ast.Tuple | ast.List):
        many = len(target.elts)
        same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == many
        for n, inner in enumerate(target.elts):
            if same and isinstance(value, ast.Tuple | ast.List):
                yield from _unpacked(inner, value.elts[n])
            else:
                yield from _unpacked(inner, value, (n, many) if part is None else None)
    elif isinstance(target, ast.Subscript | ast.Starred):
        yield from _unpacked(target.value, value)
    elif isinstance(target, ast.Name):
        yield target.id, value, part


def _fields(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """(attribute, value) of what an assignment gives to attributes, whole or item by item."""
    if isinstance(target, ast.Attribute):
        yield target.attr, value
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        for inner, item in zip(target.elts, value.elts, strict=False):
            yield from _fields(inner, item)


def _whole(made: Made, name: str) -> bool:
    """Whether an assignment gives a name another value, and not only a part of one."""
    statement = made.statement
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    inner = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
    return any(isinstance(t, ast.Name) and t.id == name for t in inner)


def _within(made: Made, name: str, line: int) -> bool:
    """Whether a line is that of `x = f(x)` itself: the name has its earlier value there."""
    statement = made.statement
    plain = isinstance(statement, ast.Assign) and line <= (statement.end_lineno or statement.lineno)
    return plain and any(isinstance(n, ast.Name) and n.id == name for n in walk(made.value))


def _is_it(made: Made, name: str) -> bool:
    """Whether a statement gives a name exactly this value: no item of several, no part."""
    statement = made.statement
    if isinstance(statement, ast.Expr):
        return statement.value is made.value
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return any(isinstance(t, ast.Name) and t.id == name for t in targets)


def _returns(file: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Made]:
    for statement in statements(function):
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield Made(file, statement.lineno, statement, statement.value)
