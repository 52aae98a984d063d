"""Keys of a file of settings that nothing reads, where the program has defaults without such a key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xladoctor.sources.files import Files
from xladoctor.sources.names import dotted, keyword, last_name, nodes_of, text_key, walk
from xladoctor.sources.setting_trees import is_settings
from xladoctor.sources.slips.options import meant
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, assigns

_NO_NUMBERS = re.compile(
    r"^[_$#]|(?:^|_)(?:seed|name|title|labels?|path|file|dir|folder|out|output|log|logs|verbose|quiet|debug|plot|version|id"
    r"|comment|comments|notes?|description|author|date|created|schema|threads?|workers|jobs|devices?|gpus?|dpi)(?:_|$)",
    re.I,
)
"""What may be left unread without another result."""
_UNKNOWN = re.compile(r"unknown|unrecogni[sz]ed|unexpected|unused|not a setting|no such|ignor", re.I)
_DEFAULTS = re.compile(r"default|(?:^|_)base(?:_|$)|preset", re.I)
_WHOLE = frozenset({"items", "keys", "values"})
_SHARE = 0.75
_Table = dict[str, tuple[ast.expr | None, int]]


def settings_of(files: Files, trees: Mapping[str, ast.Module], words: Sequence[str]) -> dict[str, ast.Module]:
    """{file: its tree} of the files of settings that the program's source or its command names."""
    found: dict[str, ast.Module] = {}
    for near, tree in trees.items():
        texts = (n.value for n in nodes_of(tree, ast.Constant) if isinstance(n.value, str) and len(n.value) < 200)
        for name in dict.fromkeys([*texts, *(w.partition("=")[2] or w for w in words)]):
            if is_settings(name) and "\n" not in name and (file := files.beside(name, near)) is not None:
                source = files.source(file)
                if source is not None:
                    found[file] = source.tree
    return found


def stray_settings(trees: Mapping[str, ast.Module], settings: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """(file of settings, slip) for each key without effect."""
    if not settings:
        return
    program = _program(trees)
    if program.by_made_up_names or program.tells:
        return
    tables = {file: _table(tree) for file, tree in settings.items()}
    present = {_same(k) for t in tables.values() for k, _, _ in _leaves(t, ())}
    asked = {k: v for k, v in program.asked.items() if _same(k) not in present}
    for file, table in tables.items():
        yield from _asked_otherwise(file, table, asked, program)
        others = [t for f, t in tables.items() if f != file]
        known = [d for d in (*program.defaults, *others) if _is_for(d, table)]
        for defaults in known:
            found = list(_stray(file, table, defaults, program, ()))
            yield from found
            if found:
                break


@dataclass(frozen=True)
class _Program:
    """What of a program's source says which keys it reads."""

    mentioned: frozenset[str]
    defaults: Sequence[_Table]
    whole: frozenset[str]
    """The sections that something goes over, or gets as keywords."""
    by_made_up_names: bool
    asked: _Table
    """What it asks for with a default."""
    tells: bool
    """It tells of keys that it does not know."""


def _program(trees: Mapping[str, ast.Module]) -> _Program:
    nodes = [n for tree in trees.values() for n in walk(tree)]
    functions = [n for n in nodes if isinstance(n, FUNCTIONS)]
    rest = {n.args.kwarg.arg for n in functions if n.args.kwarg is not None}
    own = {n.name for n in functions if n.args.kwarg is None} | {n.name for n in nodes if isinstance(n, ast.ClassDef)}
    keys = {id(k) for n in nodes if isinstance(n, ast.Dict) for k in n.keys}
    mentioned = {part for n in nodes if id(n) not in keys for part in _words(n)}
    whole: set[str] = set()
    values: dict[str, list[ast.expr]] = {}
    for target, value, _ in (a for tree in trees.values() for a in assigns(tree)):
        values.setdefault(dotted(target) or "", []).append(value)
    strange = False
    for node in nodes:
        for given in _taken_whole(node, own):
            whole |= _sections(given, values)
        for given in _handed_to_library(node, own):
            sections = _sections(given, values)
            whole |= sections
            strange = strange or not (sections or dotted(given) in rest)
        strange = strange or _is_made_up(node)
    if any(isinstance(n, ast.Call) and any(k.arg is None for k in n.keywords) for n in nodes):
        mentioned |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    tells = any(_UNKNOWN.search(t) and re.search(r"setting|option|key|param|config|field", t, re.I) for t in texts)
    return _Program(frozenset(mentioned), _defaults(nodes), frozenset(whole), strange, _asked(nodes), tells)


def _words(node: ast.AST) -> Iterator[str]:
    """The keys that a node may ask for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
        yield from (_same(part) for part in re.split(r"[./:]", node.value))
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield _same(node.attr)


def _same(key: str) -> str:
    return key.lower().lstrip("-").replace("-", "_")


def _taken_whole(node: ast.AST, own: set[str]) -> Iterator[ast.expr]:
    """What a node goes over, or hands on as keywords."""
    if isinstance(node, ast.For | ast.comprehension):
        yield node.iter
    elif isinstance(node, ast.Call):
        yield from (k.value for k in node.keywords if k.arg is None)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _WHOLE:
            yield node.func.value
        if not isinstance(node.func, ast.Name | ast.Attribute) or last_name(node.func) not in own:
            yield from (a for a in node.args if isinstance(a, ast.Subscript | ast.Attribute))


def _handed_to_library(node: ast.AST, own: set[str]) -> Iterator[ast.expr]:
    """`**given` of a call of something that is not the program's, and that may know more keys."""
    makes = own | {"dict", "update", "SimpleNamespace", "Namespace", "set_defaults", "merge"}
    if isinstance(node, ast.Call) and last_name(node.func) not in makes:
        yield from (k.value for k in node.keywords if k.arg is None)


def _sections(given: ast.expr, values: Mapping[str, Sequence[ast.expr]], depth: int = 3) -> set[str]:
    """The key by which an expression takes a section: `model` of `cfg["model"]`, also by a name that holds it."""
    if isinstance(given, ast.Call) and depth:
        method = given.func if isinstance(given.func, ast.Attribute) else None
        if last_name(given.func) in ("dict", "enumerate", "sorted", "list") and given.args:
            return _sections(given.args[0], values, depth - 1)
        if method is not None and method.attr in _WHOLE:
            return _sections(method.value, values, depth - 1)
        if method is not None and method.attr in ("get", "pop") and given.args:
            return {str(getattr(given.args[0], "value", ""))}
    if isinstance(given, ast.Name) and depth:
        return {k for v in values.get(given.id, ()) for k in _sections(v, values, depth - 1)}
    key = text_key(given) or (given.attr if isinstance(given, ast.Attribute) else "")
    return {key} if key else set()


def _is_made_up(node: ast.AST) -> bool:
    """`cfg[f"{part}_rate"]`: which keys are read cannot be told."""
    asked: ast.AST | None = None
    if isinstance(node, ast.Subscript):
        asked = node.slice
    elif isinstance(node, ast.Call) and last_name(node.func) in ("get", "getattr", "pop") and node.args:
        asked = node.args[min(1, len(node.args) - 1)] if last_name(node.func) == "getattr" else node.args[0]
    joined = isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.Add)
    return isinstance(asked, ast.JoinedStr) or (
        joined and any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in walk(asked))  # type: ignore[arg-type]
    )


