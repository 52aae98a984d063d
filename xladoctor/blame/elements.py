"""The elements of data that are not as the place that takes them has them: of another shape than the signature of their
generator declares, or of one part where two are taken.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash, Sizes
from xladoctor.blame.suspicion import Candidate
from xladoctor.model.blame import Edit
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, nodes_of, walk

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
    made, asked = shapes_yielded(crash.message)
    yielded, declared = bool(made) and made in inputs, bool(asked) and asked in inputs
    of_shapes: list[Callable[[ast.AST], Found | None]] = []
    if YIELDED.search(crash.message):
        other = next((i for i, (a, b) in enumerate(zip(made, asked, strict=False)) if a != b), 0)
        of_shapes += [partial(_yield, weight=8.0 - _AGREED * (yielded and not declared), axis=other)]
        of_shapes += [partial(_declared, weight=7.6 - _AGREED * (declared and not yielded))]
    parts = _parts(crash, files)
    return [*of_shapes, *([partial(_single, parts=parts)] if parts else [])]


def _sizes(text: str) -> Sizes:
    return tuple(int(n) if n.isdigit() else None for n in re.findall(r"\d+|None", text))


def shapes_yielded(message: str) -> tuple[Sizes, Sizes]:
    """The shape of what a generator yields, and that which its signature declares; none where nothing is said of it."""
    said = _SHAPES.search(message) if YIELDED.search(message) else None
    return (_sizes(said[1]), _sizes(said[2])) if said is not None else ((), ())


def of_counts(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """A signature declares as many columns as there are names, `len(columns())`, and what is yielded has another
    number of them: the lines that put names into such a list by hand.
    """
    made, asked = shapes_yielded(crash.message)
    if len(made) != len(asked) or not made:
        return
    trees = files.trees(f for f, _ in hops)
    functions = [n for tree in trees.values() for n in nodes_of(tree, ast.FunctionDef)]
    calls = [list(nodes_of(f, ast.Call)) for f in functions]
    declaring = [c for own in calls if any(last_name(c.func) in _DECLARES for c in own) for c in own]
    counted = [c.args[0] for c in declaring if last_name(c.func) == "len" and c.args]
    lists = {last_name(c.func) if isinstance(c, ast.Call) else last_name(c) for c in counted}
    for file, tree in trees.items():
        for function in (n for n in nodes_of(tree, ast.FunctionDef) if n.name in lists):
            for node in walk(function):
                words = isinstance(node, ast.List | ast.Tuple) and node.elts and all(map(_is_word, node.elts))
                if words and isinstance(node, ast.expr) and (file, node.lineno) in hops:
                    reason = f"It names the columns by hand: there are {made}, and the signature has {asked}."
                    yield Candidate(file, node.lineno, 7.9, reason, None, "other", True)


def _is_word(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _yield(node: ast.AST, weight: float, axis: int) -> Found | None:
    """What a generator yields, where that is not of the shape that its signature promises; `axis`: the first where it
    is another.
    """
    if not isinstance(node, ast.Yield) or node.value is None:
        return None
    first = node.value.elts[0] if isinstance(node.value, ast.Tuple) and node.value.elts else node.value
    passed = _PASSED if isinstance(first, ast.Call) and isinstance(first.func, ast.Name | ast.Attribute) else 0.0
    passed = passed if last_name(getattr(first, "func", first)) not in _CONVERTS else 0.0
    cut = first
    while isinstance(cut, ast.Subscript) and isinstance(cut.slice, ast.Slice):
        cut = cut.value
    passed = 2 * _PASSED if axis and isinstance(cut, ast.Name) else passed  # rows are cut, and columns stay as they are
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
