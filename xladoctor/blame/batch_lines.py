"""Where the source makes batches, and where it fixes their size: with the very check of `lint`, and a little more."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.lint.checks.partial_batch import batched, pin
from xladoctor.lint.project import Module, Project
from xladoctor.model.diagnosis import Location
from xladoctor.sources.names import names_in
from xladoctor.sources.source import Source

_MAKERS = frozenset(f"tensorflow.{name}" for name in ("range", "eye", "zeros", "ones", "fill"))
"""What makes a tensor of so many rows that comes of no data. Random numbers are left out: noise of a fixed size is
often meant.
"""
_BUFFERS = frozenset(
    f"{space}.{name}" for space in ("numpy", "tensorflow") for name in ("zeros", "ones", "empty", "full")
)
Line = tuple[Location, str, int | None]
"""Where, in words, and the number of rows, where that is a constant of the module."""


@dataclass(frozen=True)
class Lines:
    """Where the source makes batches that may end with a smaller one, and where it fixes their size."""

    batches: tuple[Line, ...] = ()
    pins: tuple[Line, ...] = ()
    buffers: tuple[Line, ...] = ()
    """Where a function that cuts a batch makes an array of as many rows as a whole one has."""


def lines_of(sources: list[Source]) -> Lines:
    """Both kinds of lines of these sources. What fixes a size by what it makes comes last."""
    project = Project(sources)
    batches: list[Line] = []
    pins: list[Line] = []
    alone: list[Line] = []
    buffers: list[Line] = []
    for module in project.modules:
        known = _constants(module)
        for call, inside in module.calls:
            name = inside.name if inside is not None else "<module>"
            place = Location(module.source.path, call.lineno, name)
            made = batched(call)
            if made is not None:
                batches.append((place, made[1], _number(made[0], known)))
            fixed = pin(module, call)
            if fixed is not None:
                pins.append((place, fixed[1], _number(fixed[0], known)))
            made_of = _made(module, call)
            if made_of is not None:
                alone.append((place, made_of[1], _number(made_of[0], known)))
        cuts = list(_cuts(module.source.tree))
        for line, size in cuts:
            text = f"a slice of {ast.unparse(size)} rows"
            batches.append((Location(module.source.path, line), text, _number(size, known)))
        buffers += _buffers(module, cuts, known)
    return Lines(tuple(batches), (*pins, *alone), tuple(buffers))


def _buffers(module: Module, cuts: list[tuple[int, ast.expr]], known: Mapping[str, int]) -> Iterator[Line]:
    for call, inside in module.calls:
        name = module.full(call.func) or ""
        rows = _rows(call)
        if inside is None or name not in _BUFFERS or rows is None:
            continue
        start, end = inside.node.lineno, inside.node.end_lineno or inside.node.lineno
        if ast.unparse(rows) in {ast.unparse(size) for line, size in cuts if start <= line <= end}:
            place = Location(module.source.path, call.lineno, inside.name)
            yield place, name.replace("numpy.", "np.").replace("tensorflow.", "tf."), _number(rows, known)


def _made(module: Module, call: ast.Call) -> tuple[ast.expr, str] | None:
    """The number of rows that a call gives to a tensor which comes of no data."""
    name = module.full(call.func) or ""
    rows = _rows(call) if name in _MAKERS else None
    return None if rows is None else (rows, name.replace("tensorflow.", "tf."))


def _rows(call: ast.Call) -> ast.expr | None:
    """The number of rows of what a call makes: its first argument, or the first size of that."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Tuple | ast.List):
        return first.elts[0] if first.elts else None
    return first


def _constants(module: Module) -> dict[str, int]:
    """Names that the module assigns one whole number to, and no other."""
    found: dict[str, set[int | None]] = {}
    for node in ast.walk(module.source.tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name | ast.Attribute):
                    value = node.value.value if isinstance(node.value, ast.Constant) else None
                    found.setdefault(ast.unparse(target), set()).add(value if type(value) is int else None)
    return {name: values.pop() or 0 for name, values in found.items() if len(values) == 1 and None not in values}


def _number(node: ast.expr, known: Mapping[str, int]) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    return known.get(ast.unparse(node))


def _cuts(tree: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """(line, number of rows) of the batches that the program cuts itself: `x[i:i + size]`, `slice(i, i + size)`,
    `x[i * size:(i + 1) * size]`.
    """
    for node in ast.walk(tree):
        ends: tuple[ast.expr | None, ast.expr | None] | None = None
        if isinstance(node, ast.Slice):
            ends = node.lower, node.upper
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "slice":
            ends = (node.args[0], node.args[1]) if len(node.args) == 2 else None
        if ends is None or ends[0] is None or not isinstance(ends[1], ast.BinOp):
            continue
        lower, upper = ends
        assert isinstance(upper, ast.BinOp)
        assert lower is not None
        if names_in(upper) & names_in(lower):
            yield node.lineno if hasattr(node, "lineno") else 1, upper.right
