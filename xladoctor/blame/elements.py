"""The elements of data that are not as the place that takes them has them: of another shape than the signature of their
generator declares, or of one part where two are taken.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import partial

from xladoctor.blame.crash import Crash, Sizes
from xladoctor.model.blame import Edit
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk

YIELDED = re.compile(r"yielded an element of")
"""What is said of a generator whose elements are not as its signature declares: no model has met them yet."""
_APART = re.compile(r"Iterating over a symbolic|values to unpack")
_SHAPES = re.compile(r"element of shape \(([^)]{0,200})\) where an element of shape \(([^)]{0,200})\)")
_AGREED, _PASSED = 4.5, 1.5
"""Less speaks against an end that a model agrees with, and against a line that passes on what a function made."""
_CONVERTS = frozenset({"astype", "array", "asarray", "float32", "int32", "constant", "reshape"})
_DECLARES = frozenset({"TensorSpec", "TensorShape", "RaggedTensorSpec"})

Found = tuple[int, float, str, Edit]
"""A line, the weight of the reason, the reason, and the kind of edit that would mend it."""


def finders(crash: Crash, files: Files, inputs: frozenset[Sizes]) -> list[Callable[[ast.AST], Found | None]]:
    """What to ask each node for, where the failure is about elements.

    `inputs` are the shapes that models are built for: what agrees with one of them is right.
    """
    said = _SHAPES.search(crash.message) if YIELDED.search(crash.message) else None
    yielded, declared = (_sizes(said[1]) in inputs, _sizes(said[2]) in inputs) if said is not None else (False, False)
    of_shapes: list[Callable[[ast.AST], Found | None]] = []
    if YIELDED.search(crash.message):
        of_shapes += [partial(_yield, weight=8.0 - _AGREED * (yielded and not declared))]
        of_shapes += [partial(_declared, weight=7.6 - _AGREED * (declared and not yielded))]
    parts = _parts(crash, files)
    return [*of_shapes, *([partial(_single, parts=parts)] if parts else [])]


def _sizes(text: str) -> Sizes:
    return tuple(int(n) if n.isdigit() else None for n in re.findall(r"\d+|None", text))


def _yield(node: ast.AST, weight: float) -> Found | None:
    """What a generator yields, where that is not of the shape that its signature promises."""
    if not isinstance(node, ast.Yield) or node.value is None:
        return None
    first = node.value.elts[0] if isinstance(node.value, ast.Tuple) and node.value.elts else node.value
    passed = _PASSED if isinstance(first, ast.Call) and isinstance(first.func, ast.Name | ast.Attribute) else 0.0
    passed = passed if last_name(getattr(first, "func", first)) not in _CONVERTS else 0.0
    reason = "It yields elements of another shape than the signature of the dataset."
    return node.lineno, weight - passed, reason, "expand"


def _declared(node: ast.AST, weight: float) -> Found | None:
    """What the signature of a generator declares, where an element is not like it."""
    given = node.args[:1] if isinstance(node, ast.Call) and last_name(node.func) in _DECLARES else []
    if any(isinstance(shape, ast.Tuple | ast.List) and shape.elts for shape in given):
        return given[0].lineno, weight, "It declares the shape of elements, which are of another one.", "input-shape"
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
