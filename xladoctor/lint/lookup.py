"""What names and attributes stand for: things of the project, names of TensorFlow, attributes of `self`."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.lint.frames import Closure, External, Frame, Instance, Shape
from xladoctor.lint.project import Class, Function, Module, Symbol
from xladoctor.lint.results import WIDTHS, shape_of
from xladoctor.lint.values import STATIC, UNKNOWN, Content, Value
from xladoctor.sources.names import dotted

if TYPE_CHECKING:
    from xladoctor.lint.interpret import Interpreter

_STATIC_ATTRIBUTES = ("dtype", "ndim", "name", "device", "graph")


def top_level(run: Interpreter, name: str, module: Module) -> Value:
    """A name that no function binds: of the module, imported, or a builtin."""
    symbol = run.project.resolve(name, module)
    if symbol is not None:
        return _symbol(symbol)
    first, _, rest = name.partition(".")
    if first in module.values and not rest:
        return run.module_value(module, first)
    return UNKNOWN


def _symbol(symbol: Symbol) -> Value:
    if isinstance(symbol, Function):
        return Value(Content.STATIC, False, target=Closure(symbol))
    if isinstance(symbol, Class):
        return Value(Content.STATIC, False, target=symbol)
    if isinstance(symbol, str):
        last = symbol.rpartition(".")[2]
        width = last if last in WIDTHS and symbol.startswith(("tensorflow.", "numpy.")) else None
        return Value(Content.STATIC, False, target=External(symbol), width=width)
    return STATIC


def attribute(run: Interpreter, node: ast.Attribute, frame: Frame) -> Value:
    """`a.b`: through modules where `a` is one, else an attribute of a value."""
    name = dotted(node)
    if name is not None and frame.find(name.partition(".")[0]) is None:
        symbol = run.project.resolve(name, frame.module)
        if symbol is not None:
            return _symbol(symbol)
        value = _of_module(run, name, frame.module)
        if value is not None:
            return value
    return of_value(run, run.evaluate(node.value, frame), node.attr, node)


def _of_module(run: Interpreter, name: str, module: Module) -> Value | None:
    """`pkg.mod.NAME` where NAME is a value at the top level of a module, or `Class.NAME`, of the project."""
    head, _, last = name.rpartition(".")
    holder = run.project.resolve(head, module) if head else None
    if isinstance(holder, Module) and last in holder.values:
        return run.module_value(holder, last)
    if isinstance(holder, Class):
        for item in holder.node.body:
            if isinstance(item, ast.Assign) and any(isinstance(t, ast.Name) and t.id == last for t in item.targets):
                return run.evaluate(item.value, run.module_frame(holder.module))
    return None


def of_value(run: Interpreter, value: Value, name: str, node: ast.Attribute) -> Value:
    """An attribute of a value: of an instance, or of a tensor."""
    if isinstance(value.target, Instance):
        return _of_instance(run, value, value.target, name)
    if isinstance(value.target, Class):
        method = run.project.method(value.target, name)
        return Value(Content.STATIC, False, target=Closure(method)) if method else UNKNOWN
    if isinstance(value.target, External):
        return _symbol(f"{value.target.name}.{name}")
    if name == "shape" and value.tensor is not False:
        found = shape_of(value, "the shape", whole=True)
        static = Content.STATIC if not value.grown else Content.UNKNOWN
        return replace(found, content=static, tensor=False, target=Shape(value.rows, None))
    if name in _STATIC_ATTRIBUTES:
        return STATIC
    if name == "T":
        return replace(value, rows=None)
    return UNKNOWN


def _of_instance(run: Interpreter, value: Value, instance: Instance, name: str) -> Value:
    if not isinstance(instance.cls, Class):
        return UNKNOWN
    method = run.project.method(instance.cls, name)
    if method is not None:
        decorators = [dotted(d) or "" for d in getattr(method.node, "decorator_list", ())]
        if any(d.endswith(("property", "cached_property")) for d in decorators):
            return UNKNOWN
        bound = None if "staticmethod" in decorators else value
        return Value(Content.STATIC, False, target=Closure(method, None, bound))
    return run.self_attribute(instance.cls, name)
