"""The attributes and keys that a call gives values: options of a command line, fields of records, namespaces, dicts."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from xladoctor.sources.names import keyword, last_name

_TAKE_NAMES = frozenset(
    {"dict", "update", "SimpleNamespace", "Namespace", "replace", "_replace", "evolve", "set_defaults", "OrderedDict"}
)
LOOKS_UP = frozenset({"get", "pop", "setdefault", "getint", "getfloat"})
"""Methods whose first argument is a key, or whose second is one of a section."""


def given_by(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The names to which a call gives values."""
    name = last_name(call.func)
    words = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if name in _TAKE_NAMES:
        yield from ((k.arg, k.value) for k in call.keywords if k.arg is not None)
    elif name == "add_argument" and words:
        own = next((w for w in words if w.startswith("--")), words[0])
        named = keyword(call, "dest")
        dest = named.value if isinstance(named, ast.Constant) else own.lstrip("-").replace("-", "_")
        yield str(dest), call
    elif name in ("setattr", "setdefault") and words and len(call.args) > 1:
        yield words[0], call.args[-1]


def of_record(call: ast.Call, fields: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    """What the constructor of a record is given, by its fields."""
    yield from zip(fields, call.args, strict=False)
    yield from ((k.arg, k.value) for k in call.keywords if k.arg is not None)


def fields_of(cls: ast.ClassDef) -> list[str]:
    """The fields of a class that has no constructor of its own; none of another."""
    if any(isinstance(s, ast.FunctionDef) and s.name == "__init__" for s in cls.body):
        return []
    return [s.target.id for s in cls.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]


def registered(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The words under which decorators keep a function: `@loss("huber")`."""
    calls = [d for d in function.decorator_list if isinstance(d, ast.Call)]
    return [a.value for d in calls for a in d.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]


def keys_of(call: ast.Call) -> list[str]:
    """The keys that `settings.get("width")`, `parser.getint("net", "width")` may ask for."""
    given = call.args[:2] if last_name(call.func) in LOOKS_UP else []
    return [a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str)]


def path_of(node: ast.AST) -> str:
    """The known parts of a path that is put together: `ROOT / "conf" / "run.yaml"`, `os.path.join(HERE, "run.ini")`."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Call) and last_name(node.func) in ("join", "joinpath", "Path"):
        parts = node.args
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        parts, node = [node.right, *parts], node.left
    words = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    return "/".join(word for word in words if word not in ("", ".", ".."))
