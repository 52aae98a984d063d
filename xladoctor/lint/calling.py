"""Calls: what is called, with what, and what comes back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.lint import ops
from xladoctor.lint.frames import Branch, Call, Closure, External, Frame, Instance, Partial
from xladoctor.lint.project import Class
from xladoctor.lint.results import LITERAL, element, result, shape_of
from xladoctor.lint.values import STATIC, UNKNOWN, Content, Value, differ, join, merge

if TYPE_CHECKING:
    from xladoctor.lint.interpret import Interpreter

Args = tuple[Value, ...]
Kwargs = dict[str, Value]

_PASS_ON = ("function", "recompute_grad", "custom_gradient", "autograph.experimental.do_not_convert", "no_gradient")
_LOOPS = {"map_fn": (0, "fn", 1, "elems"), "scan": (0, "fn", 1, "elems"), "foldl": (0, "fn", 1, "elems"),
          "foldr": (0, "fn", 1, "elems")}  # fmt: skip


def call(run: Interpreter, node: ast.Call, frame: Frame) -> Value:
    """The value of a call expression."""
    if isinstance(node.func, ast.Attribute) and _is_super(node.func.value):
        target = _inherited(run, node.func.attr, frame)
    else:
        target = run.evaluate(node.func, frame)
    args: list[Value] = []
    for argument in node.args:
        value = run.evaluate(argument, frame)
        if isinstance(argument, ast.Starred):
            args += value.items or (value,)
        else:
            args.append(value)
    kwargs = {keyword.arg or "**": run.evaluate(keyword.value, frame) for keyword in node.keywords}
    method_of = node.func.value if isinstance(node.func, ast.Attribute) and target.target is None else None
    if method_of is not None:
        return _method(run, node, method_of, args, kwargs, frame)
    return apply(run, target, tuple(args), kwargs, node, frame)


def apply(run: Interpreter, target: Value, args: Args, kwargs: Kwargs, node: ast.Call, frame: Frame) -> Value:
    """What `target` gives when it is called."""
    what = target.target
    if isinstance(what, Closure):
        if what.bound is not None:
            args = (what.bound, *args)
        return run.enter(what, args, kwargs, node, frame)
    if isinstance(what, Partial):
        return apply(run, what.target, (*what.args, *args), {**what.kwargs, **kwargs}, node, frame)
    if isinstance(what, Instance):
        return _call_instance(run, target, what, args, kwargs, node, frame)
    if isinstance(what, Class):
        _call_back(run, args, kwargs, node, frame)
        return Value(Content.STATIC, False, target=Instance(what))
    if isinstance(what, External):
        return _external(run, what.name, args, kwargs, node, frame)
    _call_back(run, args, kwargs, node, frame)
    if isinstance(node.func, ast.Name) and frame.find(node.func.id) is None and node.func.id in ops.BUILTIN_STATIC:
        return _builtin(node.func.id, args)
    return UNKNOWN


def _builtin(name: str, args: Args) -> Value:
    if name in ("list", "tuple") and args:
        return args[0]
    if name == "range" and any(value.tensor for value in args):
        # AutoGraph turns `for i in range(tensor)` into a loop in the graph.
        return join(*args)
    return STATIC


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _inherited(run: Interpreter, name: str, frame: Frame) -> Value:
    owner = frame.function.owner if frame.function else None
    for base in run.project.bases(owner) if owner else ():
        if isinstance(base, Class) and name in base.methods:
            this = frame.find("self")
            return Value(Content.STATIC, False, target=Closure(base.methods[name], None, this))
    return Value(Content.STATIC, False, target=External(f"super.{name}"))


def _call_instance(
    run: Interpreter, value: Value, what: Instance, args: Args, kwargs: Kwargs, node: ast.Call, frame: Frame
) -> Value:
    if isinstance(what.cls, Class):
        for name in ("call", "__call__"):
            method = run.project.method(what.cls, name)
            if method is not None:
                return run.enter(Closure(method), (value, *args), kwargs, node, frame)
    rows = args[0].rows if args and isinstance(what.cls, str) and what.cls.startswith("keras.layers.") else None
    return Value(Content.UNKNOWN, True, grown=join(*args).grown, rows=rows)


def _external(run: Interpreter, name: str, args: Args, kwargs: Kwargs, node: ast.Call, frame: Frame) -> Value:
    if name == "functools.partial" and args:
        return Value(Content.STATIC, False, target=Partial(args[0], args[1:], kwargs))
    op = ops.plain(name)
    if op is None:
        _call_back(run, args, kwargs, node, frame)
        if name.startswith("keras.") and name.rpartition(".")[2][:1].isupper():
            return Value(Content.STATIC, False, target=Instance(name))
        known = name.startswith(("math.", "numpy.")) and join(*args, *kwargs.values()).content == Content.STATIC
        return STATIC if known else UNKNOWN
    if op in _PASS_ON:
        made = args[0] if args else kwargs.get("func")
        return made if made is not None else Value(Content.STATIC, False, target=External(_IDENTITY))
    found = _CONTROL.get(op)
    if found is not None:
        value = found(run, args, kwargs, node, frame)
    elif op in _LOOPS:
        value = _each(run, op, args, kwargs, node, frame)
    else:
        if op not in ops.ON_HOST:
            _call_back(run, args, kwargs, node, frame)
        value = result(op, frame.at(node), args, kwargs)
    run.see(Call(node, frame, op, args, kwargs, value))
    return value


_IDENTITY = "tensorflow.function"


def _call_back(run: Interpreter, args: Args, kwargs: Mapping[str, Value], node: ast.Call, frame: Frame) -> None:
    """Follow the functions of the project that are handed to code that cannot be seen."""
    for value in (*args, *kwargs.values()):
        for item in (value, *(value.items or ())):
            if isinstance(item.target, Closure | Partial):
                apply(run, item, (), {}, node, frame)


def _get(args: Args, kwargs: Kwargs, at: int, *names: str) -> Value | None:
    if at < len(args):
        return args[at]
    return next((kwargs[name] for name in names if name in kwargs), None)


def _cond(run: Interpreter, args: Args, kwargs: Kwargs, node: ast.Call, frame: Frame) -> Value:
    test = _get(args, kwargs, 0, "pred") or UNKNOWN
    ways = [_get(args, kwargs, 1, "true_fn", "fn1"), _get(args, kwargs, 2, "false_fn", "fn2")]
    values = [apply(run, way, (), {}, node, frame) for way in ways if way is not None]
    if len(values) < 2:
        return join(test, *values, tensor=True)
    one, other = values
    both = merge(one, other)
    pairs = [(one, other)]
    if one.items is not None and other.items is not None:
        pairs = list(zip(one.items, other.items, strict=False))
    for left, right in pairs:
        run.see(Branch(node, frame, "", left, right))
    if differ(one.rows, other.rows):
        both = replace(both, grown=f"the tf.cond in {frame.at(node)}", rows=None)
    return both


def _while(run: Interpreter, args: Args, kwargs: Kwargs, node: ast.Call, frame: Frame) -> Value:
    state = _get(args, kwargs, 2, "loop_vars") or UNKNOWN
    turning = tuple(_turned(item, frame.at(node)) for item in state.items or (state,))
    for at, name in ((0, "cond"), (1, "body")):
        function = _get(args, kwargs, at, name)
        if function is not None:
            apply(run, function, turning, {}, node, frame)
    items = tuple(replace(item, origin=f"the loop of {frame.at(node)}") for item in turning)
    return Value(Content.RUNTIME, None, f"the loop of {frame.at(node)}", items=items) if state.items else turning[0]


def _turned(value: Value, at: str) -> Value:
    return replace(
        value, content=Content.RUNTIME, tensor=True, origin=f"the loop variable of {at}", size=None, items=None,
        target=None, rounded=None, width=value.width if value.width != LITERAL else None,
    )  # fmt: skip


def _each(run: Interpreter, op: str, args: Args, kwargs: Kwargs, node: ast.Call, frame: Frame) -> Value:
    at, name, elems_at, elems_name = _LOOPS[op]
    over = _get(args, kwargs, elems_at, elems_name) or UNKNOWN
    function = _get(args, kwargs, at, name)
    items = over.items or (over,)
    each = tuple(_turned(element(item, None), frame.at(node)) for item in items)
    given = each[0] if over.items is None else Value(Content.RUNTIME, False, each[0].origin, items=each)
    if function is not None:
        apply(run, function, (given,) if op == "map_fn" else (replace(given, rows=None), given), {}, node, frame)
    rows = over.rows if op in ("map_fn", "scan") else None
    return Value(Content.RUNTIME, True, f"tf.{op} in {frame.at(node)}", join(over).grown, rows=rows)


_CONTROL: dict[str, Callable[..., Value]] = {"cond": _cond, "while_loop": _while}


def _method(run: Interpreter, node: ast.Call, on: ast.expr, args: list[Value], kwargs: Kwargs, frame: Frame) -> Value:
    """A method of something that is no class of the project: mostly of a tensor."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    value = run.evaluate(on, frame)
    _call_back(run, tuple(args), kwargs, node, frame)
    if name in ("get_shape", "as_list", "with_rank"):
        if value.target is None:
            return replace(shape_of(value, "", whole=True), content=Content.STATIC, tensor=False, origin="")
        return value
    return UNKNOWN
