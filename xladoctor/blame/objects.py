"""Objects that carry settings: records (data classes, named tuples), namespaces, options of a command line, functions
with some arguments given, and what a method finds in the classes above its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from xladoctor.blame import setting_files
from xladoctor.blame.arguments import Args, Kwargs, arg
from xladoctor.blame.values import (
    Class,
    Const,
    Function,
    Instance,
    Library,
    Map,
    Origin,
    Scope,
    Seq,
    Value,
    text,
    unknown,
)
from xladoctor.sources.names import last_name

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_RECORDS = frozenset({"dataclass", "define", "frozen", "attrs", "mutable"})
_BASES = frozenset({"NamedTuple", "BaseModel", "BaseSettings"})


class Partial(Value):
    """`functools.partial(f, ...)`: what is called, with the arguments that it has already."""

    def __init__(self, act: Value, args: Args, kwargs: Kwargs) -> None:
        super().__init__(act.origin)
        self.act = act
        self.args = list(args)
        self.kwargs = dict(kwargs)


class Super(Value):
    """`super()` in a method: the object, and the class whose bases are asked."""

    def __init__(self, holder: Value, cls: Class) -> None:
        super().__init__(holder.origin)
        self.holder = holder
        self.cls = cls

    def find(self, name: str) -> Value | None:
        """A method of the classes above."""
        for base in self.cls.bases:
            found = base.find(name) if isinstance(base, Class) else None
            if found is not None:
                return bound(found, self.holder)
        return None


class Options(Map):
    """An `ArgumentParser`: its options with their defaults, by the names of the attributes that they become."""

    def __init__(self, origin: Origin) -> None:
        super().__init__({}, origin)
        self.in_order: list[str] = []
        """The arguments that are given by their places."""
        self.alone: set[str] = set()
        """The options that take no value."""
        self.many: set[str] = set()
        """The arguments of `in_order` that take all that is left."""


def bound(found: Value, holder: Value) -> Value:
    """A function of a class as an attribute of one of its objects, or of the class, gives it."""
    if not isinstance(found, Function):
        return found
    decorators = {last_name(d) for d in getattr(found.node, "decorator_list", ())}
    if "staticmethod" in decorators:
        return found
    if "classmethod" in decorators:
        holder = holder.cls if isinstance(holder, Instance) else holder
    elif isinstance(holder, Class):
        return found
    return Function(found.node, found.scope, holder, found.owner)


def function_of(scope: Scope, name: str) -> Function | None:
    """The function of a qualified name, a method with an object of its class."""
    parts = [p for p in name.split(".") if p != "<locals>"]
    found = scope.names.get(parts[0]) if parts else None
    if isinstance(found, Class) and len(parts) == 2:
        method = found.find(parts[1])
        return Function(method.node, method.scope, Instance(found), found) if isinstance(method, Function) else None
    return found if isinstance(found, Function) and len(parts) == 1 else None


# -- records ----------------------------------------------------------------------------------------------------------


def is_record(cls: Class) -> bool:
    """Whether the class gets its constructor from its fields."""
    decorators = (d.func if isinstance(d, ast.Call) else d for d in cls.node.decorator_list)
    bases = {base.name.rpartition(".")[2] for base in _all_bases(cls)}
    return any(last_name(d) in _RECORDS for d in decorators) or bool(bases & _BASES)


def is_dict(cls: Class) -> bool:
    """Whether objects of the class are dicts whose keys may be read as attributes, and have nothing else."""
    own = all(name.startswith("__") for name in cls.names)
    return own and cls.library_base().rpartition(".")[2] in ("dict", "OrderedDict", "UserDict")


def _all_bases(cls: Class, far: int = 8) -> Iterator[Library]:
    for base in cls.bases:
        if isinstance(base, Library):
            yield base
        elif isinstance(base, Class) and far:
            yield from _all_bases(base, far - 1)


def _fields(cls: Class, far: int = 8) -> dict[str, Value | None]:
    """The fields in their order, with their defaults."""
    found: dict[str, Value | None] = {}
    for base in reversed(cls.bases):
        if isinstance(base, Class) and far:
            found |= _fields(base, far - 1)
    for statement in cls.node.body:
        target = statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(statement, ast.AnnAssign) and isinstance(target, ast.Name) and not _of_class(statement):
            found[target.id] = cls.names.get(target.id)
    return found


def _of_class(statement: ast.AnnAssign) -> bool:
    return "ClassVar" in ast.unparse(statement.annotation)


def fill(run: Follower, made: Instance, args: Args, kwargs: Mapping[str, Value]) -> None:
    """Give a new record its fields."""
    for i, (name, default) in enumerate(_fields(made.cls).items()):
        value = kwargs.get(name) or (args[i] if i < len(args) else None) or default
        made.names[name] = _copied(value) if value is not None else Value()
    after = made.cls.find("__post_init__")
    if isinstance(after, Function):
        run.enter(Function(after.node, after.scope, made, after.owner), [], {})


def _copied(value: Value) -> Value:
    """A default that each object has for itself."""
    if isinstance(value, Map):
        return Map(dict(value.items), value.origin)
    return Seq(value.items, value.origin, value.length, value.is_open) if isinstance(value, Seq) else value


def field(run: Follower, args: Args, kwargs: Kwargs) -> Value:
    """`field(default=..., default_factory=...)`."""
    from xladoctor.blame.expressions import call

    factory = kwargs.get("default_factory") or kwargs.get("factory")
    return call(run, factory, [], {}) if factory is not None else arg(args, kwargs, 0, "default") or Value()


def changed(holder: Value | None, kwargs: Kwargs) -> Value:
    """`dataclasses.replace(x, ...)`, `x._replace(...)`: a copy with other fields."""
    if isinstance(holder, Map):
        return Map({**holder.items, **kwargs}, holder.origin)
    if not isinstance(holder, Instance):
        return unknown(holder, *kwargs.values())
    made = Instance(holder.cls, holder.origin)
    made.names = {**holder.names, **kwargs}
    return made


def as_map(holder: Value | None) -> Value:
    """`vars(x)`, `x.__dict__`, `dataclasses.asdict(x)`, `x._asdict()`."""
    if isinstance(holder, Instance | Map):
        named = holder.names if isinstance(holder, Instance) else holder.items
        return Map({k: as_map(v) if isinstance(v, Instance) and is_record(v.cls) else v for k, v in named.items()})
    return unknown(holder)


# -- options of a command line ----------------------------------------------------------------------------------------


def of_options(run: Follower, holder: Options, name: str, args: Args, kwargs: Kwargs) -> Value:
    """A method of an `ArgumentParser`; what the command line said is not looked at, but for what it named."""
    if name in ("add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser"):
        return holder
    if name == "add_argument":
        flags = [said for a in args if (said := text(a)) is not None]
        own = text(kwargs.get("dest")) or next((f for f in flags if f.startswith("--")), flags[0] if flags else "")
        dest = own.lstrip("-").replace("-", "_")
        holder.items[dest] = _option(run, flags, kwargs)
        if not own.startswith("-"):
            holder.in_order.append(dest)
            holder.many |= {dest} if text(kwargs.get("nargs")) in ("*", "+") else set()
        if (text(kwargs.get("action")) or "store") not in ("store", "append", "extend"):
            holder.alone |= set(flags)
    elif name == "set_defaults":
        holder.items |= kwargs
    elif name == "parse_args":
        return _parsed(run, holder)
    elif name == "parse_known_args":
        return Seq([_parsed(run, holder), Seq([])])
    return Const(None)


def _parsed(run: Follower, holder: Options) -> Map:
    """The options, and the arguments that the command line gives by their places."""
    words = of_command(run)
    given = [text(word) or "" for word in words.items[1:]] if isinstance(words, Seq) else []
    after = [i for i, word in enumerate(given) if word.startswith("-") and "=" not in word and word not in holder.alone]
    left = [w for i, w in enumerate(given) if not w.startswith("-") and i - 1 not in after]
    origin = run.origin("argument", "the command line")
    named: dict[str, Value] = {}
    for i, name in enumerate(holder.in_order):
        if name in holder.many and isinstance(words, Seq):
            named[name] = Seq([Const(word, origin) for word in left[i:]], origin)
            break
        if i < len(left):
            named[name] = Const(left[i], origin)
    return Map({**holder.items, **named}, holder.origin)


def _option(run: Follower, flags: list[str], kwargs: Kwargs) -> Value:
    given = _on_the_line(run.crash.seen.argv, flags)
    default = kwargs.get("default")
    if given is not None:
        return Const(int(given) if given.isdigit() else given, run.origin("argument", f"{flags[-1]} {given}"))
    action = text(kwargs.get("action"))
    if default is None and action in ("store_true", "store_false"):
        return Const(action == "store_false", run.origin("constant", action))
    if isinstance(default, Const) and isinstance(default.value, str) and default.value.isdigit() and "type" in kwargs:
        return Const(int(default.value), default.origin)
    if default is None and run.crash.seen.argv and flags and flags[0].startswith("-"):
        return Const(None, run.origin("argument", "an option that was not given"))
    return default if default is not None else Value(run.origin("argument", "an option"))


def of_command(run: Follower) -> Value:
    """`sys.argv`: the script, and the words after it."""
    words = list(run.crash.seen.argv)
    at = next((i for i, word in enumerate(words) if word.endswith(".py") or word == "-m"), None)
    if at is None:
        return Value()
    origin = run.origin("argument", "the command line")
    return Seq([Const(word, origin) for word in words[at + (words[at] == "-m") :]], origin)


def _on_the_line(argv: tuple[str, ...], flags: list[str]) -> str | None:
    """What the command line gave for an option: `--width 32`, `--width=32`."""
    for i, word in enumerate(argv):
        head, _, value = word.partition("=")
        if head in flags and head.startswith("-"):
            return value or (argv[i + 1] if i + 1 < len(argv) and not argv[i + 1].startswith("--") else None)
    return None


def of_instance(run: Follower, holder: Instance, name: str) -> Value:
    """An attribute of an object of a class of the program."""
    if name in holder.names:
        return holder.names[name]
    if name == "__dict__":
        return as_map(holder)
    found = holder.cls.find(name)
    if isinstance(found, Function):
        decorators = {last_name(d) for d in getattr(found.node, "decorator_list", ())}
        got = bound(found, holder)
        return run.enter(got, (), {}) if _PROPERTIES & decorators and isinstance(got, Function) else got
    if (
        found is None
        and isinstance(act := holder.cls.find("__getattr__"), Function)
        and act.node is not run.open_function
    ):
        got = run.enter(Function(act.node, act.scope, holder, act.owner), [Const(name)], {})
        found = setting_files.told(run, got, name) or got
    return found if found is not None else Library(name, holder)


_PROPERTIES = frozenset({"property", "cached_property"})
