"""Lines that leave open how long something gets: where pieces of different lengths meet only as the program runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk

_PADS = {"to_tensor": "shape", "pad_sequences": "maxlen", "padded_batch": "padded_shapes"}
"""Functions that fill up to the longest one at hand, with the argument that says how long all shall be."""
_WEIGHT = 6.0


def of_open_lengths(hops: Mapping[Line, int], files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    for file, tree in files.trees(f for f, _ in hops).items():
        for node in walk(tree):
            at = (file, getattr(node, "lineno", 0))
            reason = _reason(node) if at in hops else None
            if reason is not None:
                yield Candidate(*at, _WEIGHT, reason, None, "other", True)


def _reason(node: ast.AST) -> str | None:
    if isinstance(node, ast.Call):
        wanted = _PADS.get(last_name(node.func))
        fixed = wanted is None or any(k.arg in (wanted, None) for k in node.keywords)
        if not fixed and not (wanted == "padded_shapes" and len(node.args) > 1):
            return f"It fills up to the longest element: without {wanted} the length differs."
        return None
    cut = node.value if isinstance(node, ast.Return | ast.Assign) else None
    part = cut.slice if isinstance(cut, ast.Subscript) else None
    if isinstance(cut, ast.Subscript) and last_name(cut.value) in ("shape", "sizes"):
        return None  # some axes of a shape, and no elements
    if isinstance(part, ast.Slice) and part.lower is None and part.step is None and _is_limit(part.upper):
        return f"It cuts to at most {ast.unparse(part.upper)[:40]}: shorter ones stay shorter." if part.upper else None
    return None


def _is_limit(upper: ast.expr | None) -> bool:
    return isinstance(upper, ast.Name | ast.Attribute | ast.Constant) and not (
        isinstance(upper, ast.Constant) and not isinstance(upper.value, int)
    )
