"""Making a graph smaller, or binding its batch: graph in, graph out."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .errors import Unsupported
from .inline import placeholder
from .ir import Graph, Input, Node, ancestors, split


def fix_batch(graph: Graph, batch: int) -> Graph:
    """Bind the batch: the leading None of each data input becomes `batch`.

    TensorFlow infers every other shape anew when the graph is imported. What was decided by shape while the
    function was traced stays as it was decided then: a graph traced with a static batch of 32 is not one of 16. If
    no input leaves its rows open and none has `batch` of them, this raises Unsupported.
    """
    data = [i for i in graph.inputs if i.role in ("argument", "data") and i.shape]
    bound = {
        i.name: dataclasses.replace(i, shape=(batch, *i.shape[1:])) for i in data if i.shape and i.shape[0] is None
    }
    check_rows(graph, batch)
    return graph.replace(
        nodes={**graph.nodes, **{name: placeholder(item) for name, item in bound.items()}},
        inputs=tuple(bound.get(i.name, i) for i in graph.inputs),
    )


def check_rows(graph: Graph, batch: int) -> None:
    """Raise Unsupported if no data input leaves its rows open and none has `batch` of them."""
    data = [i for i in graph.inputs if i.role in ("argument", "data") and i.shape]
    if data and all(i.shape and i.shape[0] not in (None, batch) for i in data):
        traced = ", ".join(f"{i.name} {list(i.shape or ())}" for i in data[:3])
        raise Unsupported(f"the graph was traced for a fixed batch ({traced}), not for {batch} rows")


def cut_name(tensor: str) -> str:
    """The input that `truncate` makes of a tensor that is given."""
    node, index = split(tensor)
    return f"{node}/__cut_{index}:0"


def truncate(graph: Graph, tensors: Sequence[str], nodes: Sequence[str] = (), cut: Sequence[str] = ()) -> Graph:
    """Keep the ancestors of `tensors` (the new outputs) and of `nodes` (which must run, without being fetched).

    The tensors of `cut` become inputs of role data under their own (escaped) name, so that what computes
    them falls away: a part can be run on values that are known. Inputs that nothing needs any more are
    dropped.
    """
    given = [t for t in dict.fromkeys(cut) if split(t)[0] not in {i.name for i in graph.inputs}]
    renamed = {t: cut_name(t) for t in given}
    keep = ancestors(graph, [t for t in tensors if t not in renamed], nodes, given)
    fresh: dict[str, Node] = {}
    inputs = [i for i in graph.inputs if i.name in keep]
    for tensor, name in renamed.items():
        item = Input(split(name)[0], graph.dtype(tensor), None, role="data", key=tensor)
        inputs.append(item)
        fresh[item.name] = placeholder(item)
    for name, node in graph.nodes.items():
        if name in keep:
            fresh[name] = Node(node.definition, tuple(renamed.get(t, t) for t in node.inputs), node.controls)
    return graph.replace(
        nodes=fresh,
        inputs=tuple(inputs),
        outputs=tuple(renamed.get(t, t) for t in tensors),
        controls=tuple(nodes),
    )
