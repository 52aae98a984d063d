"""Where two types do not agree: the lines that write one of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.operand_lines import double_operand
from xladoctor.blame.suspicion import Candidate
from xladoctor.model.element_types import spelled
from xladoctor.sources.files import Files
from xladoctor.sources.names import dotted, last_name, nodes_of, walk

SLUG = "dtype-mismatch"
_TYPE = re.compile(
    r"\b(u?int(?:8|16|32|64)|float(?:16|32|64)|bfloat16|complex(?:64|128)|bool|double|string|half|float)\b"
)
_RECEIVED = re.compile(r"^(?:Call a|A)rguments received by", re.MULTILINE)
_DOUBLE = frozenset({"float64", "complex128"})
_WIDTHS = (frozenset({"float32", "float64"}), frozenset({"complex64", "complex128"}))
_HALVES = (frozenset({"complex64", "complex128"}),)
_OF_PYTHON = {"float": "float64", "int": "int64", "complex": "complex128"}
_MAKES_DOUBLE = frozenset(
    {"rand", "randn", "random", "normal", "uniform", "zeros", "ones", "linspace", "load", "eye", "arange", "exp",
     "sqrt", "mean", "std", "array"}
)  # fmt: skip


_NUMPY_COMPLEX = "What it gives is NumPy's complex128, unless another type is named."
_TAKEN_OVER = "It takes over the type of what it is given: NumPy's is the double one unless another is named."
_DOUBLES = {"float32": "float64", "complex64": "complex128"}
"""The type that NumPy makes where no type is named, for that which TensorFlow makes."""


def types_of(message: str) -> frozenset[str]:
    """The types that a message names, by one name each; what a layer received as a whole is no part of it."""
    said = _RECEIVED.split(message[:4000], maxsplit=1)[0]
    return frozenset(spelled(m[1]) for m in _TYPE.finditer(said))


def of_types(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on; of two operands those of the double one, where it is known."""
    types = types_of(crash.message)
    if crash.slug != SLUG or len(types) != 2:
        return
    known = files.trees(f for f, _ in hops)
    double = double_operand(crash, files, known) if types in _WIDTHS else frozenset()
    found = list(_of_types(hops, crash, types, known, double))
    ours = [one for one in found if one.strong and (one.file, one.line) in double]
    made = any(one.reason == _NUMPY_COMPLEX for one in ours)
    for one in found:
        if made and one.reason == _TAKEN_OVER:
            # Another line of the program makes the double one.
            yield replace(one, weight=_STRONG)
            continue
        is_other = bool(ours) and (one.file, one.line) not in double
        yield replace(one, strong=False, weight=min(one.weight, _STRONG)) if is_other else one


def _of_types(
    hops: Mapping[Line, int],
    crash: Crash,
    types: frozenset[str],
    known: Mapping[str, ast.Module],
    double: frozenset[Line],
) -> Iterator[Candidate]:
    inside = crash.at is not None and crash.at.function.rpartition(".")[2] in ("call", "__call__", "build")
    mixed = list(_of_policy(known, inside)) if types & _HALF and "float32" in types else []
    if mixed and inside:
        mixed += _of_constants(known)
    for file, tree in known.items() if types in _HALVES else ():
        for line in _complex_results(tree):
            reason = _NUMPY_COMPLEX
            weight = 7.2 + (_OF_OPERAND if (file, line) in double else 0.0)
            yield from [Candidate(file, line, weight, reason, None, "other", True)] if (file, line) in hops else []
    for file, tree in known.items() if not mixed else ():
        cast = {id(n) for call in walk(tree) if _written(call) for n in walk(call)}
        for node in walk(tree):
            at = (file, getattr(node, "lineno", 0))
            found = _reason(node, types, id(node) in cast) if at in hops else None
            if found is not None:
                weight = found[0] + (_OF_OPERAND if at in double else 0.0)
                yield Candidate(*at, weight, found[1], None, "other", strong=found[0] >= _STRONG)
    yield from (one for one in mixed if (one.file, one.line) in hops)


def _reason(node: ast.AST, types: frozenset[str], is_cast: bool) -> tuple[float, str] | None:
    """What speaks against a node, with its weight."""
    # Next to its half, a double number is the stranger. Of a double part, `tf.complex` makes a double complex number.
    stranger = _DOUBLE if types in _HALVES else frozenset[str]()
    written = _written(node)
    if written is not None and written in stranger:
        return 8.0, f"It makes {written} of what it is given."
    if "string" in types and written != "string":
        return (6.0, "It takes the values as they are, also text.") if _is_as_it_is(node) else None
    if written in types:
        # What most of a program has is asked for on purpose.
        usual = _DOUBLES.get(written, "") in types
        return (4.0 if usual else 7.0), f"It makes {written} of what it is given."
    if "float64" in types and not is_cast and _is_double(node):
        return 6.0, "NumPy makes float64 here, where no type is named."
    if types in _WIDTHS and not is_cast and _takes_over(node):
        return 6.4, _TAKEN_OVER
    return None


_REAL = frozenset({"abs", "real", "imag", "angle", "conj", "sum", "mean", "max", "shape", "len"})


