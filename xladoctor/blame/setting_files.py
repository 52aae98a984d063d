"""Settings that a program reads from a file of its own (JSON, YAML, TOML, INI): the values that the file has now, each
from its own line.
"""

from __future__ import annotations

import ast
from posixpath import normpath
from typing import TYPE_CHECKING

from xladoctor.blame.arguments import Args, Kwargs
from xladoctor.blame.arrivals import Call
from xladoctor.blame.settings import LOOKS_UP, fields_of
from xladoctor.blame.values import Class, Const, Function, Map, Origin, Scope, Seq, Value, text, unknown

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_PARTS = frozenset({"parent", "parents"})
ABOVE = frozenset({"dirname"})
SAME = frozenset({"abspath", "realpath", "normpath", "expanduser", "fspath"})
"""Functions of a path whose result stands for the same file."""
OPENS = frozenset({"open", "read_text", "read", "resolve", "absolute", "expanduser"})
"""Methods of a path, or of an open file, that leave it standing for the file."""


class FileName(Const):
    """A path: the text of its last part, or of all, where that is known."""


def named(run: Follower, args: Args) -> Value:
    """`Path(...)`, `os.path.join(...)`, `open(...)`: the parts that are known, joined."""
    parts = [said for a in args if (said := text(a))]
    return _file("/".join(part.strip("/") if i else part for i, part in enumerate(parts)), _origin(args))


def _file(name: str, origin: Origin | None) -> FileName:
    """A path without the steps up that it begins with: the folder that it starts from is not known either."""
    plain = normpath(name) if name else ""
    while plain.partition("/")[0] in ("..", "."):
        plain = plain.partition("/")[2]
    return FileName(plain, origin)


def of_path(name: str, args: Args) -> Value | None:
    """A function of `os.path`: a folder whose name does not matter, or the same path; None for any other."""
    if name not in ABOVE | SAME or not args:
        return None
    known = text(args[0]) if name in SAME else None
    return FileName(known or "", args[0].origin)


def part(holder: Value, name: str) -> Value | None:
    """`path.parent`: a folder whose name does not matter."""
    return FileName("", holder.origin) if isinstance(holder, FileName) and name in _PARTS else None


def joined(left: Value, right: Value) -> Value | None:
    """`path / "settings.json"`."""
    if not isinstance(left, FileName):
        return None
    words = [said for value in (left, right) if (said := text(value))]
    return _file("/".join(words), left.origin or right.origin)


def loaded(run: Follower, args: Args) -> Value | None:
    """What `json.load(file)` or `tomllib.load(file)` gives; None where the file is not known, or may not be read."""
    said = text(args[0]) if args and isinstance(args[0], FileName) else None
    return _read(run, said) if said else None


def _read(run: Follower, name: str) -> Value | None:
    file = run.files.beside(name, run.calls[-1].file)
    source = run.files.source(file) if file is not None else None
    whole = source.tree.body[0] if source is not None else None
    return _evaluated(run, file, whole.value) if file is not None and isinstance(whole, ast.Expr) else None


def _evaluated(run: Follower, file: str, node: ast.expr) -> Value:
    scope = Scope(file, "<module>")
    run.calls.append(Call(file, scope))
    try:
        return run.value(node, scope)
    finally:
        run.calls.pop()


_OF_ARRAYS = frozenset({"shape", "size", "dtype", "ndim", "name", "T", "values", "columns", "index", "data", "item"})
"""Attributes that say more of arrays than of settings."""


def told(run: Follower, holder: Value, key: object) -> Value | None:
    """What the files of settings have for a key of something that nothing else tells: however it was read, and whatever
    was made of it. None where no file has it, or two say different things.
    """
    if type(holder) not in (Value, FileName) or not isinstance(key, str) or key in _OF_ARRAYS:
        return None
    own = run.files.beside(said, run.calls[-1].file) if (said := text(holder)) else None
    found = [s for s in run.settings.get(key, ()) if own in (None, s.file)]
    top = min((s.depth for s in found), default=0)
    nearest = [s for s in found if s.depth == top]
    if not nearest or len({ast.dump(s.value) for s in nearest}) > 1:
        return None
    return _evaluated(run, nearest[0].file, nearest[0].value)


def unpacked(run: Follower, called: Function | Class, holder: Value) -> dict[str, Value]:
    """What `f(**read)` gives a function, or the fields of a class, where the files of settings tell."""
    start = called.find("__init__") if isinstance(called, Class) else called
    arguments = getattr(getattr(start, "node", None), "args", None)
    names = fields_of(called.node) if isinstance(called, Class) and isinstance(called.node, ast.ClassDef) else []
    if isinstance(arguments, ast.arguments):
        names = [a.arg for a in (*arguments.args, *arguments.kwonlyargs)]
    return {name: said for name in names if (said := told(run, holder, name)) is not None}


def names_file(run: Follower, args: Args) -> FileName | None:
    """The file of settings that one of the arguments names: what a call makes of it stands for it."""
    for one in args:
        said = text(one)
        if said and run.settings and run.files.beside(said, run.calls[-1].file) is not None:
            return one if isinstance(one, FileName) else FileName(said, one.origin)
    return None


def asked(run: Follower, holder: Value, name: str, args: Args) -> Value | None:
    """A method of a path, or of something that nothing else tells: an entry, another file, or the same one."""
    if type(holder) not in (Value, FileName):
        return None
    entry_of = told(run, holder, getattr(args[0], "value", None)) if name in LOOKS_UP and args else None
    kept = (holder if name in OPENS else unknown(holder)) if isinstance(holder, FileName) else None
    return entry_of or names_file(run, args) or kept


class Parser(Map):
    """A `ConfigParser`: its sections with their entries."""


def of_parser(run: Follower, holder: Parser, name: str, args: Args, kwargs: Kwargs) -> Value | None:
    """A method of a `ConfigParser`; None for one of any dict."""
    if name in ("read", "read_file", "readfp"):
        given = [item for a in args[:1] for item in (a.items if isinstance(a, Seq) else [a])]
        for path in filter(None, map(text, given)):
            found = _read(run, path)
            holder.items |= found.items if isinstance(found, Map) else {}
        return Seq(given)
    if name == "sections":
        return Seq([Const(key) for key in holder.items])
    section = holder.items.get(said) if args and (said := text(args[0])) else None
    if not isinstance(section, Map):
        return None
    if name in ("items", "options"):
        rows = [Seq([Const(k), v]) if name == "items" else Const(k) for k, v in section.items.items()]
        return Seq(list(rows))
    return entry(section, args[1:], kwargs) if name in GETS and len(args) > 1 else None


GETS = frozenset({"get", "getint", "getfloat", "getboolean"})
"""Methods of a `ConfigParser`, or of one of its sections, that give an entry."""


def entry(section: Map, args: Args, kwargs: Kwargs) -> Value:
    """`section.getint("width", fallback=8)`."""
    key = args[0].value if args and isinstance(args[0], Const) else None
    found = section.items.get(key.lower() if isinstance(key, str) else key) or kwargs.get("fallback")
    return found or (args[1] if len(args) > 1 else Value(section.origin))


def _origin(args: Args) -> Origin | None:
    return next((a.origin for a in args if a.origin is not None), None)
