"""Functions that compute one thing in two ways, by a switch about how: `if use_xla(): return fast(x, t)`, else plainly.

Both ways are cut out of the program, with the functions of it that they call, where all of that only computes: no
file, no state, nothing that is not TensorFlow, NumPy or Python's own numbers.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from xladoctor.sources.names import defaults, dotted, last_name, nodes_of, positional, walk

_HOW = re.compile(
    r"(?:^|_)(?:xla|jit|compiled?|fused|fast|slow|vectori[sz]ed|accelerated?|kernels?|cuda|gpu|native|eager|legacy|"
    r"reference|optimi[sz]ed|unrolled)(?:_|$)",
    re.I,
)
_PACKAGES = frozenset({"tensorflow", "numpy", "math", "functools", "typing", "__future__"})
_BUILTINS = frozenset(
    {"range", "len", "float", "int", "bool", "tuple", "list", "zip", "enumerate", "min", "max", "abs", "sum",
     "isinstance", "reversed", "sorted", "round", "complex", "ValueError", "TypeError", "NotImplementedError"}
)  # fmt: skip
_TOUCHES = re.compile(
    r"^(?:io|py_function|numpy_function|py_func|print|summary|saved_model|train|distribute|config|data|Variable|"
    r"random\w*|load\w*|save\w*|import_\w+|fromfile|memmap|genfromtxt|tofile|dump\w*|lib|ctypeslib|assign\w*|write\w*|"
    r"test|experimental_\w+|compat|python|f2py|__\w+)$"
)
_TENSORS = re.compile(r"^(?:import|from) (?:tensorflow|numpy)\b", re.M)
_MOST = 30
_Function = ast.FunctionDef


@dataclass(frozen=True)
class Way:
    """One position of the switch: a program that has the function, and the functions that only this way calls."""

    text: str
    own: tuple[tuple[str, _Function], ...]


@dataclass(frozen=True)
class TwoWays:
    """A function, the line of its switch, its parameters without a default, and both ways."""

    file: str
    name: str
    line: int
    switch: str
    parameters: tuple[str, ...]
    on: Way
    off: Way


def two_ways(trees: Mapping[str, ast.Module]) -> Iterator[TwoWays]:
    """Each function that has such a switch, and of which both ways can be cut out; of methods, those that leave `self`
    alone but for the switch.
    """
    known = _Program(trees)
    for file, tree in trees.items():
        for function in (f for f in walk(tree) if isinstance(f, _Function)):
            tests = [n.test for n in walk(function) if isinstance(n, ast.If | ast.IfExp) and _about_how(n.test)]
            required = _required(function)
            if len(tests) != 1 or not 1 <= len(required) <= 3:
                continue
            on, off = (known.cut(file, function, tests[0], position) for position in (True, False))
            if on is None or off is None or on[0] == off[0] or not all(_TENSORS.search(w[0]) for w in (on, off)):
                continue
            ways = [
                Way(text, tuple((f, g) for name, (f, g) in reached.items() if name not in others))
                for (text, reached), (_, others) in ((on, off), (off, on))
            ]
            switch = ast.unparse(tests[0])
            yield TwoWays(file, function.name, tests[0].lineno, switch, required, *ways)


def _about_how(test: ast.expr) -> bool:
    names = [last_name(n) for n in walk(test) if isinstance(n, ast.Name | ast.Attribute)]
    names += [str(n.value) for n in nodes_of(test, ast.Constant) if isinstance(n.value, str)]
    return any(_HOW.search(name) for name in names)


def _required(function: _Function) -> tuple[str, ...]:
    """The parameters that a call must give, but for those that are switches themselves."""
    arguments, optional = function.args, defaults(function)
    special = arguments.vararg or any(d is None for d in arguments.kw_defaults)
    return () if special else tuple(n for n in positional(function) if n not in optional and not _HOW.search(n))


class _Program:
    """The functions and constants at the top of the files of a program."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._trees = trees
        self._functions: dict[str, list[tuple[str, _Function]]] = {}
        for file, tree in trees.items():
            for node in tree.body:
                if isinstance(node, _Function):
                    self._functions.setdefault(node.name, []).append((file, node))

    def cut(
        self, file: str, function: _Function, test: ast.expr, position: bool
    ) -> tuple[str, dict[str, tuple[str, _Function]]] | None:
        """(the program of one way, {name: the functions that it calls}); None where it does more than compute."""
        decided = _decided(function, test, position)
        todo, reached = [(file, decided)], {}
        parts: list[ast.stmt] = []
        imports: dict[str, ast.stmt] = {}
        while todo:
            here, node = todo.pop()
            body = _Direct(self._modules(here)).visit(copy.deepcopy(node))
            if not _computes(body):
                return None
            parts.append(body)
            if len(parts) > _MOST:
                return None
            for name in _free(body):
                if name in _BUILTINS or name in reached or name == function.name:
                    continue
                found = self._found(here, name)
                if isinstance(found, ast.Import | ast.ImportFrom):
                    imports[ast.unparse(found)] = found
                elif isinstance(found, tuple):
                    reached[name] = found
                    todo.append(found)
                elif found is not None:
                    if not _computes(found) or not _free(found) <= _BUILTINS:
                        return None
                    parts.append(found)
                else:
                    return None
        return "\n\n".join(ast.unparse(n) for n in (*imports.values(), *parts[::-1])), reached

    def _found(self, file: str, name: str) -> ast.stmt | tuple[str, _Function] | None:
        """What a name is in a file: an import of a package that computes, a function, or a constant."""
        for node in self._trees[file].body:
            if isinstance(node, _Function) and node.name == name:
                return file, node
            if isinstance(node, ast.Assign) and [last_name(t) for t in node.targets] == [name]:
                return node
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name.partition(".")[0]) != name:
                        continue
                    source = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
                    if source.partition(".")[0] in _PACKAGES and not getattr(node, "level", 0):
                        one = copy.copy(node)
                        one.names = [alias]
                        return one
                    name = alias.name
        found = self._functions.get(name, ())
        return found[0] if len(found) == 1 else None

    def _modules(self, file: str) -> Mapping[str, frozenset[str]]:
        """{name of a module of the program in a file: the functions that it may have}."""
        stems = {f.rpartition("/")[2].removesuffix(".py") for f in self._trees}
        own = frozenset(n for n, found in self._functions.items() if len(found) == 1)
        names = [
            (alias.asname or alias.name, alias.name.rpartition(".")[2])
            for node in walk(self._trees[file])
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        ]
        return {name: own for name, module in names if module in stems}


