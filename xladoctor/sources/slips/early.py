"""Values that Python reads when it defines something, before the program sets what they are read from: the default of a
parameter, an attribute of a class. And defaults that are merged over what was given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xladoctor.sources.names import argument, defaults, dotted, last_name, nodes_of, walk, within
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, assigns, key_of, loaded

_DEFAULT = re.compile(r"(?:^|_)defaults?(?:_|$)", re.IGNORECASE)
_Key = tuple[str, str]


@dataclass(frozen=True)
class _Read:
    """A value that is read when its holder is defined."""

    line: int
    keys: frozenset[_Key]
    title: str
    names: frozenset[str]
    """By which the program comes to the value later."""


def early(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each."""
    writes = _writes(tree)
    functions = [n for n in walk(tree) if isinstance(n, FUNCTIONS)]
    for read in (*_of_parameters(tree, functions), *_of_classes(tree), *_of_names(tree)):
        late = sorted(
            (line, key) for key in read.keys for line in writes.get(key, ()) if line > read.line
        )  # fmt: skip
        if late and not any(key[1] in read.names for key in writes if key[0] != late[0][1][0]):
            line, (holder, name) = late[0]
            yield Slip(
                "read-early",
                read.line,
                f"{read.title} keeps the `{holder}[{name!r}]` of its definition",
                f"Python evaluates it once, where it is defined. Line {line} sets `{name}` of `{holder}` afterwards, "
                "which does not change it.",
            )
    yield from _defaults_last(tree)


def _of_parameters(tree: ast.Module, functions: Sequence[ast.FunctionDef | ast.AsyncFunctionDef]) -> Iterator[_Read]:
    """Defaults of which a call makes use."""
    calls = list(nodes_of(tree, ast.Call))
    for function in functions:
        name = function.name
        for parameter, default in defaults(function).items():
            keys = _keys(default)
            if not keys:
                continue
            used = any(
                last_name(c.func) == name
                and argument(c, function, parameter) is None
                and not any(isinstance(a, ast.Starred) for a in c.args)
                and not any(k.arg is None for k in c.keywords)
                for c in calls
            )
            if used:
                title = f"The default `{parameter}` of {name}"
                yield _Read(default.lineno, keys, title, frozenset())


def _of_classes(tree: ast.Module) -> Iterator[_Read]:
    """Attributes in the body of a class."""
    for node in nodes_of(tree, ast.ClassDef):
        for statement in node.body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
                target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
                keys = _keys(statement.value)
                if keys and isinstance(target, ast.Name):
                    title = f"`{node.name}.{target.id}`"
                    yield _Read(statement.lineno, keys, title, frozenset({target.id}))


def _of_names(tree: ast.Module) -> Iterator[_Read]:
    """Names of the module that hold an entry, and that functions read; not what is kept to be put back."""
    targets = [t.id for t, _, _ in assigns(tree) if isinstance(t, ast.Name)]
    inside = {n for f in walk(tree) if isinstance(f, FUNCTIONS) for n in loaded(f)}
    put_back = {v.id for t, v, _ in assigns(tree) if key_of(t) is not None and isinstance(v, ast.Name)}
    for statement in tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Name) or targets.count(target.id) > 1:
            continue
        value = statement.value
        if isinstance(value, ast.Call) and last_name(value.func) in ("bool", "float", "int", "str") and value.args:
            value = value.args[0]
        key = key_of(value)
        if key is not None and target.id in inside - put_back and not isinstance(value, ast.Attribute):
            yield _Read(statement.lineno, frozenset({key}), f"`{target.id}`", frozenset())


def _keys(node: ast.AST) -> frozenset[_Key]:
    """The entries and attributes that an expression reads, a function within it left out."""
    found = {key for n in within(node) if (key := key_of(n)) is not None}
    return frozenset(k for k in found if not k[1].startswith("__") and k[1] not in ("get", "environ", "getenv"))


def _writes(tree: ast.Module) -> dict[_Key, list[int]]:
    """Where entries and attributes of plain names are set."""
    found: dict[_Key, list[int]] = {}
    for target, _, line in assigns(tree):
        key = key_of(target)
        if key is not None and key[0] not in ("self", "cls"):
            found.setdefault(key, []).append(line)
    for node in nodes_of(tree, ast.Call):
        if isinstance(node.func, ast.Attribute):
            holder = dotted(node.func.value)
            if holder and node.func.attr == "update":
                names = [k.arg for k in node.keywords if k.arg]
                names += [
                    k.value
                    for a in node.args
                    if isinstance(a, ast.Dict)
                    for k in a.keys
                    if isinstance(k, ast.Constant) and isinstance(k.value, str)
                ]
                for name in names:
                    found.setdefault((holder, name), []).append(node.lineno)
    return found


def _defaults_last(tree: ast.Module) -> Iterator[Slip]:
    """Merges in which what is called default stands last, and wins."""
    given = {t.id: v for t, v, _ in assigns(tree) if isinstance(t, ast.Name)}
    for node in walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Dict) and node.keys and node.keys[-1] is None:
            parts = [v for k, v in zip(node.keys, node.values, strict=True) if k is None]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            parts = [node.left, node.right]
        elif (
            isinstance(node, ast.Call) and last_name(node.func) == "dict" and any(k.arg is None for k in node.keywords)
        ):
            parts = [*node.args, *(k.value for k in node.keywords if k.arg is None)]
        elif isinstance(node, ast.Call) and last_name(node.func) == "ChainMap":
            parts = node.args[::-1]  # of these the first one wins
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
            holder = node.func.value
            filled = len(node.args) == 1 and isinstance(holder, ast.Name) and _filled(given, holder.id)
            parts = [holder, *node.args] if filled else []
        if len(parts) >= 2 and _named(parts[-1]) and not any(_named(p) for p in parts[:-1]):
            last, first = ast.unparse(parts[-1]), ast.unparse(parts[0])
            yield Slip(
                "defaults-win",
                node.lineno,  # type: ignore[attr-defined]
                f"`{last}` is merged over `{first}`, and wins",
                f"Of two values of one key the last one stays. Each key of `{last}` replaces what `{first}` has.",
            )


def _named(node: ast.expr) -> bool:
    name = dotted(node.func if isinstance(node, ast.Call) else node)
    return name is not None and bool(_DEFAULT.search(name.rpartition(".")[2]))


def _filled(given: dict[str, ast.expr], name: str) -> bool:
    """Whether a name is known to hold something that was given: a copy, and no empty dict."""
    value = given.get(name)
    return (
        isinstance(value, ast.Call)
        and (bool(value.args) or last_name(value.func) in ("copy", "vars", "deepcopy"))
        and not any(_named(a) for a in (*value.args, value.func))
    )
