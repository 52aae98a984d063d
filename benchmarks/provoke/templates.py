"""Every `raise` of a Python package, as a template: the constant parts of its message and the expressions between them.

Nothing is imported: the sources are parsed. What is assigned to a name in the same function or module, formatted with
`%`, `.format` or an f-string, joined with `+` or chosen by a conditional is resolved; anything else is a field.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

_PERCENT = re.compile(r"%(?:\((\w+)\))?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([diouxXeEfFgGcrsa%])")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}:!]*)(?:![rsa])?(?::[^{}]*)?\}")
_SKIPPED = re.compile(r"(?:_test|_tests)\.py$|(?:^|/)(?:tests?|testing|test_util\w*)/|/test_utils?\.py$|conftest")


@dataclass(frozen=True)
class Field:
    """A place of a template that a value fills: the expression, and `d` where a number is formatted."""

    expression: str
    kind: str = "s"


Part = str | Field


@dataclass(frozen=True)
class Template:
    """One `raise`: its message, where it stands and under which conditions."""

    package: str
    version: str
    file: str
    function: str
    line: int
    exception: str
    parts: tuple[Part, ...]
    guards: tuple[str, ...]

    @property
    def literal(self) -> str:
        """The message with `{}` for each field, blanks folded."""
        return " ".join("".join(part if isinstance(part, str) else "{}" for part in self.parts).split())

    @property
    def id(self) -> str:
        """A hash of the exception and the constant text: the same for the same sentence anywhere."""
        return sha256(f"{self.exception}:{self.literal}".encode()).hexdigest()[:12]


def templates(folder: Path, package: str, version: str) -> Iterator[Template]:
    """All templates of the sources below a folder, tests left out, in the order of the files."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if _SKIPPED.search(name):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
        except (SyntaxError, ValueError):  # Python 2, or a template of a source
            continue
        yield from _Walk(package, version, name, tree).found


