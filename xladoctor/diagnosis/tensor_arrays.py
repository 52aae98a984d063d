"""A TensorArray that does not fit: the line that made it, found by following the source from there to the failure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.first_suspect import suspect_at
from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.diagnosis import Diagnosis, Location
from xladoctor.recording.run import Recording
from xladoctor.sources.flows import Flows
from xladoctor.sources.names import walk

_MAKER = "TensorArray"
_REASON = "It makes the TensorArray."
_MOST = 2


def with_tensor_array(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with the makers of that array among the suspects; whether its size is wrong, or what is done with
    it, the source alone does not tell.
    """
    root = diagnosis.root
    at = (root.raised_at or root.location) if root is not None else None
    if root is None or at is None or root.slug != "tensor-array-size":
        return diagnosis
    made = list(makers(program_of(recording, at.file), at))
    if not made or len(made) > _MOST:
        return diagnosis
    mine = [replace(suspect_at(recording, *place, _reason(root.dims)), likeliness="possible") for place in made]
    known = {(s.location.file, s.location.line) for s in mine}
    rest = tuple(s for s in root.suspects if (s.location.file, s.location.line) not in known)
    blamed = replace(root, suspects=(*mine, *rest), location=at, raised_at=at)
    return diagnosis.with_finding(root, blamed)


def _reason(dims: tuple[object, ...]) -> str:
    return f"It makes the TensorArray, of size {dims[1]}." if len(dims) == 2 else _REASON


def makers(trees: dict[str, ast.Module], at: Location) -> Iterator[tuple[str, int]]:
    """(file, line) of each call of `TensorArray` whose result may be the object of a method that is called there."""
    tree = trees.get(at.file)
    used = [
        node.func.value
        for node in (walk(tree) if tree is not None else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and node.lineno <= (at.line or 0) <= (node.end_lineno or 0)
    ]  # fmt: skip
    flows = Flows(trees)
    for file, module in trees.items():
        for node in walk(module):
            if isinstance(node, ast.Call) and _is_maker(node.func):
                reached = flows.reached([node])
                if any(flows.holds(one, reached) for one in used):
                    yield file, node.lineno


def _is_maker(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
    return name == _MAKER