def _complex_results(tree: ast.Module) -> Iterator[int]:
    """The results of functions that make complex numbers of NumPy's by `1j`, as far as they name no type."""
    for function in nodes_of(tree, ast.FunctionDef):
        nodes = list(walk(function))
        heads = {(dotted(n.func) or "").partition(".")[0] for n in nodes if isinstance(n, ast.Call)}
        makes = any(isinstance(n, ast.Constant) and isinstance(n.value, complex) for n in nodes)
        if not makes or not heads & {"np", "numpy"} or heads & {"tf", "tensorflow"}:
            continue
        for value in [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]:
            is_real = isinstance(value, ast.Call) and last_name(value.func) in _REAL
            if not is_real and not any(_written(n) for n in walk(value)):
                yield value.lineno


_STRONG = 5.0
_OF_OPERAND = 1.2
"""What it counts more that a line makes the very operand whose type is the double one."""
_HALF = frozenset({"float16", "bfloat16"})
_POLICIES = ("mixed_float16", "mixed_bfloat16")


def _of_policy(known: Mapping[str, ast.Module], inside: bool) -> Iterator[Candidate]:
    """A policy of mixed precision, and the last layers of models, whose results have its type."""
    policies = [
        (file, node) for file, tree in known.items() for node in nodes_of(tree, ast.Constant)
        if node.value in _POLICIES
    ]  # fmt: skip
    for file, node in policies:
        said = f"With {node.value!r} the layers give 16 bits."
        yield Candidate(file, node.lineno, 6.8, said, None, "other", strong=True)
    for file, tree in known.items() if policies and not inside else ():
        for call in _last_layers(tree):
            reason = "It is the last layer of a model of mixed precision, and its type is not set to float32."
            yield Candidate(file, call.lineno, 7.4, reason, None, "other", strong=True)


def _of_constants(known: Mapping[str, ast.Module]) -> Iterator[Candidate]:
    """The constants that are made float32 by name: they stay so under any policy."""
    for file, tree in known.items():
        for node in walk(tree):
            makes = isinstance(node, ast.Call) and last_name(node.func) in ("constant", "convert_to_tensor", "Variable")
            if makes and isinstance(node, ast.Call) and _TYPE_NAME.search(ast.unparse(node).rpartition(",")[2]):
                said = "It is float32 under any policy, and the layers compute with 16 bits."
                yield Candidate(file, node.lineno, 7.4, said, None, "other", True)


_TYPE_NAME = re.compile(r"\bfloat32\b")


def _last_layers(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls that build the last layers of models, as far as they ask for no type."""
    assigned = {t.id: n.value for n in nodes_of(tree, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    for node in nodes_of(tree, ast.Call):
        if last_name(node.func) not in ("Model", "Sequential") or not node.args:
            continue
        last: ast.expr | None = node.args[-1]
        if isinstance(last, ast.List) and last_name(node.func) == "Sequential":
            last = last.elts[-1] if last.elts else None
        if isinstance(last, ast.Name):
            last = assigned.get(last.id)
        built = last.func if isinstance(last, ast.Call) and isinstance(last.func, ast.Call) else last
        if isinstance(built, ast.Call) and not any(k.arg in ("dtype", None) for k in built.keywords):
            yield built


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
    if isinstance(node, ast.Call) and last_name(node.func) == "to_categorical":
        return not _names_type(node)
    if not isinstance(node, ast.Call) or last_name(node.func) not in _MAKES_DOUBLE:
        return False
    head = ast.unparse(node.func).partition(".")[0]
    return head in ("np", "numpy", "rng") and not _names_type(node)


def _takes_over(node: ast.AST) -> bool:
    """`tf.constant(matrix)`: what NumPy made becomes a tensor of its type."""
    makes = isinstance(node, ast.Call) and last_name(node.func) in ("constant", "convert_to_tensor", "Variable")
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    literal = isinstance(given, ast.Constant | ast.List | ast.Tuple | ast.UnaryOp)
    literal = literal or any(_written(n) or _is_tensor(n) for n in walk(given or node))
    return makes and isinstance(node, ast.Call) and given is not None and not literal and not _names_type(node)


def _is_tensor(node: ast.AST) -> bool:
    """Whether a call gives a tensor: its type is TensorFlow's own."""
    return isinstance(node, ast.Call) and (dotted(node.func) or "").partition(".")[0] in ("tf", "tensorflow", "keras")


def _names_type(node: ast.Call) -> bool:
    """Whether a call names a type, by its name or after the values."""
    named = any(k.arg == "dtype" for k in node.keywords)
    later = (
        a.attr if isinstance(a, ast.Attribute) else a.value if isinstance(a, ast.Constant) else None
        for a in node.args[1:]
    )
    return named or any(isinstance(word, str) and _TYPE.fullmatch(word) is not None for word in later)


def _is_as_it_is(node: ast.AST) -> bool:
    """`table[column].to_numpy()`, `.values`: of text it makes an array of text."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("to_numpy", "tolist"):
        return isinstance(node.func.value, ast.Subscript) and not node.args and not node.keywords
    return isinstance(node, ast.Attribute) and node.attr == "values" and isinstance(node.value, ast.Subscript)