class _Walk(ast.NodeVisitor):
    def __init__(self, package: str, version: str, file: str, tree: ast.Module) -> None:
        self.found: list[Template] = []
        self._where = (package, version, file)
        self._functions: list[str] = []
        self._guards: list[str] = []
        self._names: list[dict[str, ast.expr]] = [{}]
        self.visit(tree)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._functions.append(node.name)
        self._names.append({})
        guards, self._guards = self._guards, []
        self.generic_visit(node)
        self._guards = guards
        self._names.pop()
        self._functions.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._names[-1][target.id] = node.value

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        known = self._names[-1].get(node.target.id) if isinstance(node.target, ast.Name) else None
        if known is not None and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
            self._names[-1][node.target.id] = ast.BinOp(known, ast.Add(), node.value)

    def visit_If(self, node: ast.If) -> None:
        test = ast.unparse(node.test)
        self._guarded(test, node.body)
        self._guarded(f"not ({test})", node.orelse)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._guarded(f"except {ast.unparse(node.type) if node.type else ''}", node.body)

    def _guarded(self, test: str, body: list[ast.stmt]) -> None:
        self._guards.append(" ".join(test.split())[:200])
        for statement in body:
            self.visit(statement)
        self._guards.pop()

    def visit_Raise(self, node: ast.Raise) -> None:
        call = node.exc
        if not isinstance(call, ast.Call):
            return
        name = ast.unparse(call.func).rpartition(".")[2]
        if not re.search(r"Error$|Exception$|^OutOfRange|Warning$", name) or not name[0].isupper():
            return
        arguments = call.args or [k.value for k in call.keywords if k.arg in ("message", "msg")]
        if name.endswith("Error") and len(arguments) == 3 and self._where[0] == "tensorflow":
            arguments = arguments[2:]  # errors_impl.OpError(node_def, op, message)
        parts = self._tuple(arguments) if len(arguments) > 1 else self._parts(arguments[0], 0) if arguments else []
        where = self._functions[-1] if self._functions else "<module>"
        self.found.append(Template(*self._where, where, node.lineno, name, _merged(parts), tuple(self._guards[-3:])))

    def _tuple(self, arguments: list[ast.expr]) -> list[Part]:
        parts: list[Part] = ["("]
        for number, argument in enumerate(arguments):
            parts += [", " if number else "", *self._parts(argument, 0)]
        return [*parts, ")"]

    def _parts(self, node: ast.expr, depth: int) -> list[Part]:
        if isinstance(node, ast.Constant):
            return [str(node.value)]
        if depth > 12:
            return [Field("...")]
        if isinstance(node, ast.JoinedStr):
            return [part for value in node.values for part in self._parts(value, depth + 1)]
        if isinstance(node, ast.FormattedValue):
            inner = self._parts(node.value, depth + 1)
            return inner if any(isinstance(p, str) for p in inner) else [Field(ast.unparse(node.value))]
        if isinstance(node, ast.IfExp):
            return self._parts(node.body, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._parts(node.left, depth + 1) + self._parts(node.right, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self._percent(node, depth)
        if isinstance(node, ast.Name):
            value = next((names[node.id] for names in reversed(self._names) if node.id in names), None)
            if isinstance(value, (ast.Constant, ast.JoinedStr, ast.BinOp, ast.IfExp)) and _is_text(value):
                return self._parts(value, depth + 1)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        return [Field(ast.unparse(node))]

    def _call(self, node: ast.Call, depth: int) -> list[Part]:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "format":
            text = self._parts(function.value, depth + 1)
            if all(isinstance(part, str) for part in text):
                named = {k.arg: ast.unparse(k.value) for k in node.keywords if k.arg}
                given = [ast.unparse(argument) for argument in node.args]
                return _braces("".join(map(str, text)), given, named)
        if isinstance(function, ast.Attribute) and function.attr in ("strip", "lstrip", "rstrip", "lower"):
            return self._parts(function.value, depth + 1)
        if ast.unparse(function).endswith(("dedent", "_MESSAGE", "str")) and len(node.args) == 1:
            return self._parts(node.args[0], depth + 1)
        return [Field(ast.unparse(node))]

    def _percent(self, node: ast.BinOp, depth: int) -> list[Part]:
        text = self._parts(node.left, depth + 1)
        if not all(isinstance(part, str) for part in text):
            return [*text, Field(ast.unparse(node.right))]
        named: dict[str, str] = {}
        given: list[str] = []
        if isinstance(node.right, ast.Dict):
            named = {
                str(ast.literal_eval(k)): ast.unparse(v)
                for k, v in zip(node.right.keys, node.right.values, strict=True)
                if isinstance(k, ast.Constant)
            }
        else:
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            given = [ast.unparse(value) for value in values]
        whole, at, parts = "".join(map(str, text)), 0, list[Part]()
        for found in _PERCENT.finditer(whole):
            parts.append(whole[at : found.start()])
            at = found.end()
            if found[2] == "%":
                parts.append("%")
            else:
                value = named.get(found[1], found[1]) if found[1] else given.pop(0) if given else "..."
                parts.append(Field(value, "d" if found[2] in "dioxX" else "f" if found[2] in "eEfFgG" else "s"))
        return [*parts, whole[at:]]


def _braces(text: str, given: list[str], named: dict[str, str]) -> list[Part]:
    at, parts, number = 0, list[Part](), 0
    for found in _BRACES.finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
        if found[0] in ("{{", "}}"):
            parts.append(found[0][0])
            continue
        key = found[1].strip()
        if not key or key.isdigit():
            index = int(key) if key else number
            number += 1
            parts.append(Field(given[index] if index < len(given) else "..."))
        else:
            parts.append(Field(named.get(re.split(r"[.\[]", key)[0], key)))
    return [*parts, text[at:]]


def _is_text(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.JoinedStr) or (isinstance(inner, ast.Constant) and isinstance(inner.value, str))
        for inner in ast.walk(node)
    )


def _merged(parts: list[Part]) -> tuple[Part, ...]:
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)
