"""What a function of TensorFlow gives, in abstract values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xladoctor.lint import ops
from xladoctor.lint.frames import Shape
from xladoctor.lint.values import STATIC, UNKNOWN, Content, Size, Value, join, times

LITERAL = "literal"
"""The width of a Python float."""
INEXACT = "inexact"
"""What a Python float is that float32 does not have."""
Args = tuple[Value, ...]
Kwargs = Mapping[str, Value]


def result(op: str, at: str, args: Args, kwargs: Kwargs) -> Value:
    """The value of `tf.<op>(...)` where no Python function is among the arguments."""
    given = join(*args, *(v for k, v in kwargs.items() if k not in ("dtype", "name")), tensor=True)
    first = args[0] if args else kwargs.get("input", kwargs.get("tensor", kwargs.get("x", UNKNOWN)))
    where = f"tf.{op} in {at}"
    if op in ("shape", "size", "shape_n"):
        return shape_of(first, where, whole=op == "shape")
    if ops.is_static(op):
        return STATIC
    if op == "broadcast_dynamic_shape":
        return Value(min(given.content, Content.SHAPE), True, where)
    if not ops.computes(op):
        return UNKNOWN
    if op.startswith(ops.RANDOM_BEGIN) and op not in ("random.set_seed", "random.shuffle"):
        sizes = _first_of(args[0] if args else kwargs.get("shape"))
        return Value(Content.RUNTIME, True, where, rows=sizes)
    mask = args[1] if len(args) > 1 else kwargs.get("mask", UNKNOWN)
    if op == "boolean_mask" and mask.content == Content.STATIC:
        return replace(given, rows=None, size=None)  # how many rows it selects is known while tracing
    if op in ("where", "where_v2") and len(args) + len(kwargs) == 1:
        return Value(Content.RUNTIME, True, where, grown=where)
    if op in ops.GROWS:
        return Value(Content.RUNTIME, True, where, grown=where)
    if op in ("Variable", "Variable.from_value"):
        return Value(
            Content.ARGUMENT,
            True,
            f"the variable of {at}",
            rows=first.rows,
            width=_width(op, args, kwargs),
        )
    made = replace(given, rows=_rows(op, at, args, kwargs), width=_width(op, args, kwargs))
    if op in ("constant", "convert_to_tensor"):
        return replace(made, tensor=True, size=first.size, rounded=_rounded(args, kwargs, at), rows=_length(first))
    if op == "cast":
        return replace(made, size=first.size, boolean=False)
    if op.startswith(ops.REDUCTIONS_BEGIN):
        kept = _axis(args, kwargs)
        return replace(made, grown=made.grown if kept not in (None, 0) else None)
    if op in ("reshape", "ensure_shape", "scatter_nd", "broadcast_to") and not _has_minus_one(args, kwargs):
        return replace(made, grown=None)
    if op in ("matmul", "tensordot", "einsum"):
        return replace(made, boolean=False)
    return made


def shape_of(tensor: Value, where: str, whole: bool) -> Value:
    """`tf.shape(tensor)`; with `whole` false its element count."""
    content = Content.SIZE if tensor.grown else Content.SHAPE
    origin = f"{where} of what {tensor.grown} gives" if tensor.grown else where
    target = Shape(tensor.rows, tensor.grown) if whole else None
    return Value(content, True, origin, target=target)


def element(value: Value, index: int | None) -> Value:
    """One item of a list, a shape or a tensor; None for an index that is not a plain number."""
    if isinstance(value.target, Shape):
        if index == 0:
            return Value(value.content, value.tensor, value.origin, size=value.target.rows)
        content = Content.SHAPE if value.content == Content.SIZE else value.content
        return Value(content, value.tensor, value.origin)
    if value.items is not None:
        if index is not None and -len(value.items) <= index < len(value.items):
            return value.items[index]
        return value.all_items
    return replace(value, rows=None, size=None, items=None, target=None, grown=None)


def _rows(op: str, at: str, args: Args, kwargs: Kwargs) -> Size | None:
    first = args[0] if args else None
    if op in ("zeros", "ones", "fill"):
        return _first_of(first if first is not None else kwargs.get("shape", kwargs.get("dims")))
    if op in ("reshape", "broadcast_to"):
        shape = args[1] if len(args) > 1 else kwargs.get("shape")
        if shape is not None and shape.items and shape.items[0].size == -1:
            return f"rows(the reshape of {at})"  # some number, and no fixed one
        return _first_of(shape)
    if first is None:
        return None
    if op == "range":
        return first.size if len(args) == 1 else None
    if op == "transpose":
        order = args[1] if len(args) > 1 else kwargs.get("perm")
        return first.rows if order is not None and order.items and order.items[0].size == 0 else None
    if op == "expand_dims":
        return 1 if _axis(args, kwargs) == 0 else first.rows
    if op == "tile":
        return times(first.rows, _first_of(args[1] if len(args) > 1 else kwargs.get("multiples")))
    if op == "repeat":
        axis = kwargs.get("axis") or (args[2] if len(args) > 2 else None)
        repeats = args[1] if len(args) > 1 else kwargs.get("repeats")
        if axis is None or repeats is None or axis.size is None:
            return None
        return times(first.rows, repeats.size) if axis.size == 0 else first.rows
    if op == "stack":
        return len(first.items) if first.items and _axis(args, kwargs, 0) == 0 else None
    if op == "concat":
        parts = [item.rows for item in first.items or ()]
        if _axis(args, kwargs) != 0:
            return parts[0] if parts else None
        if parts and parts[0] is not None and all(part == parts[0] for part in parts):
            return times(parts[0], len(parts))
        return None
    if op.startswith(ops.REDUCTIONS_BEGIN):
        axis_number = _axis(args, kwargs)
        keeps = kwargs.get("keepdims", kwargs.get("keep_dims"))
        if axis_number == 0:
            return 1 if keeps is not None and keeps.size == 1 else None
        return first.rows if axis_number is not None else None
    if op in ("gather", "embedding_lookup", "nn.embedding_lookup"):
        indices = args[1] if len(args) > 1 else kwargs.get("indices")
        return indices.rows if indices is not None and "axis" not in kwargs else None
    if op in ops.KEEPS_ROWS:
        return broadcast_rows(*(a for a in args[:3] if a.tensor is not False))
    return None


def broadcast_rows(*values: Value) -> Size | None:
    """The rows of an element-wise result; None where one of the tensors has none that are known."""
    known = [value.rows for value in values if not (value.tensor is False and value.content == Content.STATIC)]
    more = [rows for rows in known if rows != 1]
    if not known or None in known:
        return None
    return 1 if not more else more[0] if all(rows == more[0] for rows in more) else None


def _first_of(shape: Value | None) -> Size | None:
    if shape is None:
        return None
    if shape.items:
        return shape.items[0].size if shape.items[0].size != -1 else None
    return shape.target.rows if isinstance(shape.target, Shape) else None


def _length(value: Value) -> Size | None:
    return len(value.items) if value.items is not None else value.rows


def _axis(args: Args, kwargs: Kwargs, default: int | None = None) -> int | None:
    found = args[1] if len(args) > 1 else kwargs.get("axis", kwargs.get("reduction_indices"))
    if found is None:
        return default
    if found.items:
        found = found.items[0]
    return found.size if isinstance(found.size, int) else None


def _has_minus_one(args: Args, kwargs: Kwargs) -> bool:
    shape = args[1] if len(args) > 1 else kwargs.get("shape")
    return shape is None or shape.items is None or any(item.size == -1 for item in shape.items)


WIDTHS = ("float16", "bfloat16", "float32", "float64")


def _named_width(value: Value | None) -> str | None:
    return value.width if value is not None and value.tensor is False and value.width in WIDTHS else None


def _width(op: str, args: Args, kwargs: Kwargs) -> str | None:
    """The float width of the result, where it is known."""
    asked = _named_width(kwargs.get("dtype"))
    if op == "cast":
        return _named_width(args[1] if len(args) > 1 else kwargs.get("dtype"))
    if op in ("constant", "convert_to_tensor", "Variable"):
        second = _named_width(args[1]) if len(args) > 1 and op != "Variable" else None
        if asked or second:
            return asked or second
        given = "dtype" in kwargs or (len(args) > 1 and op != "Variable")
        first = args[0] if args else kwargs.get("value", kwargs.get("initial_value"))
        if given or first is None:
            return None
        return "float32" if is_literal(first) else first.width
    if asked or "dtype" in kwargs:
        return asked
    if op in ("zeros", "ones"):
        return "float32" if len(args) < 2 else _named_width(args[1])
    if op.startswith(("reduce_", "nn.")) or op in _KEEPS_WIDTH:
        widths = {a.width for a in args if a.tensor}
        return widths.pop() if len(widths) == 1 else None
    return None


_KEEPS_WIDTH = ops.KEEPS_ROWS | frozenset(
    ["reshape", "transpose", "expand_dims", "squeeze", "tile", "matmul", "gather", "concat", "stack"]
)


def is_literal(value: Value) -> bool:
    """Whether it is a Python float, or a list with one in it: TensorFlow makes float32 of it."""
    return value.width == LITERAL or any(is_literal(item) for item in value.items or ())


def _inexact(value: Value) -> bool:
    return value.rounded == INEXACT or any(_inexact(item) for item in value.items or ())


def _rounded(args: Args, kwargs: Kwargs, at: str) -> str | None:
    first = args[0] if args else kwargs.get("value")
    if first is None or _width("constant", args, kwargs) != "float32" or not _inexact(first):
        return None
    return at
