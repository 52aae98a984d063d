"""Sets of names that a program writes: the keys of a dict, the arguments of a call, the parameters of a constructor,
the columns of a table, the inputs of a model. Where two should agree, one may lack a name or spell it otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from xladoctor.sources.names import defaults, keyword, last_name, nodes_of, parameters, text_key, walk

Kind = Literal["dict", "call", "parameters", "config", "reads", "names", "inputs"]
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_LOOKS_UP = ("get", "pop")
SAVES = frozenset({"get_config", "to_dict", "as_dict", "state_dict", "to_json", "settings", "config"})
"""Methods that say what an object is made from, by their usual names."""


@dataclass(frozen=True)
class Members:
    """A set of names: where each is written, and whose they are (a class, a function that is called)."""

    kind: Kind
    file: str
    line: int
    lines: Mapping[str, int]
    owner: str = ""
    defaults: Mapping[str, ast.expr] = field(default_factory=dict)
    """Of what need not be there, parameters or keys that are read, what stands for it."""

    @property
    def names(self) -> frozenset[str]:
        """The names themselves."""
        return frozenset(self.lines)


def members(file: str, tree: ast.Module) -> Iterator[Members]:
    """All sets of two names or more."""
    for node in walk(tree):
        for found in _of_node(file, node):
            if len(found.lines) > 1 or found.kind == "config":
                yield found


def _of_node(file: str, node: ast.AST) -> Iterator[Members]:
    if isinstance(node, ast.Dict):
        yield Members("dict", file, node.lineno, _keys(node))
    elif isinstance(node, ast.Call):
        named = {k.arg: k.value.lineno for k in node.keywords if k.arg is not None}
        whole = not any(k.arg is None for k in node.keywords) and not node.args
        yield Members("call", file, node.lineno, named if whole else {}, last_name(node.func))
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        words = {e.value: e.lineno for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)}
        yield Members("names", file, node.lineno, words if len(words) == len(node.elts) else {})
    elif isinstance(node, ast.ClassDef):
        yield from _of_class(file, node)
    elif isinstance(node, _FUNCTIONS):
        yield _parameters(file, node, node.name)
        yield from _read(file, node)


def _of_class(file: str, cls: ast.ClassDef) -> Iterator[Members]:
    methods = {s.name: s for s in cls.body if isinstance(s, _FUNCTIONS)}
    if "__init__" in methods:
        yield _parameters(file, methods["__init__"], cls.name)
    else:
        fields = [s for s in cls.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]
        optional = {last_name(f.target): f.value for f in fields if f.value is not None}
        yield Members(
            "parameters", file, cls.lineno, {last_name(f.target): f.lineno for f in fields}, cls.name, optional
        )
    for name in sorted(SAVES & set(methods)):
        written: dict[str, int] = {}
        for node in walk(methods[name]):
            if isinstance(node, ast.Dict):
                written |= _keys(node)
            elif isinstance(node, ast.Call) and last_name(node.func) in ("dict", "update"):
                written |= {k.arg: k.value.lineno for k in node.keywords if k.arg is not None}
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and (key := text_key(node)):
                written[key] = node.lineno
        whole = any(isinstance(n, ast.Attribute) and n.attr == "__dict__" for n in walk(methods[name]))
        if not whole:
            yield Members("config", file, _line_of(methods[name], written), written, cls.name)


def _line_of(function: ast.AST, written: Mapping[str, int]) -> int:
    """Where a further name would be written."""
    returns = (n.lineno for n in nodes_of(function, ast.Return))
    return max(written.values(), default=0) or next(returns, getattr(function, "lineno", 0))


def _parameters(file: str, function: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> Members:
    known = dict.fromkeys(parameters(function), function.lineno)
    return Members("parameters", file, function.lineno, known, owner, defaults(function))


def _read(file: str, function: ast.AST) -> Iterator[Members]:
    """The keys by which a function reads one thing, and the names that it gives to inputs of a model."""
    by_name: dict[str, dict[str, int]] = {}
    optional: dict[str, dict[str, ast.expr]] = {}
    inputs: dict[str, int] = {}
    for node in walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and (key := text_key(node)):
            by_name.setdefault(ast.unparse(node.value), {}).setdefault(key, node.lineno)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKS_UP:
            word = node.args[0] if node.args else None
            if isinstance(word, ast.Constant) and isinstance(word.value, str):
                whose = ast.unparse(node.func.value)
                by_name.setdefault(whose, {}).setdefault(word.value, node.lineno)
                optional.setdefault(whose, {}).update(zip([word.value], node.args[1:], strict=False))
        elif isinstance(node, ast.Call) and last_name(node.func) == "Input":
            named = keyword(node, "name")
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                inputs[named.value] = node.lineno
    for whose, read in by_name.items():
        yield Members("reads", file, min(read.values()), read, whose, optional.get(whose, {}))
    if inputs:
        yield Members("inputs", file, min(inputs.values()), inputs)


def _keys(node: ast.Dict) -> dict[str, int]:
    return {
        k.value: k.lineno if hasattr(k, "lineno") else node.lineno
        for k in node.keys
        if isinstance(k, ast.Constant) and isinstance(k.value, str)
    }
