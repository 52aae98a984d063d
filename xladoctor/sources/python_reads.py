"""Where a function reads a Python value of its surroundings, which lines its value reaches, and which lines write it.

A value is named by the path on which it was found: a global or a closure cell, then attributes and entries of dicts.
Its last step is looked for, with the step before it where that has a name. Of what only prints, logs or collects a
value nothing is said to be computed of it.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xladoctor.sources.names import around, children, dotted, nodes_of, parents_of, walk

Path = Sequence[Sequence[str]]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_IDLE = frozenset(
    {"print", "log", "debug", "info", "warning", "error", "exception", "append", "extend", "add", "write", "isinstance",
     "hasattr", "repr", "str", "format", "id", "type", "scalar", "histogram", "setdefault", "assert_shape", "insert"}
)  # fmt: skip
"""Functions and methods that compute nothing of what they are given."""
_COLLECTS = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "add", "update", "setdefault"})
_FIRST = frozenset({"__init__", "__post_init__", "build"})
_ROUNDS = 8


@dataclass(frozen=True)
class Read:
    """A read: its line, the lines that its value reaches within the function; whether it decides what Python does, and
    whether the function returns what comes of it.
    """

    line: int
    lines: frozenset[int]
    decides: bool
    returned: bool


def functions_of(tree: ast.AST, name: str) -> Iterator[Function]:
    """The functions of this name."""
    for node in walk(tree):
        if isinstance(node, FUNCTIONS) and getattr(node, "name", "<lambda>") == name:
            yield node


def number_lines(tree: ast.AST, text: str) -> Iterator[int]:
    """The lines on which a number of this value is written."""
    try:
        value = float(text)
    except ValueError:
        return
    for node in nodes_of(tree, ast.Constant):
        if isinstance(node.value, (int, float)) and node.value == value:
            yield node.lineno


def function_at(tree: ast.AST, line: int, name: str) -> Function | None:
    """The function of this name whose definition, or first decorator, stands in a line."""
    for node in functions_of(tree, name):
        if line in (node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))):
            return node
    return None


def reads(function: ast.AST, path: Path) -> list[Read]:
    """The reads of a value within a function."""
    return _uses(function, [n for n in walk(function) if _is(n, path, ast.Load)])


def calls_of(function: ast.AST, name: str) -> list[Read]:
    """The same of what a function of this name returns, where it is called, or read as a property."""
    found: list[ast.AST] = []
    for node in walk(function):
        called = isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] == name
        if called or (isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)):
            found.append(node)
    return _uses(function, found)


def _uses(function: ast.AST, nodes: Sequence[ast.AST]) -> list[Read]:
    parents = parents_of(function)
    found = []
    for node in nodes:
        chain = [node, *around(node, parents)]
        if not _idle(chain):
            found.append(_read(function, chain))
    return found


def _idle(chain: Sequence[ast.AST]) -> bool:
    """Whether nothing is computed of an expression, given what is around it."""
    for inner, outer in itertools.pairwise(chain):
        if isinstance(outer, ast.Call) and inner is not outer.func and _called(outer) in _IDLE:
            return True
        if isinstance(outer, ast.Attribute) and outer.attr in _COLLECTS and inner is chain[0]:
            return True
        if isinstance(outer, (ast.JoinedStr, ast.Assert, ast.Raise)):
            return True
        if isinstance(outer, ast.Subscript) and isinstance(outer.ctx, ast.Store):
            return True
        if isinstance(outer, ast.stmt):
            return isinstance(outer, ast.Expr) and isinstance(outer.value, ast.Constant)
    return False


def _called(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _read(function: ast.AST, chain: Sequence[ast.AST]) -> Read:
    statement = next((n for n in chain if isinstance(n, ast.stmt)), None)
    decides = any(isinstance(o, ast.IfExp) and i is o.test for i, o in itertools.pairwise(chain))
    if statement is None or isinstance(statement, FUNCTIONS):  # a lambda's body, or a default
        lines = _span(chain[0])
        return Read(min(lines), frozenset(lines), decides, isinstance(function, ast.Lambda))
    if isinstance(statement, (ast.If, ast.While, ast.For, ast.AsyncFor)):
        # Ops of the body have a frame at the test's line, too: AutoGraph calls the body from there.
        lines = _span(chain[0]) if isinstance(statement, (ast.For, ast.AsyncFor)) else set()
        computes = any(isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)) for n in walk(statement))
        more, returned = _reached(function, _targets(statement), statement.lineno)
        return Read(min(_span(chain[0])), frozenset(lines | more), computes, returned)
    lines = _span(statement)
    more, returned = _reached(function, _targets(statement), statement.lineno)
    returned = returned or isinstance(statement, ast.Return)
    return Read(min(_span(chain[0])), frozenset(lines | more), decides, returned)


def _reached(function: ast.AST, names: set[str], since: int) -> tuple[set[int], bool]:
    """The lines after one that use these names, or what is made of them; and whether that is returned."""
    names, lines, returned = set(names), set(), False
    for _ in range(_ROUNDS if names else 0):
        known = len(names)
        for statement in (n for n in nodes_of(function, ast.stmt) if n.lineno >= since):
            own = [n for n in children(statement) if not isinstance(n, ast.stmt)]
            loads = [n for o in own for n in nodes_of(o, ast.Name) if isinstance(n.ctx, ast.Load)]
            used = [n for n in loads if n.id in names]
            if used and statement.lineno > since:
                lines |= _span(statement) if not hasattr(statement, "body") else {n.lineno for n in used}
                names |= _targets(statement)
                returned = returned or isinstance(statement, ast.Return)
        if len(names) == known:
            break
    return lines, returned


def _targets(statement: ast.AST) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {
        n.id for t in targets if t is not None for n in nodes_of(t, ast.Name)
        if isinstance(n.ctx, ast.Store)
    }  # fmt: skip


def _span(node: ast.AST) -> set[int]:
    first = getattr(node, "lineno", 0)
    return set(range(first, min(getattr(node, "end_lineno", first) or first, first + 60) + 1))


def _is(node: ast.AST, path: Path, context: type[ast.expr_context]) -> bool:
    """Whether an expression stands for the value on a path."""
    if not isinstance(getattr(node, "ctx", None), context):
        return _gets(node, path) if context is ast.Load else False
    kind, key = path[-1]
    if kind in ("global", "cell"):
        return isinstance(node, ast.Name) and node.id == key
    if kind == "attr":
        return isinstance(node, ast.Attribute) and node.attr == key and _behind(node.value, path)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value == key and _behind(node.value, path)
    return False


def _gets(node: ast.AST, path: Path) -> bool:
    """Whether a call is `settings.get("key")`."""
    if path[-1][0] != "item" or not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    first = node.args[0] if node.args else None
    named = isinstance(first, ast.Constant) and first.value == path[-1][1]
    return node.func.attr == "get" and named and _behind(node.func.value, path)


def _behind(node: ast.AST, path: Path) -> bool:
    """Whether what an attribute or entry is taken of may be the step before it."""
    if len(path) < 2 or path[-2][0] == "item":
        return True
    return (dotted(node) or "?").rpartition(".")[2] in (path[-2][1], "?", "self")


def writes(tree: ast.Module, path: Path, apart: ast.AST | None = None) -> Iterator[int]:
    """The lines that write the value anew: not where it is first made, nor those within `apart`."""
    inside = {id(n) for n in walk(apart)} if apart is not None else set()
    kind = path[-1][0]
    for scope, node in _scoped(tree):
        if id(node) in inside or getattr(scope, "name", "") in _FIRST:
            continue
        line = getattr(node, "lineno", 0)
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(_is_written(n, path, scope) for t in targets for n in walk(t)):
                yield line
        elif isinstance(node, (ast.For, ast.AsyncFor)) and kind in ("global", "cell"):
            if any(_is_written(n, path, scope) for n in walk(node.target)):
                yield line
        elif isinstance(node, ast.Call) and _is_changed_by(node, path):
            yield line


def _is_changed_by(call: ast.Call, path: Path) -> bool:
    """Whether a call writes the value: `setattr`, `update(key=...)`, `append` and the like."""
    (kind, key), name = path[-1], _called(call)
    second = call.args[1] if len(call.args) > 1 else None
    if name == "setattr":
        return isinstance(second, ast.Constant) and second.value == key
    if name == "update" and kind == "item" and key in {k.arg for k in call.keywords}:
        return True
    return name in _COLLECTS and isinstance(call.func, ast.Attribute) and _named(call.func.value, path)


def _is_written(node: ast.AST, path: Path, scope: ast.AST) -> bool:
    kind, key = path[-1]
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and _named(node.value, path):
        return True  # an element of an array or a list
    if kind in ("global", "cell"):
        if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == key):
            return False
        if kind == "cell" or isinstance(scope, ast.Module):
            return True
        return any(isinstance(n, (ast.Global, ast.Nonlocal)) and key in n.names for n in walk(scope))
    if kind == "attr":
        return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == key
    return _is(node, path, ast.Store)


def _named(node: ast.AST, path: Path) -> bool:
    return (dotted(node) or "").rpartition(".")[2] == path[-1][1]


def _scoped(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each node with the innermost function, or the module, that it stands in."""
    todo: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while todo:
        scope, node = todo.pop()
        yield scope, node
        inner = node if isinstance(node, FUNCTIONS) else scope
        todo += [(inner, child) for child in children(node)]


def counted(function: ast.AST) -> Mapping[tuple[str, str], int]:
    """{(kind, name): line} of what a function adds to and does not make itself: attributes of `self`, globals, cells of
    its closure. Of what it also sets outright there is nothing here.
    """
    outer = {name: kind for n in walk(function) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names
             for kind in ("global" if isinstance(n, ast.Global) else "cell",)}  # fmt: skip
    added: dict[tuple[str, str], int] = {}
    for node in nodes_of(function, ast.AugAssign):
        target = node.target
        if isinstance(target, ast.Attribute) and dotted(target.value) == "self":
            added.setdefault(("attr", target.attr), node.lineno)
        elif isinstance(target, ast.Name) and target.id in outer:
            added.setdefault((outer[target.id], target.id), node.lineno)
    return {key: line for key, line in added.items() if key[1] not in set_outright(function)}


def set_outright(function: ast.AST) -> frozenset[str]:
    """The names and attributes that a function sets, other than by adding to them."""
    found = set()
    for node in walk(function):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                found |= {n.attr if isinstance(n, ast.Attribute) else n.id for n in walk(target)
                          if isinstance(n, (ast.Attribute, ast.Name)) and isinstance(n.ctx, ast.Store)}  # fmt: skip
    return frozenset(found)
