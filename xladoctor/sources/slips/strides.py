"""Places in a flat array by the count of the wrong loop: `i * rows + j` for `i * columns + j`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from xladoctor.sources.names import nodes_of
from xladoctor.sources.slips.slip import Slip, assigns


def strides(tree: ast.Module) -> Iterator[Slip]:
    """`x[i * n + j]` with `i` in `range(n)` and `j` in `range(m)`, where the file says that there are n * m."""
    wholes: set[frozenset[str]] | None = None
    for loops, body in _nests(tree):
        counts = dict(loops)
        if len(counts) != 2 or len(set(counts.values())) != 2:
            continue
        for taken in (n for part in body for n in nodes_of(part, ast.Subscript)):
            found = _place(taken.slice, counts)
            if found is None:
                continue
            outer, inner, stride = found
            wholes = _wholes(tree) if wholes is None else wholes
            if stride == counts[outer] and frozenset(counts.values()) in wholes and not _alike(tree, counts):
                yield Slip(
                    "stride-of-the-other-loop",
                    taken.lineno,
                    f"`{ast.unparse(taken.slice)[:60]}` counts in steps of `{stride}`, and there are {counts[inner]} "
                    f"for each `{outer}`",
                    f"`{inner}` goes to `{counts[inner]}`, so the places of the next `{outer}` begin `{counts[inner]}` "
                    f"further on. In steps of `{stride}`, which is how many `{outer}` there are, some places are used "
                    "for two pairs and others for none.",
                )


def _nests(tree: ast.Module) -> Iterator[tuple[list[tuple[str, str]], list[ast.AST]]]:
    """([(number, how many) of both loops], what is in them)."""
    for node in nodes_of(tree, ast.For):
        own = _counted(node.target, node.iter)
        for inner in (n for n in node.body if isinstance(n, ast.For)):
            other = _counted(inner.target, inner.iter)
            if own and other:
                yield [own, other], list(inner.body)
    for made in nodes_of(tree, ast.ListComp):
        element = made.elt
        parts = [_counted(g.target, g.iter) for g in made.generators]
        if len(parts) == 1 and isinstance(element, ast.ListComp) and len(element.generators) == 1:
            parts += [_counted(g.target, g.iter) for g in element.generators]
        if len(parts) == 2 and parts[0] and parts[1]:
            yield [p for p in parts if p], [element]


def _counted(target: ast.expr, over: ast.expr) -> tuple[str, str] | None:
    """(number, how many) of `for i in range(n)`, with a name for n."""
    if not (isinstance(target, ast.Name) and isinstance(over, ast.Call) and ast.unparse(over.func) == "range"):
        return None
    named = len(over.args) == 1 and isinstance(over.args[0], ast.Name | ast.Attribute)
    return (target.id, ast.unparse(over.args[0])) if named else None


def _place(node: ast.expr, counts: dict[str, str]) -> tuple[str, str, str] | None:
    """(outer number, inner number, stride) of `i * stride + j`."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)):
        return None
    for product, inner in ((node.left, node.right), (node.right, node.left)):
        if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult) and isinstance(inner, ast.Name):
            for one, stride in ((product.left, product.right), (product.right, product.left)):
                if isinstance(one, ast.Name) and {one.id, inner.id} == set(counts):
                    return one.id, inner.id, ast.unparse(stride)
    return None


def _wholes(tree: ast.Module) -> set[frozenset[str]]:
    """Pairs of names that are multiplied, or stand beside each other as sizes."""
    found = {
        frozenset((ast.unparse(n.left), ast.unparse(n.right)))
        for n in nodes_of(tree, ast.BinOp)
        if isinstance(n.op, ast.Mult)
    }
    for call in nodes_of(tree, ast.Call):
        for sizes in (call, *(a for a in call.args if isinstance(a, ast.Tuple | ast.List))):
            items = sizes.args if isinstance(sizes, ast.Call) else sizes.elts
            found |= {frozenset((ast.unparse(a), ast.unparse(b))) for a, b in pairwise(items)}
    return found


def _alike(tree: ast.Module, counts: dict[str, str]) -> bool:
    """Whether both counts are one number by what the file gives them."""
    pairs: dict[str, str] = {}
    for target, value, _ in assigns(tree):
        both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        given = zip(target.elts, value.elts, strict=False) if both else [(target, value)]  # type: ignore[attr-defined]
        pairs |= {ast.unparse(t): ast.unparse(v) for t, v in given}
    return len({pairs.get(c, c) for c in counts.values()}) == 1
