"""Edits where the number of axes is wrong: a permutation of all axes, an axis for a squeeze, a row that is a matrix."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.edits.facts import Facts, candidate
from xladoctor.edits.names import argument, called, number
from xladoctor.edits.text import Candidate, Text

_LARGEST = 6
_PERMUTES = frozenset({"transpose", "permute_dimensions"})
_LITERALS = frozenset({"constant", "array", "asarray", "convert_to_tensor", "Variable"})


def permutations(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Of a transposition as many axes as there are: those that it does not name stay where they are."""
    if not _of_ranks(facts):
        return
    ranks = [n for n in facts.sizes if 1 < n <= _LARGEST]
    ranks += [len(shape) for shape in facts.shapes if 1 < len(shape) <= _LARGEST]
    for call in text.all(ast.Call):
        order = argument(call, 1, "perm") or argument(call, 1, "axes") if called(call) in _PERMUTES else None
        axes = [number(e) for e in order.elts] if isinstance(order, ast.Tuple | ast.List) else []
        if order is None or not axes or sorted(a or 0 for a in axes) != list(range(len(axes))):
            continue
        for rank in dict.fromkeys(n for n in ranks if n > len(axes)):
            made = [a or 0 for a in axes] + list(range(len(axes), rank))
            opened, closed = ("(", ")") if isinstance(order, ast.Tuple) else ("[", "]")
            why = f"name the {rank} axes that there are"
            words = f"{opened}{', '.join(map(str, made))}{closed}"
            yield candidate(text, facts, "transpose", why, 1.5, text.put(order, words))


def squeezes(text: Text, facts: Facts) -> Iterator[Candidate]:
    """An axis for a squeeze that takes away every axis of size 1."""
    for call in text.all(ast.Call) if _of_ranks(facts) else ():
        method = isinstance(call.func, ast.Attribute) and not call.args
        if called(call) != "squeeze" or call.keywords or not (method or len(call.args) == 1):
            continue
        written = text.of(call)
        for axis in (-1, 0, 1):
            made = f"{written[:-1]}{'' if method else ', '}axis={axis})"
            yield candidate(text, facts, "squeeze", f"take away axis {axis} only", 1.5, text.put(call, made))


def rows(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A list of numbers as a matrix of one row, or of one column."""
    for call in text.all(ast.Call) if _of_ranks(facts) else ():
        first = call.args[0] if called(call) in _LITERALS and call.args else None
        if not isinstance(first, ast.List | ast.Tuple) or not facts.is_near(text, call):
            continue
        plain = [e for e in first.elts if not isinstance(e, ast.List | ast.Tuple | ast.Starred)]
        if not 2 <= len(plain) == len(first.elts) <= _LARGEST:
            continue
        yield candidate(text, facts, "expand", "make it one row", 2.0, text.put(first, f"[{text.of(first)}]"))
        column = ", ".join(f"[{text.of(e)}]" for e in first.elts)
        yield candidate(text, facts, "expand", "make it one column", 2.5, text.put(first, f"[{column}]"))


def _of_ranks(facts: Facts) -> bool:
    """Whether numbers of axes may be what does not fit."""
    return facts.slug == "rank-mismatch" or facts.says("rank", "ndim", "number of dimensions", "transpose expects")


ALL = (permutations, squeezes, rows)
