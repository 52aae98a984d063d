"""Python's own functions and those of `math`, on numbers, texts, lists and dicts that are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xladoctor.blame import data, setting_files
from xladoctor.blame.arguments import Args, Kwargs
from xladoctor.blame.objects import Partial, Super, as_map
from xladoctor.blame.parts import counted
from xladoctor.blame.values import (
    Array,
    Class,
    Const,
    Dataset,
    Function,
    Instance,
    Library,
    Map,
    Seq,
    Value,
    number,
    text,
    unknown,
)

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

NAMES = frozenset(
    {
        "len", "range", "zip", "enumerate", "int", "float", "list", "tuple", "dict", "set", "sorted", "reversed",
        "min", "max", "sum", "abs", "round", "print", "super", "isinstance", "str", "map", "open", "next", "iter",
        "getattr", "hasattr", "slice", "bool", "any", "all", "type", "setattr", "filter", "input", "property", "vars",
        "divmod", "pow", "object",
    }
)  # fmt: skip
_LARGEST = 1 << 62
_LONGEST = 64


def call(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """What one of Python's own functions gives."""
    act = _ACTS.get(name)
    found = act(run, name, args, kwargs) if act is not None else None
    if found is None and name in NUMBERS:
        found = computed(run, name, args)
    if found is None and name in ("int", "float") and args:
        return Array((), run.origin("call", name, *args))
    return found if found is not None else unknown(*args)


# -- numbers ----------------------------------------------------------------------------------------------------------

NUMBERS: dict[str, Callable[..., Any]] = {
    "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "isqrt": math.isqrt, "log2": math.log2, "log": math.log,
    "log10": math.log10, "pow": pow, "gcd": math.gcd, "lcm": math.lcm, "abs": abs, "round": round, "int": int,
    "float": float, "exp": math.exp, "min": min, "max": max, "sum": sum, "prod": math.prod, "trunc": math.trunc,
    "rint": round, "fabs": abs, "divmod": divmod,
}  # fmt: skip
"""Functions of plain numbers, by their last name."""


def computed(run: Follower, name: str, args: Args) -> Value | None:
    """A function of known numbers, or of a list of them; None of anything else."""
    act = NUMBERS.get(name)
    given: list[Any] = []
    for value in args:
        if isinstance(value, Seq) and name in ("min", "max", "sum", "prod") and len(args) == 1:
            items = [item.value for item in value.items if isinstance(item, Const)]
            if len(items) < len(value.items) or value.count != len(items) or len(items) > _LONGEST:
                return None
            given.append(items)
        elif isinstance(value, Const):
            given.append(value.value)
        else:
            return None
    flat = [n for part in given for n in (part if isinstance(part, list) else [part])]
    if act is None or not flat or not all(isinstance(n, int | float) and abs(n) < _LARGEST for n in flat):
        return None
    if name == "pow" and not (abs(flat[0]) <= 1 << 20 and 0 <= flat[-1] <= 8):
        return None
    try:
        made = act(*given)
    except (ValueError, ArithmeticError, TypeError):
        return None
    if isinstance(made, tuple):
        return Seq([Const(n, run.origin("constant", name, *args)) for n in made])
    sources = [*args, *(i for a in args if isinstance(a, Seq) for i in a.items[:8])]
    return Const(made, run.origin("constant", name, *sources))


