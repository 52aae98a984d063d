"""Objects of the program's own classes, and pipelines of `tf.data` as far as their elements go."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xladoctor.sources.names import last_name
from xladoctor.sources.rows.values import Array, Items, Named, Names, Pipeline

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader

_SAME = frozenset({"batch", "cache", "prefetch", "repeat", "shuffle", "skip", "take", "with_options"})


def of_class(reader: Reader, kind: Named, given: list[Any], named: Names, names: Names) -> Named | None:
    """A new object of a class."""
    made = Named(dict(kind.values), kind.methods, "object")
    first = kind.methods.get("__init__")
    if first is not None:
        reader.call(first, [made, *given], named, names)
    else:
        made.values |= dict(zip(kind.fields, given, strict=False)) | {
            k: v for k, v in named.items() if k in kind.fields
        }
    return made


def method(reader: Reader, held: Named, name: str, given: list[Any], named: Names, names: Names) -> Any:
    """What a method of an object gives."""
    function = held.methods.get(name)
    if held.kind == "module":
        inner = held.values.get(name)
        if isinstance(inner, Named) and inner.kind == "class":
            return of_class(reader, inner, given, named, names)
        return reader.call(function, given, named, names) if function is not None else None
    inner = held.values.get(name)
    if function is None and isinstance(inner, Named) and inner.kind == "object":
        return method(reader, inner, "__call__", given, named, names)
    if function is None:
        known = name == "get" and given and isinstance(given[0], str) and not held.methods
        return held.values.get(given[0], given[1] if len(given) > 1 else None) if known else None
    static = any(last_name(d) == "staticmethod" for d in function.decorator_list)
    return reader.call(function, given if static else [held, *given], named, names)


def pipeline(value: Any) -> Pipeline | None:
    """A dataset of the rows of arrays."""
    parts = value.values if isinstance(value, Items) and value.block is None else [value]
    if not parts or not all(isinstance(p, Array) for p in parts):
        return None
    return Pipeline(tuple(Array(shape=p.shape[1:] if p.shape else None, small=p.small) for p in parts))


def mapped(reader: Reader, node: ast.Call, held: Pipeline, names: Names) -> Pipeline | None:
    """What a method of a dataset gives: another one."""
    name = last_name(node.func)
    if name in _SAME:
        return Pipeline(tuple(replace(p, shape=None) if isinstance(p, Array) else p for p in held.parts))
    function = node.args[0] if name == "map" and node.args else None
    own = (
        function
        if isinstance(function, ast.Lambda)
        else reader.functions.get(last_name(function))
        if function
        else None
    )
    if own is None:
        return None
    found = reader.call(own, list(held.parts), {}, names)
    return Pipeline(tuple(found.values)) if isinstance(found, Items) else Pipeline((found,))
