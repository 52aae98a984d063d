"""Where a program takes the magnitude of a Fourier transform, and whether its zero frequency goes to the middle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.names import last_name, nodes_of, walk

_FORWARD = frozenset({"fft", "fft2", "fftn", "fft2d", "fft3d", "rfft2", "rfftn", "fftnd"})
_BACKWARD = frozenset({f"i{name}" for name in _FORWARD})
_CONJUGATES = frozenset({"conj", "conjugate", "rot90"})
_SIZES = frozenset({"abs", "absolute", "real", "hypot", "square"})


@dataclass(frozen=True)
class Spectrum:
    """A function that takes the magnitude of a transform; `line` is where a shift belongs."""

    file: str
    line: int
    function: str
    centred: bool


def spectra(trees: Mapping[str, ast.Module]) -> list[Spectrum]:
    """All of them; a function that transforms back is a filter, or a shift, and none."""
    return [s for file, tree in trees.items() for s in _of(file, tree)]


def not_centred(trees: Mapping[str, ast.Module]) -> list[Spectrum]:
    """Those that leave the zero frequency in the corner, in a program in which another one does not."""
    found = spectra(trees)
    return [s for s in found if not s.centred] if any(s.centred for s in found) else []


def conjugated(trees: Mapping[str, ast.Module]) -> list[tuple[str, int]]:
    """Where one side alone conjugates a wave, or mirrors a picture: (file, line), without what becomes of it a square
    of its size, and without functions that transform there and back.
    """
    found = []
    for file, tree in trees.items():
        filters = [
            f
            for f in walk(tree)
            if isinstance(f, ast.FunctionDef) and {last_name(n.func) for n in nodes_of(f, ast.Call)} & _BACKWARD
        ]
        squares = {id(n) for b in nodes_of(tree, ast.BinOp) if _is_square(b) for n in walk(b)}
        for node in walk(tree):
            turned = (isinstance(node, ast.Call) and last_name(node.func) in _CONJUGATES) or _mirrors(node)
            line = getattr(node, "lineno", 0)
            if turned and id(node) not in squares and not any(f.lineno <= line <= (f.end_lineno or 0) for f in filters):
                found.append((file, line))
    return list(dict.fromkeys(found))


def _is_square(node: ast.BinOp) -> bool:
    """`z * np.conj(z)`: both operands are of the same names."""
    one, other = ({n.id for n in nodes_of(side, ast.Name)} for side in (node.left, node.right))
    return isinstance(node.op, ast.Mult | ast.MatMult) and bool(one & other - {"np", "tf", "numpy"})


def _mirrors(node: ast.AST) -> bool:
    """`x[..., ::-1, ::-1]`."""
    parts = node.slice.elts if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else []
    return sum(isinstance(p, ast.Slice) and p.step is not None and ast.unparse(p.step) == "-1" for p in parts) > 1


def _of(file: str, tree: ast.Module) -> Iterator[Spectrum]:
    for function in nodes_of(tree, ast.FunctionDef):
        calls = list(nodes_of(function, ast.Call))
        names = {last_name(c.func) for c in calls}
        if names & _FORWARD and names & _SIZES and not names & _BACKWARD:
            first = next(c for c in calls if last_name(c.func) in _FORWARD)
            yield Spectrum(file, _line(function, first), function.name, "fftshift" in names)


def _line(function: ast.FunctionDef, call: ast.Call) -> int:
    """That of the transform; or, where its operand is shifted there already, of what takes its result."""
    inside = {last_name(n.func) for n in nodes_of(call, ast.Call)}
    if "ifftshift" not in inside:
        return call.lineno
    for statement in function.body:
        if statement.lineno > call.lineno and any(last_name(n.func) in _SIZES for n in nodes_of(statement, ast.Call)):
            return statement.lineno
    return call.lineno
