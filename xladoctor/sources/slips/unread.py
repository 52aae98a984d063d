"""Settings that are read and then used nowhere, or replaced before anything uses them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xladoctor.sources.names import argument, dotted, last_name, nodes_of, parameters, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, key_of, scopes, within_body

_SETTINGS = re.compile(
    r"(?:^|_)(?:args|c|cf|cfg|conf|config\w*|hp|hparams?|hyper\w*|opts?|options?|params?|settings?|environ)$", re.I
)
_NO_NUMBERS = re.compile(
    r"(?:^|_)(?:seed|rng|name|title|labels?|path|file|dir|folder|out|output|log|logs|verbose|quiet|debug|plot|version"
    r"|comment|description|key|epoch|training|mask|step"
    r"|threads?|workers|jobs|devices?|gpus?|dpi|width_px)(?:_|$)",
    re.I,
)
"""What may be left unread without another result."""
_CONVERTS = frozenset({"bool", "float", "int", "list", "str", "tuple"})
_WHOLE = frozenset({"__dict__", "asdict", "astuple", "eval", "exec", "fields", "getattr", "globals", "locals", "vars"})
_WRITES = frozenset({"dump", "dumps", "sorted", "dict", "deepcopy", "SimpleNamespace"})
_CLASSES = re.compile(r"Config|Hyper|(?:Hparams|HParams|Options|Params|Parameters|Settings)$")
_SHARE = 0.75
_OF_KERAS = frozenset(
    {"activity_regularizer", "autocast", "built", "dtype", "input_spec", "stateful", "supports_masking", "trainable"}
)


def unread(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) for each."""
    whole = any(last_name(n) in _WHOLE or _handed_on(n) for tree in trees.values() for n in walk(tree))
    read = {w for tree in trees.values() for w in _words(tree)}
    for file, tree in trees.items():
        for scope in scopes(tree):
            for slip in _of_scope(scope, set() if whole else read):
                yield file, slip
    if not whole:
        yield from _arguments(trees, read)
        for file, tree in trees.items():
            for slip in _keys(tree, trees):
                yield file, slip


