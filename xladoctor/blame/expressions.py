"""The value of an expression: names, arithmetic on sizes, attributes, subscripts and calls."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xladoctor.blame import library, objects, plain, setting_files, subscripts
from xladoctor.blame.arithmetic import binary, boolean, compare, one_number, truth, unary
from xladoctor.blame.recorded import with_shape, with_shape_after
from xladoctor.blame.values import (
    Array,
    Class,
    Const,
    Dataset,
    Dim,
    Function,
    Instance,
    Library,
    Map,
    ModuleValue,
    Origin,
    Scope,
    Seq,
    Value,
    array,
    number,
    unknown,
)
from xladoctor.sources.names import canonical

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_LONGEST = 4096


def value(run: Follower, node: ast.expr, scope: Scope) -> Value:
    """The value of an expression."""
    kind = _KINDS.get(type(node))
    return kind(run, node, scope) if kind is not None else Value()


def items(run: Follower, over: Value) -> list[Value]:
    """What a loop goes through: the items where they are known, else one that stands for all."""
    if isinstance(over, Seq):
        return over.items
    if isinstance(over, Map):
        return [Const(key) for key in over.items]
    if isinstance(over, Dataset):
        return [over.element]
    if isinstance(over, Array) and over.dims:
        return [Array(over.dims[1:], over.origin, over.kind)]
    if isinstance(over, Instance) and isinstance(
        act := over.cls.find("__iter__") or over.cls.find("__getitem__"), Function
    ):
        given: list[Value] = [] if over.cls.find("__iter__") is not None else [Value()]
        found = run.enter(Function(act.node, act.scope, over, act.owner), given, {})
        return [found] if given or isinstance(found, Instance) else items(run, found)
    return [unknown(over)]


def _defaulted(run: Follower, value: Value) -> Value:
    """A default that a call leaves as it is: the call might have said another."""
    if isinstance(value, Const) and number(value) is not None and value.origin is not None and run.calls:
        return Const(value.value, run.origin("argument", "a default", value))
    return value


def bind_arguments(
    run: Follower, node: ast.AST, given: Sequence[Value], kwargs: dict[str, Value], scope: Scope, traced: bool
) -> None:
    """Bind the parameters of a function to what is given, with the recorded shapes where the call is `traced`."""
    arguments: ast.arguments | None = getattr(node, "args", None)
    if arguments is None:
        return
    outer = scope.outer or scope
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip([p.arg for p in positional][::-1], arguments.defaults[::-1], strict=False))
    defaults |= {p.arg: d for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    rest = dict(kwargs)
    for i, parameter in enumerate([*positional, *arguments.kwonlyargs]):
        name = parameter.arg
        if i < len(given) and i < len(positional):
            found = given[i]
        elif name in rest:
            found = rest.pop(name)
        else:
            found = _defaulted(run, run.value(defaults[name], outer)) if name in defaults else Value()
        scope.names[name] = found = with_shape_after(run, found, scope.file, node, name)
        shape = scope.shapes.get(name)
        again = run.files.assigned_later(scope.file, scope.function, name, 0, scope.until)
        if shape is not None and traced and not again:
            scope.names[name] = with_shape(run, found, shape)
    if arguments.vararg is not None:
        scope.names[arguments.vararg.arg] = Seq(list(given[len(positional) :]))
    if arguments.kwarg is not None:
        scope.names[arguments.kwarg.arg] = Map(dict(rest))


# -- kinds of expressions ---------------------------------------------------------------------------------------------


def _constant(run: Follower, node: ast.Constant, scope: Scope) -> Value:
    shown = repr(node.value)[:40]
    return Const(node.value, Origin("constant", scope.file, node.lineno, shown))


def _name(run: Follower, node: ast.Name, scope: Scope) -> Value:
    found = scope.find(node.id)
    if found is not None:
        if isinstance(found, Const) and found.origin is not None and found.origin.line != node.lineno:
            run.reads.setdefault(found.origin, set()).add((scope.file, node.lineno))
        return found
    stars = scope.find("<star>")
    if isinstance(stars, Seq) and node.id not in plain.NAMES:
        for star in stars.items:
            if isinstance(star, Library) and library.known(f"{star.name}.{node.id}"):
                return Library(f"{star.name}.{node.id}")
    if node.id in plain.NAMES:
        return Library(f"builtins.{node.id}")
    if "." in node.id:
        return Library(node.id)  # a name that an edit to be tried was given
    if stars is None:
        run.refuse()  # it is bound later, if at all
    return Value()


def _attribute(run: Follower, node: ast.Attribute, scope: Scope) -> Value:
    holder = run.value(node.value, scope)
    said = setting_files.told(run, holder, node.attr) if node not in run.called else None
    found = said or attribute(run, holder, node.attr)
    if isinstance(holder, Instance | Map):
        run.holders[node] = holder
    if isinstance(node.value, ast.Name) and f"{node.value.id}.{node.attr}" in scope.shapes:
        known = array(found)
        if type(found) is Value or (isinstance(found, Array) and (known is None or known.dims is None)):
            return with_shape(run, found, scope.shapes[f"{node.value.id}.{node.attr}"])
    return found


_NUMBERS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


def attribute(run: Follower, holder: Value, name: str) -> Value:
    """An attribute of a value."""
    if isinstance(holder, Library) and holder.bound is None:
        if (holder.name, name) == ("sys", "argv"):
            return objects.of_command(run)
        if holder.name in ("numpy", "math") and name in _NUMBERS:
            return Const(_NUMBERS[name], run.origin("constant", name))
        return Library(canonical(f"{holder.name}.{name}"), None, holder.settings) if holder.name else Value()
    if isinstance(holder, ModuleValue):
        return holder.scope.names.get(name) or Value()
    if isinstance(holder, Instance):
        return objects.of_instance(run, holder, name)
    if isinstance(holder, Class):
        found = holder.find(name)
        return objects.bound(found, holder) if found is not None else Value()
    if isinstance(holder, objects.Super):
        return holder.find(name) or Library(name, holder)
    if isinstance(holder, Map) and name in holder.items:
        return holder.items[name]
    if name == "T" and subscripts.is_no_array(holder):
        run.refuse()
    found = library.attribute(run, holder, name)
    return found if found is not None else Library(name, holder)


def _tuple(run: Follower, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Value:
    found: list[Value] = []
    for item in node.elts[:_LONGEST]:
        if isinstance(item, ast.Starred):
            inner = run.value(item.value, scope)
            if not isinstance(inner, Seq):
                return unknown(inner)
            found += inner.items
        else:
            found.append(run.value(item, scope))
    return Seq(found, Origin("array", scope.file, node.lineno, "a list"))


def _dict(run: Follower, node: ast.Dict, scope: Scope) -> Value:
    made = Map({}, Origin("array", scope.file, node.lineno, "a dict"))
    for key, item in zip(node.keys, node.values, strict=True):
        known = run.value(key, scope) if key is not None else None
        found = run.value(item, scope)
        if isinstance(known, Const):
            made.items[known.value] = found
        elif isinstance(known, Array):
            made.items[known] = found
        elif known is None and isinstance(found, Map):
            made.items |= found.items
    return made


def _choice(run: Follower, node: ast.IfExp, scope: Scope) -> Value:
    known = truth(run.value(node.test, scope))
    if known is None:
        one, other = run.value(node.body, scope), run.value(node.orelse, scope)
        return one if type(one) is not Value else other
    return run.value(node.body if known else node.orelse, scope)


def _subscript(run: Follower, node: ast.Subscript, scope: Scope) -> Value:
    holder = run.value(node.value, scope)
    if isinstance(holder, Map):
        run.holders[node] = holder
    said = None
    if type(holder) in (Value, setting_files.FileName) and isinstance(node.slice, ast.Constant | ast.Name):
        said = setting_files.told(run, holder, getattr(run.value(node.slice, scope), "value", None))
    return said or subscripts.subscript(run, holder, node.slice, scope)


def _call(run: Follower, node: ast.Call, scope: Scope) -> Value:
    run.called.add(node.func)
    called = run.value(node.func, scope)
    args: list[Value] = []
    for item in node.args:
        if isinstance(item, ast.Starred):
            inner = run.value(item.value, scope)
            args += inner.items if isinstance(inner, Seq) else [inner]
        else:
            args.append(run.value(item, scope))
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        found = run.value(keyword.value, scope)
        if keyword.arg is not None:
            kwargs[keyword.arg] = found
        elif isinstance(found, Map):
            kwargs |= {k: v for k, v in found.items.items() if isinstance(k, str)}
        elif isinstance(called, Function | Class):
            kwargs = setting_files.unpacked(run, called, found) | kwargs
    here = run.calls[-1]
    outer, here.node = (here.node, here.keywords), node
    here.keywords = {k.arg: k.value.lineno for k in node.keywords if k.arg is not None}
    try:
        return call(run, called, args, kwargs)
    finally:
        here.node, here.keywords = outer


def _passed(run: Follower, value: Value) -> Value:
    """An argument: a number that stands elsewhere is passed by this line, which a use of it may mean."""
    if isinstance(value, Const) and value.dim is None and number(value) is not None and value.origin is not None:
        here = run.origin("argument", "an argument", value)
        if here.line != value.origin.line:
            return Const(value.value, here)
    return value


def call(run: Follower, called: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """What a call gives."""
    if isinstance(called, Function):
        return run.enter(called, [_passed(run, a) for a in args], {k: _passed(run, v) for k, v in kwargs.items()})
    if isinstance(called, objects.Partial):
        return call(run, called.act, [*called.args, *args], {**called.kwargs, **kwargs})
    if isinstance(called, Class):
        args, kwargs = [_passed(run, a) for a in args], {k: _passed(run, v) for k, v in kwargs.items()}
        if objects.is_dict(called):
            return plain.call(run, "dict", args, kwargs)
        made = Instance(called, run.origin("layer", called.node.name, *args, *kwargs.values()))
        start = called.find("__init__")
        if isinstance(start, Function):
            run.enter(Function(start.node, start.scope, made, start.owner), args, kwargs)
        elif objects.is_record(called):
            objects.fill(run, made, args, kwargs)
        run.made.append(made)
        return made
    return library.call(run, called, args, kwargs)


def _comprehension(
    run: Follower, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope
) -> Value:
    inner = Scope(scope.file, scope.function, outer=scope)
    source = run.value(node.generators[0].iter, scope)
    over = items(run, source)
    if isinstance(source, Map):
        source = Seq(over, source.origin)
    elements: list[Value] = []
    keys: list[Value] = []
    result = node.value if isinstance(node, ast.DictComp) else node.elt
    is_open = isinstance(source, Seq) and source.is_open
    for item in over[:64]:
        run.assign(node.generators[0].target, item, inner)
        for more in node.generators[1:]:
            over_more = run.value(more.iter, inner)
            run.assign(more.target, next(iter(items(run, over_more)), unknown(over_more)), inner)
        tests = [truth(run.value(test, inner)) for test in node.generators[0].ifs]
        if False in tests:
            continue
        is_open |= None in tests or len(node.generators) > 1
        elements.append(run.value(result, inner))
        if isinstance(node, ast.DictComp):
            keys.append(run.value(node.key, inner))
    if isinstance(node, ast.DictComp):
        known = [key.value for key in keys if isinstance(key, Const) and isinstance(key.value, str | int)]
        if is_open or not isinstance(source, Seq | Map) or len(known) < len(elements) or len(over) > 64:
            return unknown(*elements)
        return Map(dict(zip(known, elements, strict=True)), Origin("array", scope.file, node.lineno, "a dict"))
    if isinstance(source, Array) and source.dims and len(elements) == 1:
        one = array(elements[0]) or one_number(result)
        if one is not None and one.dims is not None:
            rows = Dim(None, source.dims[0].origin) if is_open else source.dims[0]
            made = Array((rows, *one.dims), run.origin("array", "a list", one))
            made.inputs = (one,) if one.dims else ()
            return made
    if isinstance(source, Seq) or source is None:
        # A list of the same things, each cut or changed: what is in it is known where the first list is.
        passed = source.origin if isinstance(source, Seq) and len(elements) > 1 else None
        length = source.length if isinstance(source, Seq) and not any(g.ifs for g in node.generators) else None
        where = passed or Origin("array", scope.file, node.lineno, "a list")
        return Seq(elements, where, None if is_open else length, is_open)
    one = array(elements[0]) if elements else None
    return Array((Dim(None, source.origin), *(one.dims or ())), one.origin) if one is not None else unknown(*elements)


def _formatted(run: Follower, node: ast.JoinedStr, scope: Scope) -> Value:
    """`f"block{i}"`, where what it shows is known."""
    words: list[str] = []
    for part in node.values:
        plain_part = isinstance(part, ast.FormattedValue) and part.format_spec is None and part.conversion == -1
        found = run.value(part.value if isinstance(part, ast.FormattedValue) else part, scope)
        if not isinstance(found, Const) or not (plain_part or isinstance(part, ast.Constant)):
            return Value()
        words.append(str(found.value))
    return Const("".join(words), Origin("constant", scope.file, node.lineno, "a text"))


def _lambda(run: Follower, node: ast.Lambda, scope: Scope) -> Value:
    return Function(node, scope)


def _yield(run: Follower, node: ast.Yield, scope: Scope) -> Value:
    found = run.value(node.value, scope) if node.value is not None else Value()
    here = Origin("generator", scope.file, node.lineno, "a generator")
    scope.names["<yields>"] = Seq([found], here)
    return Value()


def _walrus(run: Follower, node: ast.NamedExpr, scope: Scope) -> Value:
    found = run.value(node.value, scope)
    run.assign(node.target, found, scope)
    return found


def _inner(run: Follower, node: ast.Await | ast.Starred | ast.YieldFrom, scope: Scope) -> Value:
    return run.value(node.value, scope)


_KINDS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.Set: _tuple,
    ast.Dict: _dict,
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: compare,
    ast.BoolOp: boolean,
    ast.IfExp: _choice,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Lambda: _lambda,
    ast.Yield: _yield,
    ast.NamedExpr: _walrus,
    ast.Await: _inner,
    ast.YieldFrom: _inner,
    ast.JoinedStr: _formatted,
}