def _defaults(nodes: Sequence[ast.AST]) -> list[_Table]:
    """Dicts that something merges by their names, and the fields of classes that `setattr` sets."""
    merged = {n for node in nodes for n in _merged(node)}
    calls = {last_name(n.func) for n in nodes if isinstance(n, ast.Call)}
    chosen = any(isinstance(i, ast.Compare) for n in nodes if isinstance(n, ast.DictComp) for i in n.generators[0].ifs)
    sets = chosen or not calls.isdisjoint({"setattr", "__setattr__"})
    found: list[_Table] = []
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(last_name(t) in merged or _DEFAULTS.search(last_name(t)) for t in targets):
                found.append(_pairs(node.value))
        elif isinstance(node, ast.Return) and len(_pairs(node.value)) > 2:
            found.append(_pairs(node.value))
        elif isinstance(node, ast.ClassDef) and sets:
            fields = [f for f in node.body if isinstance(f, ast.AnnAssign) and f.value is not None]
            found.append({last_name(f.target): (f.value, f.lineno) for f in fields})
    if any(last_name(n.func) == "set_defaults" and any(k.arg is None for k in n.keywords) for n in _calls(nodes)):
        options = [n for n in _calls(nodes) if last_name(n.func) == "add_argument" and n.args]
        names = [(_same(str(getattr(n.args[-1], "value", ""))), keyword(n, "default"), n.lineno) for n in options]
        found.append({name: (default, line) for name, default, line in names if name})
    return [f for f in found if f]


def _calls(nodes: Sequence[ast.AST]) -> Iterator[ast.Call]:
    return (n for n in nodes if isinstance(n, ast.Call))


