"""A TensorArray that does not fit: the line that made it, found by following the source from there to the failure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.first_suspect import suspect_at
from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Diagnosis, Location
from xladoctor.recording.run import Recording
from xladoctor.sources.backward import Backward
from xladoctor.sources.flows import Flows
from xladoctor.sources.names import nodes_of, walk

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


def array_makers(recording: Recording, at: Location | None) -> tuple[Suspect, ...]:
    """The lines that made the array of a line which writes out of it, and that say its size: who of them is wrong, a
    worker cannot tell.
    """
    trees = program_of(recording, at.file) if at is not None else {}
    made = list(makers(trees, at)) if at is not None else []
    if not made or len(made) > _MOST:
        return ()
    sizes = [place for file, line in made for place in _sizes(trees, file, line)]
    told = [(*place, _REASON) for place in made] + [(*place, "It says the size of the TensorArray.") for place in sizes]
    return tuple(replace(suspect_at(recording, f, line, why), likeliness="possible") for f, line, why in told)


def _sizes(trees: dict[str, ast.Module], file: str, line: int) -> Iterator[tuple[str, int]]:
    """The statements that made the size which a call of `TensorArray` gives by a name or a call."""
    back = Backward(trees)
    call = back.call_at(file, line, _MAKER)
    size = next((k.value for k in call.keywords if k.arg == "size"), None) if call is not None else None
    if isinstance(size, ast.Name | ast.Call | ast.Attribute):
        yield from ((made.file, made.line) for made in list(back.steps(file, size))[:1])


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
        for node in nodes_of(module, ast.Call):
            if _is_maker(node.func):
                reached = flows.reached([node])
                if any(flows.holds(one, reached) for one in used):
                    yield file, node.lineno


def _is_maker(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
    return name == _MAKER
