"""What is known of a function's parameters, and small questions about syntax that the interpreter asks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xladoctor.lint import ops
from xladoctor.lint.frames import Frame, Instance
from xladoctor.lint.project import Function
from xladoctor.lint.values import STATIC, UNKNOWN, Content, Value
from xladoctor.sources.names import INNER, defaults, dotted, walk, within

if TYPE_CHECKING:
    from xladoctor.lint.interpret import Interpreter

_STATIC_NAMES = ("training", "name", "axis", "dtype", "cls")
_TENSOR_TYPES = ("Tensor", "TensorLike", "EagerTensor", "Variable", "KerasTensor")
_KERAS_METHODS = ("call", "train_step", "test_step", "predict_step")
_MAKE = frozenset(
    [
        "range",
        "fill",
        "zeros",
        "ones",
        "constant",
        "cast",
        "convert_to_tensor",
        "eye",
        "maximum",
        "minimum",
        "linspace",
        "TensorSpec",
    ]
)


def of_entry(function: Function) -> dict[str, Value]:
    """The parameters of a function that nobody is seen to call: tensors, where they are used as such."""
    arguments = function.node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    names: dict[str, Value] = {}
    by_default = defaults(function.node)
    for number, argument in enumerate(every):
        if number == 0 and function.owner is not None and argument.arg == "self":
            names["self"] = Value(Content.STATIC, False, target=Instance(function.owner))
            continue
        names[argument.arg] = _unknown_argument(function, argument, by_default.get(argument.arg), number)
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            names[extra.arg] = UNKNOWN
    return names


def _unknown_argument(function: Function, argument: ast.arg, default: ast.expr | None, number: int) -> Value:
    name = argument.arg
    said = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    is_tensor = (
        any(kind in said for kind in _TENSOR_TYPES)
        or (number == 1 and function.owner is not None and function.name.rpartition(".")[2] in _KERAS_METHODS)
        or _has_signature(function)
        or _used_as_tensor(function, name)
    )
    if is_tensor and not (said and not any(kind in said for kind in (*_TENSOR_TYPES, "Any"))):
        return Value(Content.ARGUMENT, True, f"the argument {name}", rows=f"rows({name})")
    if name in _STATIC_NAMES or said.split("|")[0].strip() in ("int", "float", "bool", "str"):
        return STATIC
    if isinstance(default, ast.Constant) and default.value is not None:
        return STATIC
    return UNKNOWN


def _has_signature(function: Function) -> bool:
    """Whether it is traced for tensors that are said beforehand: `@tf.function(input_signature=[...])`."""
    calls = [node for node in getattr(function.node, "decorator_list", ()) if isinstance(node, ast.Call)]
    return any(
        keyword.arg == "input_signature" and not isinstance(keyword.value, ast.Constant)
        for call in calls
        for keyword in call.keywords
    )


def _used_as_tensor(function: Function, name: str) -> bool:
    for node in walk(function.node):
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "dtype", "get_shape"):
            if isinstance(node.value, ast.Name) and node.value.id == name:
                return True
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            if isinstance(node.value, ast.Name) and node.value.id == name and _takes_axes(node.slice):
                return True
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
            op = ops.plain(function.module.full(node.func)) if node.args[0].id == name else None
            if op is not None and op.partition(".")[0] not in _MAKE:
                return True
    return False


def _takes_axes(index: ast.Tuple) -> bool:
    """`x[:, 0]`, `x[..., None]`: only arrays are indexed so."""
    return any(isinstance(part, ast.Slice) for part in index.elts)


def bound(
    run: Interpreter, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value], outer: Frame | None
) -> dict[str, Value]:
    """The parameters of a function that is called with these values; those not given have their defaults."""
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    names = {argument.arg: value for argument, value in zip(positional, args, strict=False)}
    for argument in (*positional, *arguments.kwonlyargs):
        if argument.arg in kwargs:
            names[argument.arg] = kwargs[argument.arg]
    if arguments.vararg is not None:
        rest = args[len(positional) :]
        names[arguments.vararg.arg] = Value(max((v.content for v in rest), default=Content.STATIC), False, items=rest)
    if arguments.kwarg is not None:
        names[arguments.kwarg.arg] = UNKNOWN
    frame = run.module_frame(function.module)
    frame.outer = outer
    by_default = defaults(function.node)
    for argument in (*positional, *arguments.kwonlyargs):
        if argument.arg not in names:
            default = by_default.get(argument.arg)
            names[argument.arg] = run.evaluate(default, frame) if default is not None else UNKNOWN
    return names


def assigned_in(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements assign, without those of functions in them."""
    own = (n for s in body if not isinstance(s, INNER) for n in within(s))
    return {n.id for n in own if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def is_eager_test(test: ast.expr) -> bool:
    """`tf.executing_eagerly()`: false in a graph."""
    return isinstance(test, ast.Call) and (dotted(test.func) or "").endswith("executing_eagerly")


def is_graph_test(test: ast.expr) -> bool:
    """`tf.inside_function()` or `not tf.executing_eagerly()`: true in a graph."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_eager_test(test.operand)
    return isinstance(test, ast.Call) and (dotted(test.func) or "").endswith("inside_function")


def is_first_time_test(test: ast.expr) -> bool:
    """A test that holds the first time only: `self.v is None`, `not self.built`, `not hasattr(self, "v")`."""
    if isinstance(test, ast.BoolOp):
        return any(is_first_time_test(value) for value in test.values)
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], ast.Is) and isinstance(test.comparators[0], ast.Constant)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
