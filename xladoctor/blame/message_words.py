"""What the words of a message ask for in the source: a tape that is asked twice, a wrapped function whose result has no
shape, a name that is fixed where it should be given, a parameter that nothing reads.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, names_in, nodes_of, parameters, walk

Finder = Callable[[ast.FunctionDef, re.Match[str]], Iterator[Found]]


def of_words(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    asked = [(find, said) for pattern, find in _ASKS if (said := pattern.search(crash.message[:6000]))]
    for file, tree in files.trees(f for f, _ in hops).items():
        functions = list(nodes_of(tree, ast.FunctionDef))
        found = [one for function in functions for find, said in asked for one in find(function, said)]
        found += [one for function in functions for one in _unread(function)]
        yield from conventions(file, found, hops)


def _calls(function: ast.FunctionDef, *names: str) -> list[ast.Call]:
    return [n for n in nodes_of(function, ast.Call) if last_name(n.func) in names]


def _tape_once(function: ast.FunctionDef, said: re.Match[str]) -> Iterator[Found]:
    for call in _calls(function, "GradientTape"):
        if keyword(call, "persistent") is None:
            yield call.lineno, 8.0, "The tape is asked for more than one gradient, and is not persistent."


def _unwatched(function: ast.FunctionDef, said: re.Match[str]) -> Iterator[Found]:
    """A tape that is asked for the gradient to a parameter which it does not watch."""
    watches, given = _calls(function, "watch"), set(parameters(function))
    asked = [c for c in _calls(function, "gradient") if len(c.args) > 1 and names_in(c.args[1]) & given]
    for call in _calls(function, "GradientTape") if asked and not watches else ():
        yield call.lineno, 7.8, "The tape watches variables alone: what is no variable has no gradient unless watched."


def _nested(function: ast.FunctionDef, said: re.Match[str]) -> Iterator[Found]:
    for call in _calls(function, "window") if not _calls(function, "flat_map", "interleave") else ():
        yield call.lineno, 8.0, "The windows are datasets of their own: `flat_map` makes tensors of them."


def _shapeless(function: ast.FunctionDef, said: re.Match[str]) -> Iterator[Found]:
    sets = _calls(function, "set_shape", "ensure_shape", "reshape")
    for call in _calls(function, "numpy_function", "py_function") if not sets else ():
        yield call.lineno, 8.0, "What it gives has no shape that is known, and none is set."


def _made_inside(function: ast.FunctionDef, said: re.Match[str]) -> Iterator[Found]:
    if function.name in ("__init__", "build", "build_model", "main"):
        return
    for call in _calls(function, "Variable", "Dense", "Conv2D", "Conv1D", "Embedding", "LayerNormalization"):
        yield call.lineno, 7.4, "It makes variables each time that it is called."


def _fixed_name(function: ast.FunctionDef, said: re.Match[str]) -> Iterator[Found]:
    for node in walk(function):
        value = node.value if isinstance(node, ast.keyword) and node.arg == "name" else None
        if isinstance(value, ast.Constant) and value.value == said[1]:
            yield value.lineno, 8.0, f"Each call of {function.name} makes a {said[1]!r}: names must differ."


def _any_channels(function: ast.FunctionDef, said: re.Match[str]) -> Iterator[Found]:
    for call in _calls(function, "decode_png", "decode_image", "decode_jpeg", "decode_bmp"):
        if keyword(call, "channels") is None and len(call.args) < 2:
            yield call.lineno, 8.6, "It keeps as many channels as each file has."


def _lacks_argument(function: ast.FunctionDef, said: re.Match[str]) -> Iterator[Found]:
    if function.name == said[1] and said[2] not in parameters(function) and function.args.kwarg is None:
        yield function.lineno, 7.6, f"It takes no `{said[2]}`, which it is given."


_ASKS: tuple[tuple[re.Pattern[str], Finder], ...] = (
    (re.compile("non-persistent GradientTape"), _tape_once),
    (re.compile(r"convert a value \(None\)|None values not supported"), _unwatched),
    (re.compile("_?VariantDataset|nested dataset"), _nested),
    (re.compile("unknown TensorShape|unknown rank"), _shapeless),
    (re.compile("singleton tf.Variable|tried to create variables"), _made_inside),
    (re.compile(r'The name "(\w+)" is used \d+ times'), _fixed_name),
    (re.compile(r"batch tensors with different shapes"), _any_channels),
    (re.compile(r"(?<!\w)(\w+)\(\) got an unexpected keyword argument '(\w+)'"), _lacks_argument),
)


# -- parameters that nothing reads ------------------------------------------------------------------------------------

_CONTRACT = frozenset(
    {"training", "mask", "y_true", "y_pred", "sample_weight", "input_shape", "shape", "inputs", "epoch", "logs", "seed",
     "rng", "dtype", "args", "kwargs", "config", "event", "step", "x", "y", "label", "labels", "target", "targets"}
)  # fmt: skip
"""Parameters that others ask for, read or not."""


_STARTS = frozenset({"arange", "linspace", "range"})
"""What gives the places where windows start: how far it goes is what a parameter that is not read may be for."""


def _unread(function: ast.FunctionDef) -> Iterator[Found]:
    """`def names(bands, extra): return [*bands, "ndvi"]`: nothing reads `extra`. Of a function of some lines that works
    something out; one that is overridden, or only stands for another, may well leave its parameters alone.
    """
    body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if function.decorator_list or function.args.vararg or (function.args.args[:1] and _is_method(function)):
        return
    read = {n.id for s in body for n in nodes_of(s, ast.Name)}
    left = [p for p in parameters(function) if p not in read | _CONTRACT and not p.startswith("_")]
    returns = [n for n in nodes_of(function, ast.Return) if n.value is not None]
    if len(left) == 1 and len(returns) == 1 and len(read) > 1:
        named = (n for n in nodes_of(function, ast.keyword) if n.arg == left[0])
        counts = (c for c in nodes_of(function, ast.Call) if last_name(c.func) in _STARTS)
        starts = next(counts, None)
        at = next((n.value.lineno for n in named), starts.lineno if starts is not None else returns[0].lineno)
        yield at, 7.0 if starts is None else 8.0, f"`{left[0]}`, which {function.name} is given, is not used."


def _is_method(function: ast.FunctionDef) -> bool:
    return function.args.args[0].arg in ("self", "cls")
