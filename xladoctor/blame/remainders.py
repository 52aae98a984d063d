"""Divisions that leave a rest, where the sizes that do not fit come from one: the two numbers are at fault. And what is
made a multiple of twice the number of levels, where each level halves it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.operators import HALVES
from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.values import Array, Clash, Origin
from xladoctor.sources.files import Files
from xladoctor.sources.names import assigned_once, last_name, names_in, nodes_of, walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_FAR = 8


def of_remainders(clash: Clash, run: Follower) -> Iterator[Candidate]:
    """The lines in which the numbers stand that do not divide each other."""
    seen: set[tuple[str, int]] = set()
    wanted = [d.origin for v in clash.values if isinstance(v, Array) for d in v.dims or ()]
    for start in dict.fromkeys([*(side.origin for side in clash.sides), *wanted]):
        for origin, _ in chain(start, _FAR):
            at = (origin.file, origin.line)
            numbers = _divided(at, run) if "//" in origin.text and at not in seen else None
            seen.add(at)
            if numbers is None:
                continue
            reason = f"{numbers[0]} does not divide by {numbers[1]}: {numbers[0] % numbers[1]} is left over."
            for number in numbers:
                place = _written(origin, number)
                if place is not None:
                    yield Candidate(*place, 7.5, reason, None, "constant", strong=True)


_OF_PARTS = frozenset({"concat-pack-mismatch", "broadcast-mismatch", "keras-input-mismatch", "reshape-mismatch"})


def of_levels(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """`step = 2 * levels`, where something is made a multiple of `step`: each level halves it, so that `2 ** levels` is
    needed. No number has to be known.
    """
    for file, tree in files.trees(f for f, _ in hops if crash.slug in _OF_PARTS).items():
        for function in nodes_of(tree, ast.FunctionDef):
            known = assigned_once(function)
            for node in nodes_of(function, ast.BinOp):
                if not isinstance(node.op, ast.Mod | ast.FloorDiv):
                    continue
                made = known.get(node.right.id, node.right) if isinstance(node.right, ast.Name) else node.right
                if _pads_alike(function, node) and any(abs(a - b) == 1 for a in crash.sizes for b in crash.sizes):
                    reason = "Half of it goes to either side: of an odd number one is lost."
                    if (file, node.lineno) in hops:
                        yield Candidate(file, node.lineno, 7.8, reason, None, "constant", True)
                if _is_doubled(made) and (file, made.lineno) in hops:
                    reason = f"`{ast.unparse(made)}` grows with each level by two, and each level halves the size."
                    yield Candidate(file, made.lineno, 8.4, reason, None, "constant", True)


def _pads_alike(function: ast.FunctionDef, half: ast.BinOp) -> bool:
    """Whether the half of a difference is the width of both sides: `p = (n - size) // 2` and `[p, p]`."""
    two = isinstance(half.right, ast.Constant) and half.right.value == 2 and isinstance(half.op, ast.FloorDiv)
    if not two or not isinstance(half.left, ast.BinOp) or not isinstance(half.left.op, ast.Sub):
        return False
    names = {n for n, value in assigned_once(function).items() if value is half}
    pairs = (n.elts for n in walk(function) if isinstance(n, ast.List | ast.Tuple) and len(n.elts) == 2)
    return any(last_name(a) in names and last_name(a) == last_name(b) for a, b in pairs)


def _is_doubled(node: ast.expr) -> bool:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return False
    two, many = (node.left, node.right) if isinstance(node.left, ast.Constant) else (node.right, node.left)
    names = names_in(many) | {last_name(many)}
    return isinstance(two, ast.Constant) and two.value == 2 and any(HALVES.search(name) for name in names)


def _divided(at: tuple[str, int], run: Follower) -> tuple[int, int] | None:
    """The two numbers of a division at a line that leaves a rest."""
    source = run.files.source(at[0])
    for node in walk(source.tree) if source is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and node.lineno == at[1]:
            left, right = run.numbers.get(node.left, set()), run.numbers.get(node.right, set())
            if len(left) == len(right) == 1:
                whole, part = next(iter(left)), next(iter(right))
                if part > 1 and whole > part and whole % part:
                    return whole, part
    return None


def _written(origin: Origin, number: int) -> tuple[str, int] | None:
    """Where a number stands as such on the way to a division."""
    for parent, depth in chain(origin, _FAR):
        if depth and parent.kind == "constant" and parent.text == str(number):
            return parent.file, parent.line
    return None
