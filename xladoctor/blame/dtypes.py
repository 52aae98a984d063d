"""Where two types do not agree: the lines that write one of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from xladoctor.blame.crash import Crash
from xladoctor.blame.slices import Line
from xladoctor.blame.suspicion import Candidate
from xladoctor.model.element_types import spelled
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk

SLUG = "dtype-mismatch"
_TYPE = re.compile(
    r"\b(u?int(?:8|16|32|64)|float(?:16|32|64)|bfloat16|complex(?:64|128)|bool|double|string|half|float)\b"
)
_DOUBLE = frozenset({"float64", "complex128"})
_HALVES = (frozenset({"complex64", "complex128"}),)
_OF_PYTHON = {"float": "float64", "int": "int64", "complex": "complex128"}
_MAKES_DOUBLE = frozenset(
    {"rand", "randn", "random", "normal", "uniform", "zeros", "ones", "linspace", "load", "eye", "arange", "exp",
     "sqrt", "mean", "std", "array"}
)  # fmt: skip


def types_of(message: str) -> frozenset[str]:
    """The types that a message names, by one name each."""
    return frozenset(spelled(m[1]) for m in _TYPE.finditer(message[:4000]))


def of_types(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    types = types_of(crash.message)
    if crash.slug != SLUG or len(types) != 2:
        return
    # Next to its half, a double number is the stranger. Of a double part, `tf.complex` makes a double complex number.
    stranger = _DOUBLE if types in _HALVES else frozenset[str]()
    for file in dict.fromkeys(file for file, _ in hops):
        source = files.source(file)
        for node in walk(source.tree) if source is not None else ():
            at = (file, getattr(node, "lineno", 0))
            written = _written(node) if at in hops else None
            if written is not None and written in types | stranger:
                weight = 8.0 if written in stranger else 7.0
                yield Candidate(*at, weight, f"It makes {written} of what it is given.", None, "other", strong=True)
            elif at in hops and "float64" in types | {"complex128"} & types and _is_double(node):
                yield Candidate(
                    *at, 6.0, "NumPy makes float64 here, where no type is named.", None, "other", strong=True
                )


def _written(node: ast.AST) -> str | None:
    """The type that a call asks for."""
    if not isinstance(node, ast.Call):
        return None
    asked = [k.value for k in node.keywords if k.arg in ("dtype", "output_type", "out_type")]
    if last_name(node.func) in ("cast", "astype", "saturate_cast", "view"):
        asked += node.args[-1:]
    for value in asked:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return spelled(value.value)
        if isinstance(value, ast.Name):
            return _OF_PYTHON.get(value.id, value.id)
        if isinstance(value, ast.Attribute):
            return spelled(value.attr) if value.attr != "float" else "float64"
    return None


def _is_double(node: ast.AST) -> bool:
    """`np.random.randn(8)`: NumPy's own type, which nothing names."""
    if not isinstance(node, ast.Call) or last_name(node.func) not in _MAKES_DOUBLE:
        return False
    head = ast.unparse(node.func).partition(".")[0]
    return head in ("np", "numpy", "rng") and not any(k.arg == "dtype" for k in node.keywords)
