"""A canvas that is too small for the last of the patches that are put onto it: the line that works out its side."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from xladoctor.blame.crash import Crash, shortened
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.backward import Backward
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, nodes_of, walk

_MAKES = frozenset({"zeros", "ones", "empty", "full", "zeros_like"})
_LARGEST = frozenset({"max", "amax", "ptp", "reduce_max", "nanmax"})
_DEEP = 4


def of_canvas(crash: Crash, files: Files, names: Sequence[str]) -> Iterator[Candidate]:
    """The line that gives the side of an array whose slice `start:start + size` was cut off by its end, where an
    operand of that size is put there.
    """
    at = crash.at
    source = files.source(at.file) if at is not None else None
    if at is None or source is None or crash.slug != "broadcast-mismatch" or len(crash.shapes) < 2:
        return
    back = Backward(files.trees(names))
    for node in (n for n in walk(source.tree) if isinstance(n, ast.Assign | ast.AugAssign)):
        if not node.lineno <= at.line <= (node.end_lineno or node.lineno) or at.file not in back.trees:
            continue
        for target in [node.target] if isinstance(node, ast.AugAssign) else node.targets:
            found = _short(target, crash)
            if found is not None:
                axis, size, base = found
                yield from _sides(back, at.file, base, axis, size)


def _short(target: ast.expr, crash: Crash) -> tuple[int, ast.expr, ast.Name] | None:
    """(axis, size, canvas) of the slice of a canvas that has fewer elements than are put into it, but some."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return None
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    sliced = [(axis, size) for axis, part in enumerate(parts) if (size := patch_length(part)) is not None]
    short = shortened(crash)
    if short is None or len(sliced) <= short:
        return None
    axis, size = sliced[short]
    return axis, size, target.value


def patch_length(part: ast.expr) -> ast.expr | None:
    """`size` of `start:start + size`."""
    if not isinstance(part, ast.Slice) or part.lower is None or not isinstance(part.upper, ast.BinOp):
        return None
    own = part.upper
    same = isinstance(own.op, ast.Add) and ast.unparse(own.left) == ast.unparse(part.lower)
    return own.right if same else None


def _sides(back: Backward, file: str, canvas: ast.Name, axis: int, size: ast.expr) -> Iterator[Candidate]:
    for made in back.named(file, canvas)[:_DEEP]:
        call = made.value
        if not isinstance(call, ast.Call) or last_name(call.func) not in _MAKES or not call.args:
            continue
        shape = call.args[0]
        sides = shape.elts if isinstance(shape, ast.Tuple | ast.List) else []
        if len(sides) <= axis:
            continue
        for at, line, value in _made(back, made.file, sides[axis], _DEEP):
            odd = ast.unparse(value) != ast.unparse(size) and any(
                last_name(c.func) in _LARGEST for c in nodes_of(value, ast.Call)
            )
            text = ast.unparse(size)
            missing = odd and not any(ast.unparse(n) == text for n in walk(value) if not _is_divided(n, value))
            reason = (
                f"The slice of `{text}` that begins last ends behind it: the side of the canvas is worked out here."
            )
            yield Candidate(at, line, 8.6 if missing else 7.4, reason, None, "other", True)


def _is_divided(node: ast.AST, whole: ast.AST) -> bool:
    """Whether an expression is divided within another one: `inner // 2`."""
    return any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div | ast.FloorDiv) and n.left is node for n in walk(whole)
    )


def _made(back: Backward, file: str, node: ast.expr, deep: int) -> Iterator[tuple[str, int, ast.expr]]:
    """(file, line, expression) that works out a number: behind names and arguments."""
    found = back.named(file, node) if isinstance(node, ast.Name) else []
    for made in found if deep else []:
        yield from _made(back, made.file, made.value, deep - 1)
    if not found:
        yield file, node.lineno, node
