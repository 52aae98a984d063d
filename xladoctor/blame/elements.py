"""The elements of data that are not as the place that takes them has them: of another shape than the signature of their
generator declares, or of one part where two are taken.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import partial

from xladoctor.blame.crash import Crash
from xladoctor.model.blame import Edit
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk

YIELDED = re.compile(r"yielded an element of")
"""What is said of a generator whose elements are not as its signature declares: no model has met them yet."""
_APART = re.compile(r"Iterating over a symbolic|values to unpack")
_DECLARES = frozenset({"TensorSpec", "TensorShape", "RaggedTensorSpec"})

Found = tuple[int, float, str, Edit]
"""A line, the weight of the reason, the reason, and the kind of edit that would mend it."""


def finders(crash: Crash, files: Files) -> list[Callable[[ast.AST], Found | None]]:
    """What to ask each node for, where the failure is about elements."""
    parts = _parts(crash, files)
    of_shapes = [_yield, _declared] if YIELDED.search(crash.message) else []
    return [*of_shapes, *([partial(_single, parts=parts)] if parts else [])]


def _yield(node: ast.AST) -> Found | None:
    """What a generator yields, where that is not of the shape that its signature promises."""
    if isinstance(node, ast.Yield) and node.value is not None:
        return node.lineno, 8.0, "It yields elements of another shape than the signature of the dataset.", "expand"
    return None


def _declared(node: ast.AST) -> Found | None:
    """What the signature of a generator declares, where an element is not like it."""
    given = node.args[:1] if isinstance(node, ast.Call) and last_name(node.func) in _DECLARES else []
    if any(isinstance(shape, ast.Tuple | ast.List) and shape.elts for shape in given):
        return given[0].lineno, 7.6, "It declares the shape of elements, which are of another one.", "input-shape"
    return None


def _parts(crash: Crash, files: Files) -> int:
    """Into how many parts the failing line takes an element of the data apart; 0 where that is not what failed."""
    at = crash.at if _APART.search(crash.message) else None
    source = files.source(at.file) if at is not None else None
    for node in walk(source.tree) if source is not None else ():
        if (
            isinstance(node, ast.Assign)
            and at is not None
            and node.lineno == at.line
            and isinstance(node.value, ast.Name)
        ):
            return len(getattr(node.targets[0], "elts", ()))
    return 0


def _single(node: ast.AST, parts: int) -> Found | None:
    """`.map(lambda x: noisy(x))`, `from_tensor_slices(x)`: elements of one part where more are taken."""
    name = last_name(node.func) if isinstance(node, ast.Call) and node.args else ""
    if not isinstance(node, ast.Call) or name not in ("map", "from_tensor_slices"):
        return None
    given = node.args[0]
    made = given.body if isinstance(given, ast.Lambda) else given
    is_function = name == "map" and made is given
    if is_function or (isinstance(made, ast.Tuple) and len(made.elts) == parts):
        return None
    weight = 8.0 if name == "map" else 7.0
    return node.lineno, weight, f"It makes elements of one part, and {parts} are taken from each.", "other"