def _whole(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`int(x)`: the same number, or that of a text."""
    first = args[0] if args else Value()
    if isinstance(first, Const) and isinstance(first.value, str):
        said = first.value.strip()
        return Const(int(said), first.origin) if said.lstrip("-").isdigit() and len(said) < 16 else None
    if isinstance(first, Const) and isinstance(first.value, float) and name != "float" and abs(first.value) < _LARGEST:
        return Const(round(first.value) if name == "round" else int(first.value), first.origin, first.dim)
    return first if isinstance(first, Const) else None


def _least(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    if len(args) > 1 and all(number(a) is not None for a in args):
        return (min if name == "min" else max)(args, key=lambda a: number(a) or 0)
    return computed(run, name, args)


def _sum(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    return computed(run, name, args[:1])


# -- lists, dicts, objects --------------------------------------------------------------------------------------------


def _super(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    scope = next((c.scope for c in reversed(run.calls) if c.scope.find("__class__") is not None), None)
    cls = args[0] if args else scope.find("__class__") if scope is not None else None
    arguments = getattr(getattr(run.open_function, "args", None), "args", ())
    holder = args[1] if len(args) > 1 else None
    if holder is None and scope is not None:
        holder = scope.find(arguments[0].arg) if arguments else scope.find("self")
    if isinstance(cls, Class) and isinstance(holder, Instance | Class):
        return Super(holder, cls)
    return Library("super", holder)


def _length(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    value = args[0] if args else Value()
    if isinstance(value, Seq):
        return Const(value.count, value.origin) if value.count is not None else counted(run, value)
    if isinstance(value, Map) and value.items:
        return Const(len(value.items), value.origin)
    if isinstance(value, Const) and isinstance(value.value, str):
        return Const(len(value.value), value.origin)
    if isinstance(value, Array) and value.dims:
        return Const(value.dims[0].size, value.dims[0].origin, value.dims[0])
    if isinstance(value, Instance):
        count = value.cls.find("__len__")
        if isinstance(count, Function):
            return run.enter(Function(count.node, count.scope, value, count.owner), [], {})
    if isinstance(value, Const):
        run.refuse()
    return counted(run, value)


def _list(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    first = args[0] if args else Seq([])
    if name == "reversed" and isinstance(first, Seq) and first.count == len(first.items):
        return Seq(first.items[::-1], first.origin)
    if name == "list" and isinstance(first, Seq):
        return Seq(first.items, first.origin, first.length, first.is_open)
    if isinstance(first, Map):
        return Seq([Const(key, first.origin) for key in first.items], first.origin)
    return first if isinstance(first, Seq | Array | Dataset) else None


def deque(run: Follower, args: Args, kwargs: Kwargs) -> Value:
    """`deque(items, maxlen)`: it drops its first item for one too many."""
    first = args[0] if args else Seq([])
    made = Seq(first.items if isinstance(first, Seq) else [], run.origin("array", "deque", *args))
    made.is_open = not isinstance(first, Seq)
    made.most = number(args[1] if len(args) > 1 else kwargs.get("maxlen"))
    return made


def _next(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    first = args[0] if args else Value()
    return first.element if name == "next" and isinstance(first, Dataset) else first


def _dict(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    first = args[0] if args else None
    if isinstance(first, Seq):
        pairs = [i.items for i in first.items if isinstance(i, Seq) and len(i.items) == 2]
        return Map({k.value: v for k, v in pairs if isinstance(k, Const)} | kwargs)
    return Map({**(first.items if isinstance(first, Map) else {}), **kwargs})


def _slice(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    if not 0 < len(args) <= 2:
        return None
    return Library("slice", None, dict(zip(("upper",) if len(args) == 1 else ("lower", "upper"), args, strict=True)))


def _map(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`map(f, items)`."""
    from xladoctor.blame.expressions import call as called

    if len(args) != 2:
        return None
    over = args[1]
    made = [called(run, args[0], [item], {}) for item in data.items_of(over)[:_LONGEST]]
    if isinstance(over, Seq):
        return Seq(made, over.origin, over.length, over.is_open)
    return Seq(made, over.origin, None, True)


def _getattr(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    from xladoctor.blame.expressions import attribute

    named = text(args[1]) if len(args) > 1 else None
    if named is None:
        return None
    holder = args[0]
    if isinstance(holder, Instance) and named not in holder.names and holder.cls.find(named) is None and len(args) > 2:
        return args[2]
    return attribute(run, holder, named)


def _setattr(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    named = text(args[1]) if len(args) > 2 else None
    if named is not None and isinstance(args[0], Instance):
        args[0].names[named] = args[2]
    return Const(None)


def _vars(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    return as_map(args[0]) if args else None


def _text(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    first = args[0] if args else None
    if isinstance(first, setting_files.FileName):
        return first
    return Const(str(first.value), first.origin) if isinstance(first, Const) else None


_TYPES = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "tuple": tuple, "dict": dict}


def _type(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`type(x)` of a plain value, or of an object of the program."""
    first = args[0] if len(args) == 1 else None
    if isinstance(first, Instance):
        return first.cls
    known = isinstance(first, Const) and type(first.value).__name__ in _TYPES
    return Library(f"builtins.{type(first.value).__name__}") if isinstance(first, Const) and known else None


def _isinstance(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`isinstance(x, int)` of a plain value."""
    first, asked = args if len(args) == 2 else (None, None)
    kinds = asked.items if isinstance(asked, Seq) else [asked]
    names = [k.name.removeprefix("builtins.") for k in kinds if isinstance(k, Library)]
    if not isinstance(first, Const) or first.value is None or len(names) < len(kinds) or not set(names) <= set(_TYPES):
        return None
    return Const(isinstance(first.value, tuple(_TYPES[n] for n in names)))


def _open(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    return setting_files.named(run, args[:1]) if args and text(args[0]) is not None else None


_ACTS: dict[str, Callable[[Follower, str, list[Value], dict[str, Value]], Value | None]] = {
    "range": data.whole_range, "zip": data.take, "enumerate": data.take, "super": _super, "len": _length,
    "int": _whole, "round": _whole, "float": _whole, "min": _least, "max": _least, "sum": _sum,
    **dict.fromkeys(("list", "tuple", "sorted", "reversed", "set"), _list), "next": _next, "iter": _next,
    "dict": _dict, "slice": _slice, "map": _map, "getattr": _getattr, "setattr": _setattr, "vars": _vars,
    "str": _text, "open": _open, "type": _type, "isinstance": _isinstance,
}  # fmt: skip


# -- methods ----------------------------------------------------------------------------------------------------------


def of_list(holder: Seq, name: str, args: list[Value]) -> Value:
    """A method of a list."""
    if name == "append" and args and len(holder.items) < 4096:
        holder.items.append(args[0])
        if holder.most is not None:
            del holder.items[: max(len(holder.items) - holder.most, 0)]
    elif name == "extend" and args and isinstance(args[0], Seq):
        holder.items += args[0].items[:4096]
    elif name == "insert" and len(args) > 1 and number(args[0]) is not None:
        holder.items.insert(number(args[0]) or 0, args[1])
    elif name == "pop" and holder.items:
        at = number(args[0]) if args else -1
        return holder.items.pop(at if at is not None and -len(holder.items) <= at < len(holder.items) else -1)
    elif name == "reverse":
        holder.items.reverse()
    elif name == "clear":
        holder.items.clear()
    elif name == "copy":
        return Seq(holder.items, holder.origin, holder.length, holder.is_open)
    elif name == "index" and args and isinstance(args[0], Const):
        places = [i for i, v in enumerate(holder.items) if isinstance(v, Const) and v.value == args[0].value]
        return Const(places[0], holder.origin) if places else unknown(holder)
    return Const(None)


def of_dict(holder: Map, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of a dict, or of a namespace."""
    if name == "items":
        return Seq([Seq([Const(k), v]) for k, v in holder.items.items()])
    if name == "values":
        return Seq(list(holder.items.values()))
    if name == "keys":
        return Seq([Const(k) for k in holder.items])
    if name in ("get", "pop", "setdefault") and args and isinstance(args[0], Const):
        found = holder.items.get(args[0].value) or (args[1] if len(args) > 1 else Const(None))
        if name == "setdefault":
            holder.items[args[0].value] = found
        return found
    if name in setting_files.GETS:
        return setting_files.entry(holder, args, kwargs)
    if name == "update":
        holder.items |= {**(args[0].items if args and isinstance(args[0], Map) else {}), **kwargs}
        return Const(None)
    if name in ("copy", "_asdict"):
        return Map(dict(holder.items), holder.origin)
    return unknown(holder)


def of_text(holder: Const, name: str, args: Args) -> Value | None:
    """A method of a text that is known."""
    said = str(holder.value)
    if name == "split":
        words = said.split(text(args[0]) if args else None)
        return Seq([Const(word, holder.origin) for word in words[:_LONGEST]], holder.origin)
    if name in ("lower", "upper", "strip", "title") and not args:
        return Const(getattr(said, name)(), holder.origin)
    return None


def partial(run: Follower, args: Sequence[Value], kwargs: Kwargs) -> Value:
    """`functools.partial(f, ...)`."""
    return Partial(args[0], args[1:], kwargs) if args else Value()