def _handed_on(node: ast.AST) -> bool:
    """`**cfg`, `cfg.items()`, `dumps(cfg)`, `for key in cfg`: settings that are read without their names."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Call):
        given = [k.value for k in node.keywords if k.arg is None]
        method = node.func if isinstance(node.func, ast.Attribute) else None
        given += [method.value] if method is not None and method.attr in ("items", "keys", "values") else []
        given += node.args if last_name(node.func) in _WRITES else []
    elif isinstance(node, ast.For | ast.comprehension):
        given = [node.iter]
    elif isinstance(node, ast.Dict):
        given = [v for k, v in zip(node.keys, node.values, strict=True) if k is None]
    return any(_SETTINGS.search((dotted(g) or "").rpartition(".")[2]) for g in given)


def _of_scope(scope: ast.AST, read: set[str]) -> Iterator[Slip]:
    loads = {n.id for n in nodes_of(scope, ast.Name) if not isinstance(n.ctx, ast.Store)}
    loads |= {n for s in walk(scope) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
    for statement in within_body(scope):
        for target, value in _pairs(statement):
            name, setting = dotted(target) or "", _setting(value)
            last = name.rpartition(".")[2]
            if setting is None or last.startswith("_") or _NO_NUMBERS.search(last) or _NO_NUMBERS.search(setting):
                continue
            own = name == f"self.{last}" and read and last not in read | _OF_KERAS
            if own or (isinstance(target, ast.Name) and isinstance(scope, FUNCTIONS) and name not in loads):
                yield Slip(
                    "setting-unread",
                    value.lineno,
                    f"`{name}` is set and never used",
                    f"The line reads `{ast.unparse(value)}` into `{name}`, and nothing in the program reads that: the "
                    "setting has no effect.",
                )
    yield from _replaced(scope)


def _pairs(statement: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, value), also of `a, b = x, y`."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield statement.target, statement.value
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            yield from zip(target.elts, value.elts, strict=True)
        else:
            yield target, value


def _setting(value: ast.expr) -> str | None:
    """The key of `cfg["rate"]`, `float(args.rate)`, `os.environ.get("RATE", 1)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _CONVERTS and value.args:
        return _setting(value.args[0])
    place = key_of(value)
    if place is None and isinstance(value, ast.Attribute) and (dotted(value) or "").startswith("self."):
        place = (dotted(value.value) or "", value.attr)
    found = place is not None and _SETTINGS.search(place[0].rpartition(".")[2])
    return place[1] if found and place is not None else None


def _replaced(scope: ast.AST) -> Iterator[Slip]:
    """`rate = cfg["rate"]`, and `rate = 0.01` before anything reads it."""
    for block in _blocks(scope):
        for number, statement in enumerate(block):
            for target, value in _pairs(statement):
                name, setting = dotted(target), _setting(value)
                if name is None or setting is None:
                    continue
                for later in block[number + 1 :]:
                    again = [v for t, v in _pairs(later) if dotted(t) == name]
                    if again and isinstance(again[0], ast.Constant) and again[0].value is not None:
                        yield Slip(
                            "setting-unread",
                            later.lineno,
                            f"`{name}` is {ast.unparse(again[0])} here, whatever `{ast.unparse(value)}` says",
                            f"Line {statement.lineno} reads the setting, and this line replaces it before it is used.",
                        )
                    root = name.split(".")[0]
                    if again or any(isinstance(n, ast.Name) and n.id == root for n in walk(later)):
                        break


def _blocks(scope: ast.AST) -> Iterator[list[ast.stmt]]:
    yield scope.body  # type: ignore[attr-defined]
    for node in within_body(scope):
        for part in ("body", "orelse"):
            block = getattr(node, part, None)
            if isinstance(block, list) and isinstance(node, ast.If | ast.With | ast.For | ast.While):
                yield block


def _words(tree: ast.Module) -> Iterator[str]:
    """The attributes that are read, but those of settings themselves, and the names that are imported or exported."""
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Store):
            if not _SETTINGS.search((dotted(node.value) or "").rpartition(".")[2]):
                yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.Assign) and dotted(node.targets[0]) == "__all__":
            yield from (n.value for n in nodes_of(node.value, ast.Constant) if isinstance(n.value, str))


@dataclass(frozen=True)
class _Callers:
    """The calls of a name, and whether it is handed on as a value."""

    calls: Sequence[ast.Call]
    handed_on: bool


def _arguments(trees: Mapping[str, ast.Module], read: set[str]) -> Iterator[tuple[str, Slip]]:
    """A parameter that a function never reads, or a constructor only keeps, where a caller gives it a setting."""
    functions = [(f, n) for f, tree in trees.items() for n in walk(tree) if isinstance(n, FUNCTIONS)]
    owners = {id(m): c for tree in trees.values() for c in nodes_of(tree, ast.ClassDef) for m in c.body}
    names = [n.name for _, n in functions]
    for file, function in functions:
        owner = owners.get(id(function))
        alone = function.name == "__init__" if owner is not None else names.count(function.name) == 1
        if not alone or function.decorator_list or _is_stub(function):
            continue
        callers = _callers(trees, owner.name if owner is not None else function.name)
        for name, line in _idle(function, read):
            given = [argument(call, function, name) for call in callers.calls]
            found = next((g for g in given if g is not None and _matters(g, owner is None)), None)
            if found is not None and not callers.handed_on and not _NO_NUMBERS.search(name):
                yield (
                    file,
                    Slip(
                        "setting-unread",
                        line,
                        f"Nothing uses the `{name}` that {function.name if owner is None else owner.name} takes",
                        f"Line {found.lineno} gives `{ast.unparse(found)}` for it, which has no effect.",
                    ),
                )


def _idle(function: ast.FunctionDef | ast.AsyncFunctionDef, read: set[str]) -> Iterator[tuple[str, int]]:
    """(parameter, line) of those that nothing reads, and of those that only go into an attribute that nothing reads."""
    loads = [n for n in nodes_of(function, ast.Name) if isinstance(n.ctx, ast.Load)]
    kept = {
        v.id: (t.attr, v.lineno)
        for s in function.body
        for t, v in _pairs(s)
        if isinstance(t, ast.Attribute) and isinstance(v, ast.Name)
    }
    stored = {last_name(t) for n in walk(function) for t, v in _pairs(n) if not isinstance(v, ast.Name)}
    for name in sorted(n for n in set(parameters(function)) - stored if not n.startswith("_")):
        times = sum(n.id == name for n in loads)
        if not times:
            yield name, function.lineno
        elif times == 1 and name in kept and kept[name][0] not in read | _OF_KERAS:
            yield name, kept[name][1]


def _is_stub(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return len(body) < 1 or isinstance(body[0], ast.Pass | ast.Raise)


def _callers(trees: Mapping[str, ast.Module], name: str) -> _Callers:
    nodes = [n for tree in trees.values() for n in walk(tree)]
    calls = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == name]
    called = {id(c.func) for c in calls}
    values = [
        n
        for n in nodes
        if isinstance(n, ast.Name | ast.Attribute)
        and last_name(n) == name
        and isinstance(n.ctx, ast.Load)
        and id(n) not in called
    ]
    return _Callers(calls, bool(values))


def _matters(given: ast.expr, plainly: bool) -> bool:
    """A setting; `plainly` also a number or a switch."""
    constant = isinstance(given, ast.Constant) and isinstance(given.value, bool | int | float)
    named = isinstance(given, ast.Name) and given.id.isupper()
    return (plainly and (constant or named)) or _setting(given) is not None


def _keys(tree: ast.Module, trees: Mapping[str, ast.Module]) -> Iterator[Slip]:
    """Numbers and switches of a dict or a class of settings that no line asks for, while it asks for most others."""
    words: dict[str, int] = {}
    for other in trees.values():
        for word in _asked(other):
            words[word] = words.get(word, 0) + 1
    for table in _tables(tree):
        idle = [(key, line) for key, line, plain in table if plain and words.get(key, 0) == 0]
        if len(table) < 4 or not idle or len(idle) > (1 - _SHARE) * len(table):
            continue
        for key, line in (i for i in idle if not _NO_NUMBERS.search(i[0])):
            fixed = _fixed(trees, key)
            yield Slip(
                "setting-unread",
                line,
                f"Nothing reads the setting `{key}`",
                f"The program reads the settings that stand beside it, and never this one: it has no effect.{fixed}",
            )


def _tables(tree: ast.Module) -> Iterator[list[tuple[str, int, bool]]]:
    """[(key, line, whether it is a number or a switch)] of each dict of settings, and of each class of them."""
    for node in walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            if any(_SETTINGS.search((dotted(t) or "").rpartition(".")[2]) for t in node.targets):
                pairs = zip(node.value.keys, node.value.values, strict=True)
                yield [(str(k.value), k.lineno, _plain(v)) for k, v in pairs if isinstance(k, ast.Constant)]
        elif isinstance(node, ast.ClassDef) and _CLASSES.search(node.name):
            fields = [f for f in node.body if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name)]
            yield [(last_name(f.target), f.lineno, f.value is not None and _plain(f.value)) for f in fields]


def _plain(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, bool | int | float)


def _asked(tree: ast.Module) -> Iterator[str]:
    """All names, attributes and texts but the keys of the dicts and the fields of classes of settings."""
    aside = {id(k) for n in nodes_of(tree, ast.Dict) for k in n.keys}
    for node in walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside:
            yield node.value
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Store):
            yield node.attr


def _fixed(trees: Mapping[str, ast.Module], key: str) -> str:
    """Where a call says a number for it."""
    for file, tree in trees.items():
        for node in nodes_of(tree, ast.Call):
            for k in node.keywords:
                if k.arg == key and isinstance(k.value, ast.Constant):
                    return f" {file}:{k.value.lineno} says `{key}={ast.unparse(k.value)}`."
    return ""