def _decided(function: _Function, test: ast.expr, position: bool) -> _Function:
    """A function with its switch in one position, without what stands behind its end, and without what says so."""
    made: _Function = _Decided(test, position).visit(copy.deepcopy(function))
    ends = [n for n, s in enumerate(made.body) if isinstance(s, ast.Return | ast.Raise)]
    made.body = made.body[: ends[0] + 1] if ends else made.body
    arguments = made.args
    for names in (arguments.posonlyargs, arguments.args):
        names[:] = [a for a in names if a.arg != "self"]
    return made


class _Decided(ast.NodeTransformer):
    """A function with its switch in one position."""

    def __init__(self, test: ast.expr, position: bool) -> None:
        self._at, self._position = (test.lineno, test.col_offset), position

    def _is_it(self, test: ast.expr) -> bool:
        return (test.lineno, test.col_offset) == self._at

    def visit_If(self, node: ast.If) -> object:
        """The statements of one branch."""
        self.generic_visit(node)
        if not self._is_it(node.test):
            return node
        return (node.body if self._position else node.orelse) or ast.Pass()

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """The expression of one branch."""
        self.generic_visit(node)
        return (node.body if self._position else node.orelse) if self._is_it(node.test) else node


class _Direct(ast.NodeTransformer):
    """`warp.shift(x)` of a module of the program, as `shift(x)`."""

    def __init__(self, modules: Mapping[str, frozenset[str]]) -> None:
        self._modules = modules

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """The function alone."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.attr in self._modules.get(node.value.id, ()):
            return ast.copy_location(ast.Name(node.attr, ast.Load()), node)
        return node


def _computes(tree: ast.AST) -> bool:
    """Whether nothing in it touches files, variables, random numbers or other state."""
    for node in walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom | ast.Yield | ast.Await | ast.With):
            return False
        if isinstance(node, ast.Attribute) and (_TOUCHES.match(node.attr) or not isinstance(node.ctx, ast.Load)):
            return False
        if isinstance(node, ast.FunctionDef) and not all(_is_traced(d) for d in node.decorator_list):
            return False
    return True


def _is_traced(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (dotted(called) or "").endswith("tf.function")


def _free(tree: ast.AST) -> set[str]:
    """The names that something reads and does not make itself."""
    made = {a.arg for n in nodes_of(tree, ast.arguments) for a in (*n.posonlyargs, *n.args, *n.kwonlyargs)}
    made |= {n.id for n in nodes_of(tree, ast.Name) if not isinstance(n.ctx, ast.Load)}
    made |= {n.name for n in walk(tree) if isinstance(n, _Function)}
    annotations = {id(m) for n in walk(tree) for a in _annotations(n) for m in walk(a)}
    return {n.id for n in nodes_of(tree, ast.Name) if n.id not in made and id(n) not in annotations}


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.arg) and node.annotation is not None:
        yield node.annotation
    if isinstance(node, _Function) and node.returns is not None:
        yield node.returns


def trials(way: Way) -> Iterator[tuple[str, int, str, str]]:
    """(file, line, function, program of the way with the sign there changed) for each sum, difference and minus of its
    own functions.
    """
    for file, function in way.own:
        tree = ast.parse(way.text)
        made = next((n for n in tree.body if isinstance(n, _Function) and n.name == function.name), None)
        for node in tree.body:
            if isinstance(node, _Function):
                node.decorator_list = []  # run eagerly: it is called once
        here, there = ([n for n in walk(f) if _has_sign(n)] for f in (function, made or function))
        for mine, other in zip(here, there, strict=False) if made is not None else ():
            old = other.op
            other.op = ast.UAdd() if isinstance(old, ast.USub) else ast.Sub() if isinstance(old, ast.Add) else ast.Add()
            yield file, mine.lineno, function.name, ast.unparse(tree)
            other.op = old


def _has_sign(node: ast.AST) -> TypeGuard[ast.BinOp | ast.UnaryOp]:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Sub)
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
