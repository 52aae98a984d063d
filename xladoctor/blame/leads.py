"""What a line is, whatever the sizes: a setting, a word that selects, a place where a type is made, where a tensor is
kept, where data begin; and how many of the failure's own words are in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.options import alternatives, selects
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk
from xladoctor.sources.setting_trees import is_settings

_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}")
_OF_TYPES = re.compile(
    r"dtype|\btype\b|float16|float64|complex|string|object|\bint(?:32|64)\b|convert .{0,60} to (?:a )?tensor",
    re.IGNORECASE,
)
_OUT_OF_SCOPE = re.compile(r"out of scope|symbolic|FuncGraph|graph tensor|inaccessible", re.IGNORECASE)
_TYPED = frozenset(
    {"astype", "cast", "to_numpy", "asarray", "array", "dtype", "convert_to_tensor", "constant", "complex", "tolist",
     "stack", "column_stack", "frombuffer", "view"}
)  # fmt: skip
_NEUTRAL = frozenset({0, 1, -1, 2})


def leads(lines: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[tuple[Line, str, float]]:
    """The features of the lines of a slice that need no size."""
    trees = {f: s.tree for f in dict.fromkeys(f for f, _ in lines) if (s := files.source(f)) is not None}
    known = alternatives(trees.values())
    said = _words_of(crash, files)
    types = crash.slug == "dtype-mismatch" or (not crash.sizes and _OF_TYPES.search(crash.message[:2000]) is not None)
    scope = crash.slug == "tensor-out-of-scope" or _OUT_OF_SCOPE.search(crash.message[:2000]) is not None
    for file, tree in trees.items():
        whole = is_settings(file)
        wanted = {line for f, line in lines if f == file}
        settings = wanted if whole else set(_setting_lines(tree))
        selecting = {value.lineno for node in walk(tree) for _, _, value in selects(node, known)}
        kept = _keeping(tree) if scope else set()
        for line, nodes in _by_line(tree, wanted).items():
            at = (file, line)
            if line in settings:
                yield at, "setting", 1.0
            if line in selecting:
                yield at, "option", 1.0
            if types and any(_types(n) for n in nodes):
                yield at, "typed", 1.0
            if line in kept:
                yield at, "keeps", 1.0
            if not any(isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load) for n in nodes):
                yield at, "begins", 1.0
            if any(_is_number(n) for n in nodes):
                yield at, "number", 1.0
            own = set(_words(nodes))
            if own & said:
                yield at, "said", len(own & said) / (3 + len(own))


def _by_line(tree: ast.AST, wanted: set[int]) -> dict[int, list[ast.AST]]:
    found: dict[int, list[ast.AST]] = {}
    for node in walk(tree):
        line = getattr(node, "lineno", None)
        if line in wanted:
            found.setdefault(line, []).append(node)
    return found


def _setting_lines(tree: ast.AST) -> Iterator[int]:
    for node in walk(tree):
        if isinstance(node, ast.Module):
            for statement in node.body:
                if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                    inside = list(walk(statement.value))
                    if not any(isinstance(n, ast.Call | ast.Lambda) for n in inside):
                        yield from (n.lineno for n in [statement, *inside] if isinstance(n, ast.expr | ast.stmt))
        elif isinstance(node, ast.ClassDef):
            yield from (s.lineno for s in node.body if isinstance(s, ast.AnnAssign) and s.value is not None)
        elif isinstance(node, ast.Call) and last_name(node.func) in ("add_argument", "set_defaults", "SimpleNamespace"):
            yield node.lineno


def _keeping(tree: ast.AST) -> set[int]:
    """The lines of functions that store something beyond their call: an attribute, an item, an entry of a list."""
    found: set[int] = set()
    for function in walk(tree):
        if not isinstance(function, ast.FunctionDef) or function.name in ("__init__", "build"):
            continue
        for node in (n for n in walk(function) if isinstance(n, ast.stmt)):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if any(isinstance(t, ast.Attribute | ast.Subscript) for t in targets):
                found.add(node.lineno)
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
                found.add(node.lineno)
    return found


def _types(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg in ("dtype", "dtypes")
    return (
        isinstance(node, ast.Call | ast.Attribute)
        and last_name(node.func if isinstance(node, ast.Call) else node) in _TYPED
    )


def _is_number(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, int) and not isinstance(value, bool) and value not in _NEUTRAL


def _words_of(crash: Crash, files: Files) -> set[str]:
    """The words of the message's first lines and of the line that raised."""
    at = crash.at
    code = files.code(at.file, at.line) if at is not None else ""
    message = "\n".join(crash.message.strip().split("\n")[:2])[:400]
    return {w.lower() for w in _WORD.findall(f"{message} {code}") if len(w) > 2} - _COMMON


_COMMON = frozenset(
    {
        "self", "the", "and", "for", "with", "shape", "shapes", "input", "inputs", "output", "outputs", "tensor",
        "value", "values", "has", "have", "must", "got", "are", "not", "expected", "layer", "call", "axis", "dimension",
        "dimensions", "keras", "model", "return", "error", "received", "argument", "found", "from",
    }
)  # fmt: skip


def _words(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        text = (
            node.id if isinstance(node, ast.Name)
            else node.attr if isinstance(node, ast.Attribute)
            else node.arg if isinstance(node, ast.keyword | ast.arg) and node.arg
            else node.value if isinstance(node, ast.Constant) and isinstance(node.value, str)
            else ""
        )  # fmt: skip
        yield from (w.lower() for w in _WORD.findall(text[:60]) if len(w) > 2)
