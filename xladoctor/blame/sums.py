"""Sizes that are put together of parts: a sum that leaves out a part which a split takes, arrays that are joined along
another axis than the one that would make the size that is wanted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, summands, walk

_SPLIT = re.compile(r"axis of size (?P<size>\d{1,9}) into pieces of size \[(?P<parts>\d[\d, ]{0,200})\]")
_JOINS = frozenset({"concat", "concatenate", "Concatenate"})
_FIRSTS = {"vstack": 0, "hstack": 1, "row_stack": 0}
_FEWEST, _MOST = 2, 6


def of_sums(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    times = _times(crash)
    split = _SPLIT.search(crash.message)
    size, parts = (int(split["size"]), [int(n) for n in split["parts"].split(",")]) if split is not None else (0, [])
    if not times and not parts:
        return
    for file, tree in files.trees(f for f, _ in hops).items():
        found: list[Found] = []
        for node in walk(tree):
            if isinstance(node, ast.Call) and times:
                found += _joined(node, times)
            elif isinstance(node, ast.BinOp) and parts:
                found += _left_out(node, size, parts)
        yield from conventions(file, found, hops)


def _times(crash: Crash) -> dict[int, tuple[int, int]]:
    """How many times as large a size that is wanted is as the one that there is, the last of two shapes with as many
    axes: {times: (there, wanted)}.
    """
    pairs = [(a, b) for a in crash.shapes for b in crash.shapes if len(a) == len(b) > 1]
    found: dict[int, tuple[int, int]] = {}
    for there, wanted in pairs:
        a, b = there[-1], wanted[-1]
        if a and b and b > a and b % a == 0 and _FEWEST <= b // a <= _MOST:
            found[b // a] = (a, b)
    return found


def _joined(call: ast.Call, times: Mapping[int, tuple[int, int]]) -> Iterator[Found]:
    """`concatenate([bands, deltas], axis=0)`, where twice as many columns are wanted."""
    name = last_name(call.func)
    given = call.args[0] if call.args else None
    parts = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    axis = keyword(call, "axis") or (call.args[1] if len(call.args) > 1 else ast.Constant(_FIRSTS.get(name, 0)))
    if len(parts) not in times or (name not in _JOINS and name not in _FIRSTS):
        return
    if isinstance(axis, ast.Constant) and axis.value in (0, 1) and not any(isinstance(p, ast.Starred) for p in parts):
        there, wanted = times[len(parts)]
        said = f"It joins {len(parts)} along axis {axis.value}: there are {there} columns, and {wanted} are wanted."
        yield call.lineno, 8.0 if axis.value == 0 else 7.0, said


def _left_out(node: ast.BinOp, size: int, parts: Sequence[int]) -> Iterator[Found]:
    """`4 + len(classes)`, where a split takes 4, 1 and as many as there are classes: the 1 is left out."""
    terms = summands(node)
    numbers = [t.value for t in terms if isinstance(t, ast.Constant) and type(t.value) is int]
    left = sum(parts) - size
    fewer = len(terms) < len(parts) and len(terms) > len(numbers) > 0
    if left in parts and fewer and all(n in parts for n in numbers) and numbers.count(left) < parts.count(left):
        taken = ", ".join(map(str, parts))
        yield node.lineno, 8.4, f"It adds up {size}, `{ast.unparse(node)[:40]}`; the split takes {taken}."
