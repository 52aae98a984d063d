"""The lines that made the operand of double width, where the message says which operand of an operator it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.sources.files import Files
from xladoctor.sources.names import assigned_once, last_name, nodes_of, parameters, walk
from xladoctor.sources.order import scope_at
from xladoctor.sources.origins import Origins

_NAMED = re.compile(r"Input '([xyab])' of '(\w{1,40})' Op has type (\w{1,20}) that does not match")
_COUNTED = re.compile(
    r"cannot compute (\w{1,40}) as input #([01])\(zero-based\) was expected to be an? \w{1,20} tensor "
    r"but is an? (\w{1,20})"
)
_PLACES = {"x": 0, "a": 0, "y": 1, "b": 1}
_DOUBLE = frozenset({"float64", "double", "complex128"})
_OPERATORS: dict[str, tuple[type[ast.operator], ...]] = {
    "Sub": (ast.Sub,), "Mul": (ast.Mult,), "AddV2": (ast.Add,), "Add": (ast.Add,), "Pow": (ast.Pow,),
    "RealDiv": (ast.Div,), "MatMul": (ast.MatMult,), "BatchMatMulV2": (ast.MatMult,), "FloorDiv": (ast.FloorDiv,),
}  # fmt: skip
_DEEP = 4


def double_operand(crash: Crash, files: Files, modules: Iterable[str] = ()) -> frozenset[Line]:
    """The lines that assign what the double operand is made of, in the failing file and in these modules; none where it
    is not known which operand that is.
    """
    source = files.source(crash.at.file) if crash.at is not None else None
    place = _place(crash.message)
    if source is None or crash.at is None or place is None:
        return frozenset()
    op, at = place
    scope = scope_at(source.tree, crash.at.line)
    here = [
        n for n in walk(scope)
        if isinstance(n, ast.BinOp) and isinstance(n.op, _OPERATORS.get(op, ()))
        and n.lineno <= crash.at.line <= (n.end_lineno or n.lineno)
    ]  # fmt: skip
    if len(here) != 1:
        return frozenset()
    operand = (here[0].left, here[0].right)[at]
    names = _names(operand, assigned_once(scope))
    own = _assigned(crash.at.file, source.tree, names)
    trees = files.trees(modules)
    origins = Origins(trees)
    far = list(origins.of(crash.at.file, operand)) if crash.at.file in origins.back.trees else []
    made = own | {(file, value.lineno) for file, value in far}
    if isinstance(operand, ast.Name) and operand.id in parameters(scope):
        # What a pipeline hands over usually has one name on the way.
        named = {line for file, tree in trees.items() for line in _assigned(file, tree, frozenset({operand.id}))}
        made |= named | _results(trees, named)
    return frozenset(made)


def _assigned(file: str, tree: ast.Module, names: frozenset[str]) -> set[Line]:
    """The lines of a file that assign one of these names."""
    return {
        (file, n.lineno)
        for n in walk(tree)
        if isinstance(n, ast.Assign) and any(last_name(part) in names for t in n.targets for part in walk(t))
    }


def _results(trees: Mapping[str, ast.Module], lines: Container[Line]) -> set[Line]:
    """The results of the functions that some lines call."""
    calls = {
        last_name(c.func) for file, tree in trees.items() for n in nodes_of(tree, ast.Assign)
        if (file, n.lineno) in lines for c in nodes_of(n.value, ast.Call)
    }  # fmt: skip
    return {
        (file, n.lineno) for file, tree in trees.items() for f in nodes_of(tree, ast.FunctionDef) if f.name in calls
        for n in nodes_of(f, ast.Return)
    }  # fmt: skip


def _place(message: str) -> tuple[str, int] | None:
    """The operator, and which of its operands has the double type."""
    named, counted = _NAMED.search(message), _COUNTED.search(message)
    if named is not None:
        op, at, said = named[2], _PLACES[named[1]], named[3]
    elif counted is not None:
        op, at, said = counted[1], int(counted[2]), counted[3]
    else:
        return None
    return op, at if said in _DOUBLE else 1 - at


def _names(operand: ast.expr, known: dict[str, ast.expr]) -> frozenset[str]:
    """The names and attributes that an operand is made of, also through names of its function."""
    found: set[str] = set()
    todo: list[tuple[ast.AST, int]] = [(operand, 0)]
    while todo:
        node, deep = todo.pop()
        for name in set(_all(node)) - found:
            found.add(name)
            if name in known and deep < _DEEP:
                todo.append((known[name], deep + 1))
    return frozenset(found)


def _all(node: ast.AST) -> Iterator[str]:
    """The names below a node, but for the objects and modules whose attributes are asked for."""
    holders = {id(n.value) for n in walk(node) if isinstance(n, ast.Attribute)}
    yield from (last_name(n) for n in walk(node) if last_name(n) and id(n) not in holders)
