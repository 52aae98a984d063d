"""Two shapes with the same sizes in another order: the lines that decide in which order axes stand."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash, Sizes
from xladoctor.blame.elements import YIELDED
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import children, keyword, last_name, nodes_of, walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

TURNS = frozenset({"transpose", "moveaxis", "swapaxes", "rollaxis", "permute_dimensions", "Permute", "T", "rearrange"})
_STACKS = frozenset({"stack", "dstack", "column_stack"})
_OF_DATA = frozenset({"TensorSpec", "placeholder", "ensure_shape", "set_shape", "reshape"})
_OF_MODELS = frozenset({"Input", "InputLayer", "Reshape"})
_REASON = "The axes have the right sizes, but in another order: it decides their order."


def of_orders(hops: Mapping[Line, int], crash: Crash, run: Follower, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    orders = turned(crash.shapes)
    shaped = _OF_DATA if YIELDED.search(crash.message) else _OF_DATA | _OF_MODELS
    trees = files.trees(f for f, _ in hops if orders)
    inside = _behind_inputs(trees.values()) if crash.slug == "keras-input-mismatch" else frozenset()
    for file, tree in trees.items():
        for node in walk(tree):
            at = (file, getattr(node, "lineno", 0))
            weight = _weight(node, orders, shaped, run) if at in hops and node not in inside else 0.0
            if weight:
                yield Candidate(*at, weight, _REASON, None, "transpose", strong=True)


def _behind_inputs(trees: Iterable[ast.Module]) -> frozenset[ast.AST]:
    """What stands behind the inputs of models in their functions, and makes symbolic values: nothing that a model is
    given comes through it.
    """
    functions = [f for tree in trees for f in nodes_of(tree, ast.FunctionDef)]
    found: set[ast.AST] = set()
    for function in functions:
        first = next((n.lineno for n in nodes_of(function, ast.Call) if _is_input(n)), None)
        found |= {n for n in walk(function) if first is not None and getattr(n, "lineno", 0) >= first}
    return frozenset(n for n in found if not (isinstance(n, ast.Call) and _is_input(n)))


def _is_input(call: ast.Call) -> bool:
    return last_name(call.func) in ("Input", "InputLayer")


def turned(shapes: Sequence[Sizes]) -> tuple[Sizes, ...]:
    """Two shapes of a message of which one is the other with its axes turned, without what both have in front."""
    for one, other in combinations(dict.fromkeys(shapes), 2):
        if len(one) != len(other):
            continue
        first = next((i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b and None not in (a, b)), 0)
        ends = (one[first:], other[first:])
        known = [sorted(n for n in end if n is not None) for end in ends]
        if ends[0] != ends[1] and known[0] == known[1] and len(known[0]) == len(ends[0]) > 1:
            return ends
    return ()


def _weight(node: ast.AST, orders: tuple[Sizes, ...], shaped: frozenset[str], run: Follower) -> float:
    """How much speaks against a node; `shaped` are the functions to which a shape in an order may be given."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.BinOp | ast.Compare):
        return 0.0  # an element-wise operation turns nothing
    name = last_name(node.func) if isinstance(node, ast.Call) else node.attr if isinstance(node, ast.Attribute) else ""
    shape = run.shapes.get(node)
    own = _end(shape, orders)
    if shape and None not in (shape[1:] if name in _OF_MODELS else shape) and own is None:
        return 0.0
    if own is not None and any(_end(run.shapes.get(n), orders) not in (None, own) for n in _given(node)):
        return 8.2
    if name in TURNS:
        return 7.5
    if isinstance(node, ast.Call) and name in shaped and _lengths(node):
        # A model is seldom declared the wrong way round.
        return 0.0 if _lengths(node) < 2 else 5.2 if name in _OF_MODELS else 7.3
    return 7.0 if isinstance(node, ast.Call) and name in _STACKS and _is_second(node) else 0.0


def _end(shape: Sizes | None, orders: tuple[Sizes, ...]) -> Sizes | None:
    """Which of the orders a shape ends with, itself or before as much was cut off each axis."""
    return next((o for o in orders if shape is not None and _is_wider(shape[-len(o) :], o)), None)


def _is_wider(shape: Sizes, order: Sizes) -> bool:
    """Whether a shape is one of these sizes, or each of them with the same few more: what `x[1:-1, 1:-1]` takes off."""
    if shape == order or len(shape) != len(order):
        return shape == order
    more = {a - b if a is not None and b is not None else 0 for a, b in zip(shape, order, strict=True)}
    return len(more) == 1 and 0 < min(more) <= _MOST_CUT


_MOST_CUT = 4


def _given(node: ast.expr) -> list[ast.expr]:
    return [n for child in children(node) for n in ([child.value] if isinstance(child, ast.keyword) else [child])
            if isinstance(n, ast.expr)]  # fmt: skip


def _lengths(call: ast.Call) -> int:
    """Of the longest shape that a call is given, how many axes it has."""
    apart = len(call.args) if last_name(call.func) == "reshape" and len(call.args) > 1 else 0  # `x.reshape(rows, -1)`
    return max((len(a.elts) for a in _given(call) if isinstance(a, ast.Tuple | ast.List)), default=apart)


def _is_second(call: ast.Call) -> bool:
    """Whether a stack makes another axis than the first."""
    axis = keyword(call, "axis")
    return axis is not None and not (isinstance(axis, ast.Constant) and axis.value == 0)
