"""The two sides of a failure where the source shows no broken constraint: values whose shapes the message prints.

What was recorded of names, and what the source tells of the other expressions of the failing statement, is compared
with the two shapes, or the two sizes, that do not fit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from xladoctor.blame.crash import Crash, Sizes
from xladoctor.blame.indices import OF_VALUES
from xladoctor.blame.values import Array, Clash, Dataset, Dim, Layer, Model, Origin, Value, leaves, number
from xladoctor.sources.names import nodes_of, walk

if TYPE_CHECKING:
    from xladoctor.blame.arrivals import Arrival
    from xladoctor.blame.follow import Follower

_NONE = OF_VALUES | {"reshape-mismatch", "loop-shape-mismatch", "branch-shape-mismatch", "wrong-input-key"}
"""Classes whose numbers are no two sizes of axes."""
_RELATIONS = {"matmul-conv-mismatch": "inner", "broadcast-mismatch": "broadcast"}
_OF_NUMPY = "could not be broadcast together"
WHAT = "the failing line"
SEEN = "seen"
"""The hint of such a constraint: the source did not show it."""
Side = tuple[Value | None, int | None, Dim]


def apart(run: Follower, crash: Crash, arrival: Arrival | None) -> Clash | None:
    """The broken constraint as the message and the recording tell it; None where they tell no two sides."""
    if crash.slug in _NONE or not crash.frames:
        return None
    for one, other, axis in _pairs(crash):
        first, second = (_side(arrival, shape, axis) for shape in (one, other))
        if first is not None and second is None:
            second = _beside(arrival, first[0], other[axis], axis - len(other))
        elif second is not None and first is None:
            first = _beside(arrival, second[0], one[axis], axis - len(one))
        if first is None or second is None:
            first, second = _fed(arrival, one, other, axis) or (first, second)
        if _OF_NUMPY not in crash.message:  # no layer has a part in it
            first, second = first or _weights(run, one[axis]), second or _weights(run, other[axis])
        if first is not None and second is not None and _tells(first, second):
            stack = tuple((frame.file, frame.line) for frame in crash.frames)
            values = tuple(v for v in (first[0], second[0]) if v is not None)
            relation = _RELATIONS.get(crash.slug, "equal")
            return Clash(relation, WHAT, values, (first[1], second[1]), (first[2], second[2]), stack, SEEN)
    return None


def _tells(first: Side, second: Side) -> bool:
    """Whether something is known of where one of two different sides comes from."""
    return first[0] is not second[0] and any(side[2].origin is not None for side in (first, second))


def _pairs(crash: Crash) -> Iterator[tuple[Sizes, Sizes, int]]:
    """Two shapes of the message that differ at one axis, which they are said to do, and the axis from the first."""
    for one, other in zip(crash.shapes, crash.shapes[1:], strict=False):
        if len(one) != len(other):
            continue
        differ = [
            i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b and a is not None and b is not None
        ]
        if len(differ) == 1 or (differ and crash.slug == "broadcast-mismatch"):
            axis = differ[-1]
            if one[axis] in crash.sizes and other[axis] in crash.sizes:
                yield one, other, axis


def _side(arrival: Arrival | None, shape: Sizes, axis: int) -> Side | None:
    """A value of the failing statement with this shape, the last one to be made; else one of as many columns."""
    whole = getattr(arrival.statement, "value", None) if arrival is not None else None
    evaluated = reversed(arrival.values if arrival is not None else [])
    made = [_array(v) for node, found in evaluated if node is not whole for v in leaves(found)]
    known = [value for value in made if value is not None and value.dims is not None]
    alike = [value for value in known if value.sizes == shape]
    if not alike and axis:
        alike = [value for value in known if len(value.sizes) == len(shape) and value.sizes[1:] == shape[1:]]
    return next(((value, axis, value.dims[axis]) for value in alike if value.dims is not None), None)


def _fed(arrival: Arrival | None, one: Sizes, other: Sizes, axis: int) -> tuple[Side, Side] | None:
    """What a model declares and what it is given, where nothing is known of the shape of one of the two."""
    values = {id(node): value for node, value in arrival.values} if arrival is not None else {}
    calls = list(nodes_of(arrival.statement, ast.Call)) if arrival and arrival.statement else []
    for call in calls:
        holder = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        model, data = values.get(id(holder)), values.get(id(call.args[0])) if call.args else None
        wanted = (
            next((v for v in leaves(model.inputs) if isinstance(v, Array)), None) if isinstance(model, Model) else None
        )
        element = data.element if isinstance(data, Dataset) else data
        given = next(leaves(element), None)
        if wanted is None or given is None or wanted.dims is None or len(wanted.dims) != len(one):
            continue
        asked = wanted.dims[axis]
        size = other[axis] if asked.size == one[axis] else one[axis] if asked.size == other[axis] else None
        if size is not None and not _has_another(given, axis - len(one), size):
            return (given, axis, Dim(size, given.origin)), (wanted, axis, asked)
    return None


def _array(value: Value) -> Array | None:
    """A value, or what a model gives."""
    found = value.outputs if isinstance(value, Model) else value
    return found if isinstance(found, Array) else None


def _beside(arrival: Arrival | None, known: Value | None, size: int | None, axis: int) -> Side | None:
    """What the statement compares a value with: the other operand of its operator, or of its call."""
    values = {id(node): value for node, value in arrival.values} if arrival is not None else {}
    statement = arrival.statement if arrival is not None else None
    for node in walk(statement) if statement is not None else ():
        operands = _operands(node)
        given = [values.get(id(o)) for o in operands]
        if known is None or not any(v is known for v in given):
            continue
        for value in given:
            if value is not None and value is not known and not _has_another(value, axis, size):
                return value, axis, Dim(size, value.origin)
    return None


def _operands(node: ast.AST) -> Sequence[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    return [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else ()


def _has_another(value: Value, axis: int, size: int | None) -> bool:
    """Whether a value is known to have another size there, or is no array."""
    if isinstance(value, Array):
        return value.dims is not None and (len(value.dims) < -axis or value.dims[axis].size not in (None, size))
    return type(value) is not Value


def _weights(run: Follower, size: int | None) -> Side | None:
    """The only layer, or the last one of several, that was built with this size."""
    for made in reversed([m for m in run.made if isinstance(m, Layer)] if size is not None else []):
        wanted = next((w for name in _SIZED if number(w := made.settings.get(name)) == size), None)
        if wanted is not None and made.origin is not None:
            return made, None, Dim(size, _named(made.origin, wanted))
    return None


_SIZED = ("units", "filters", "kernel_size")


def _named(made: Origin, size: Value | None) -> Origin:
    own = size.origin if size is not None else None
    if own is None or (own.file, own.line) == (made.file, made.line):
        return made
    return Origin("layer", made.file, made.line, made.text, (own,))
