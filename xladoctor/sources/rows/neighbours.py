"""Trees and the like that are made of rows, and give the positions among these that are next to others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from xladoctor.sources.names import last_name
from xladoctor.sources.rows.values import Array, Call, Items, Named, Names, RowSet

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader

_TREES = frozenset({"BallTree", "KDTree", "cKDTree"})
_FITTED = frozenset({"NearestNeighbors"})
_ASKED = frozenset({"kneighbors", "query"})


def is_tree(held: Any) -> bool:
    """Whether it is one, or becomes one by its `fit`: a name such as `nn` is no module then."""
    fitted = isinstance(held, Call) and held.name in _FITTED
    return fitted or (isinstance(held, Named) and held.kind == "tree")


def neighbours(reader: Reader, node: ast.Call, held: Any, given: list[Any], named: Names, names: Names) -> Any:
    """`KDTree(x)`, `NearestNeighbors().fit(x)`, and what they say of other rows; None of any other call."""
    name = last_name(node.func)
    first = given[0] if given else named.get("X", named.get("data"))
    if isinstance(held, Named) and held.kind == "tree":
        return _nearest(held.values["rows"], named) if name in _ASKED else None
    fits = name == "fit" and isinstance(held, Call) and held.name in _FITTED
    if not isinstance(first, Array) or not (fits or name in _TREES):
        return None
    tree = Named({"rows": first}, {}, "tree")
    if fits and isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Call):
        reader.assign(node.func.value, tree, names, node)
    return tree


def _nearest(rows: Array, named: Names) -> Array | Items:
    at = Array(RowSet(), of=rows.rows)
    return at if named.get("return_distance") is False else Items([Array(RowSet()), at])
