"""Something that XLA can take in the place of an op that it cannot: of the same type and shape, and no constant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .evaluate import Activation
from .inline import make
from .ir import Graph, Node, ancestors, in_order, sources, split
from .leaves import AddUp, has_number
from .machine import Handle
from .reduced import constant

_DT_FLOAT, _DT_INT32 = 1, 3
_SIZES = 8


def without(body: Graph, node: str, seen: Activation) -> Graph | None:
    """A body without an op, whose numbers come from a stand-in; None where that cannot be done.

    Shapes are those of `seen`, the body by value. Integers that could be a shape keep the values that they have there;
    other numbers are made of what the op was given, so that nothing behind it is folded away as a constant. What is
    made of an op's text or resources falls with it.
    """
    nodes = dict(body.nodes)
    given = [t for t in body.nodes[node].inputs if has_number(body.dtype(t))]
    todo, done = [node], set()
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        outputs = seen.loaded.outputs(name)
        seen.compute([t for t in outputs if has_number(body.dtype(t))])
        made = _made(body, name, outputs, given, seen)
        if made is None:
            return None
        nodes.update(made)
        rest = {t for t in outputs if not has_number(body.dtype(t))}
        if rest & set(body.outputs):
            return None
        todo += [n for n, user in body.nodes.items() if rest & set(user.inputs)]
    kept = body.replace(nodes={n: nodes[n] for n in in_order(nodes, lambda n: sources(nodes[n]))})
    needed = ancestors(kept, kept.outputs, kept.controls) | {i.name for i in kept.inputs}
    return kept.replace(nodes={n: d for n, d in kept.nodes.items() if n in needed})


def _made(body: Graph, name: str, outputs: Iterable[str], given: list[str], seen: Activation) -> dict[str, Node] | None:
    """Nodes of which one has the name and the outputs of the op; none for an op that gives no numbers at all."""
    made: dict[str, Node] = {}
    parts: list[tuple[str, int]] = []
    for tensor in outputs:
        dtype = body.dtype(tensor)
        value = seen.values.get(tensor)
        if not has_number(dtype):
            continue
        if value is None or isinstance(value, Handle):
            return None
        part = f"{name}/__standin_{split(tensor)[1]}"
        made.update(_like(part, np.asarray(value), dtype, [(t, body.dtype(t)) for t in given]))
        parts.append((f"{part}:0", dtype))
    if not parts:
        return {}
    if len(parts) != len(list(outputs)):
        return None
    join = make("IdentityN", name)
    join.definition.attr["T"].list.type.extend(dtype for _, dtype in parts)
    return {**made, name: Node(join.definition, tuple(t for t, _ in parts))}


def _like(name: str, value: np.ndarray[Any, Any], dtype: int, given: list[tuple[str, int]]) -> dict[str, Node]:
    if value.dtype.kind in "iu" and value.ndim <= 1 and value.size <= _SIZES:
        return {name: constant(name, value, dtype)}
    adder = AddUp(f"{name}/__of")
    total = adder.total(given)
    cast = make("Cast", f"{name}/__cast")
    cast.definition.attr["SrcT"].type, cast.definition.attr["DstT"].type = _DT_FLOAT, dtype
    shape = constant(f"{name}/__shape", np.array(value.shape, np.int32), _DT_INT32)
    spread = make("BroadcastTo", name)
    spread.definition.attr["T"].type, spread.definition.attr["Tidx"].type = dtype, _DT_INT32
    nodes = [
        shape,
        Node(cast.definition, (total,)),
        Node(spread.definition, (f"{cast.name}:0", f"{shape.name}:0")),
    ]
    return {**adder.nodes, **{n.name: n for n in nodes}}