def _merged(node: ast.AST) -> Iterator[str]:
    """The names of what is merged, copied, or given to a function of the program that does."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Call):
        if last_name(node.func) in ("update", "setdefault") and isinstance(node.func, ast.Attribute):
            given = [node.func.value]
        elif re.search(
            r"dict|copy|merge|update|ChainMap|create|override|combine|fill|with_defaults", last_name(node.func)
        ):
            given = [*node.args, *(k.value for k in node.keywords if k.arg is None)]
            given += [node.func.value] if isinstance(node.func, ast.Attribute) else []
    elif isinstance(node, ast.Dict):
        given = [v for k, v in zip(node.keys, node.values, strict=True) if k is None]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        given = [node.left, node.right]
    elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and last_name(node.iter.func) == "items":
        given = [node.iter.func.value] if isinstance(node.iter.func, ast.Attribute) else []
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Name):
        given = [node.value]
    for part in given:
        inner = part.args[0] if isinstance(part, ast.Call) and part.args else part
        yield last_name(inner)


def _table(tree: ast.Module) -> _Table:
    value = tree.body[0].value if tree.body and isinstance(tree.body[0], ast.Expr) else None
    return _pairs(value)


def _pairs(value: ast.expr | None) -> _Table:
    """{key: (value, line)} of `{"key": ...}` and `dict(key=...)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
        return {k.arg: (k.value, k.value.lineno) for k in value.keywords if k.arg is not None}
    pairs = zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
    return {k.value: (v, k.lineno) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)}


def _is_for(defaults: _Table, table: _Table) -> bool:
    """Whether defaults are those of a file: at least half of its keys are theirs."""
    same = {_same(k) for k in defaults} & {_same(k) for k in table}
    deep = any(isinstance(table[k][0], ast.Dict) for k in table if _same(k) in same)
    return len(same) * 2 >= len(table) and (len(same) > 1 or deep)


def _stray(
    file: str, table: _Table, defaults: _Table, program: _Program, above: tuple[str, ...]
) -> Iterator[tuple[str, Slip]]:
    known = {_same(k): v for k, v in defaults.items()}
    for key, (value, line) in table.items():
        there = known.get(_same(key))
        if there is not None:
            below = there[0]
            if _pairs(value) and _pairs(below) and key not in program.whole:
                yield from _stray(file, _pairs(value), _pairs(below), program, (*above, key))
            continue
        if _same(key) in program.mentioned or _NO_NUMBERS.search(key):
            continue
        open_ = [k for k in defaults if _same(k) not in {_same(t) for t in table}]
        near = next((k for k in open_ if meant(k, [key]) is not None), None)
        number = isinstance(value, ast.Constant) and isinstance(value.value, bool | int | float)
        share = sum(_same(k) in known for k in table) / len(table)
        if near is None and not (number and (above or share >= _SHARE) and len(known) > 1):
            continue
        yield file, _slip(line, (*above, key), near, value, defaults)


def _asked(nodes: Sequence[ast.AST]) -> _Table:
    """`cfg.get("rate", 0.1)`, `cfg.getfloat("fit", "rate", fallback=0.1)`."""
    found: _Table = {}
    for call in _calls(nodes):
        default = keyword(call, "fallback")
        if last_name(call.func) == "get" and len(call.args) == 2 and default is None:
            default, key = call.args[1], call.args[0]
        elif default is not None and last_name(call.func) in ("get", "getint", "getfloat", "getboolean") and call.args:
            key = call.args[-1]
        else:
            continue
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(default, ast.Constant):
            found[key.value] = (default, call.lineno)
    return found


def _leaves(table: _Table, above: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """(key, path, line) of all keys, those of sections, too."""
    for key, (value, line) in table.items():
        yield key, (*above, key), line
        yield from _leaves(_pairs(value), (*above, key))


def _asked_otherwise(file: str, table: _Table, asked: _Table, program: _Program) -> Iterator[tuple[str, Slip]]:
    """A key that nothing reads, where the program asks for one like it that no file has."""
    for key, path, line in _leaves(table, ()):
        if _same(key) in program.mentioned or _NO_NUMBERS.search(key) or set(path) & program.whole:
            continue
        near = next((k for k in asked if meant(k, [key]) is not None), None)
        if near is not None:
            default, at = asked[near]
            name = ".".join(path)
            yield (
                file,
                Slip(
                    "setting-unread",
                    line,
                    f"The setting `{name}` of the file has no effect: nothing reads it",
                    f"The program asks for `{near}` at line {at}, which the file does not have, and takes the default "
                    f"{ast.unparse(default) if default is not None else ''}. Was that meant by `{key}`?",
                ),
            )


def _slip(line: int, path: Sequence[str], near: str | None, value: ast.expr | None, defaults: _Table) -> Slip:
    name = ".".join(path)
    beside = ""
    if near is not None:
        default = defaults[near][0]
        text = f" = {ast.unparse(default)[:40]}" if isinstance(default, ast.Constant) else ""
        beside = f" The defaults have `{near}`{text}, which stays as it is. Was that meant?"
    said = f" {ast.unparse(value)[:40]}" if isinstance(value, ast.Constant) else ""
    return Slip(
        "setting-unread",
        line,
        f"The setting `{name}` of the file has no effect: nothing reads it",
        f"The file says `{path[-1]}`{said}. The defaults that it is merged into have no such key, and no line of the "
        f"program asks for one.{beside}",
    )
