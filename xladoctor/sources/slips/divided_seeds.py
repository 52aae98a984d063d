"""Stateless draws whose seed is the number of a batch, divided by the size of a batch as if it were one of a row.

`batch // SIZE` is 0 for the first SIZE batches, so that all of them get the same numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.names import argument, assigned_once, keyword, last_name, names_in, nodes_of, parameters, walk
from xladoctor.sources.slips.slip import COMPREHENSIONS, FUNCTIONS, Slip, scopes, within_body

_WRAPS = frozenset({"constant", "convert_to_tensor", "cast", "int", "int32", "int64", "asarray", "array"})
_DEPTH = 4
Function = ast.FunctionDef | ast.AsyncFunctionDef


def divided_seeds(tree: ast.Module) -> Iterator[Slip]:
    """Each line that divides the number of a batch for a seed."""
    functions = [n for n in walk(tree) if isinstance(n, FUNCTIONS)]
    seen: set[int] = set()
    for scope in [tree, *functions]:
        once = assigned_once(scope)
        for call in (n for n in within_body(scope) if isinstance(n, ast.Call)):
            if not last_name(call.func).startswith("stateless_"):
                continue
            seed = keyword(call, "seed") or (call.args[1] if len(call.args) > 1 else None)
            sizes = _sizes(keyword(call, "shape") or next(iter(call.args), None), once)
            for part in _divided(seed, once, _DEPTH) if seed is not None else ():
                size = ast.unparse(part.right)
                if part.lineno in seen or size not in sizes or not isinstance(part.left, ast.Name):
                    continue
                if _counts(part.left.id, size, scope, tree) and not _takes_rest(scope, part.left.id):
                    seen.add(part.lineno)
                    yield _slip(part, part.left.id, size, call)


def _slip(part: ast.BinOp, counter: str, size: str, draw: ast.Call) -> Slip:
    return Slip(
        "same-draw",
        part.lineno,
        f"`{ast.unparse(part)}` is the same for {size} rounds, and so is what is drawn",
        f"`{counter}` counts the rounds by one, and each round draws {size} at once (`{last_name(draw.func)}`, line "
        f"{draw.lineno}). A stateless draw depends on its seed alone, and `{ast.unparse(part)}` is 0 in the first "
        f"{size} rounds: they all get the same numbers. Put `{counter}` into the seed as it is.",
    )


def _sizes(shape: ast.expr | None, once: dict[str, ast.expr]) -> set[str]:
    """The texts of the sizes of a shape."""
    if isinstance(shape, ast.Name):
        shape = once.get(shape.id)
    return {ast.unparse(e) for e in shape.elts} if isinstance(shape, ast.List | ast.Tuple) else set()


def _divided(node: ast.expr, once: dict[str, ast.expr], depth: int) -> Iterator[ast.BinOp]:
    """The whole-number divisions that a seed is made of."""
    for part in walk(node):
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.FloorDiv):
            yield part
        elif isinstance(part, ast.Name) and part.id in once and depth:
            yield from _divided(once[part.id], once, depth - 1)


def _counts(name: str, size: str, scope: ast.AST, tree: ast.Module) -> bool:
    """Whether a name counts rounds by one, in each call of the function if it is a parameter."""
    if not isinstance(scope, FUNCTIONS) or name not in parameters(scope):
        return _is_counter(name, size, scope, tree)
    told: list[bool] = []
    for caller in scopes(tree):
        for call in (n for n in within_body(caller) if isinstance(n, ast.Call)):
            if last_name(call.func) == scope.name:
                given = _plain(argument(call, scope, name))
                told.append(isinstance(given, ast.Name) and _is_counter(given.id, size, caller, tree))
    return bool(told) and all(told)


def _plain(node: ast.expr | None) -> ast.expr | None:
    while isinstance(node, ast.Call) and last_name(node.func) in _WRAPS and node.args:
        node = node.args[0]
    return node


def _is_counter(name: str, size: str, scope: ast.AST, tree: ast.Module) -> bool:
    """Whether a name is that of a loop over `range(n)`, where n is no number of rows."""
    loops: list[tuple[ast.expr, ast.expr]] = []
    stores = 0
    for node in within_body(scope):
        if isinstance(node, ast.For):
            loops.append((node.target, node.iter))
        elif isinstance(node, COMPREHENSIONS):
            loops += [(g.target, g.iter) for g in node.generators]
        stores += isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    found = [over for target, over in loops if isinstance(target, ast.Name) and target.id == name]
    if not found or stores != len(found):
        return False
    ranges = [c for c in found if isinstance(c, ast.Call) and last_name(c.func) == "range" and len(c.args) in (1, 2)]
    return len(ranges) == len(found) and not any(_is_of_rows(a, size, tree) for c in ranges for a in c.args)


def _is_of_rows(end: ast.expr, size: str, tree: ast.Module) -> bool:
    """Whether the end of a range is a number of rows: a length, or a multiple of the size of a batch."""
    texts, names = [ast.unparse(end)], names_in(end)
    made = (a for a in nodes_of(tree, ast.Assign) if names & {last_name(t) for t in a.targets})
    texts += [ast.unparse(a.value) for a in made]
    for text in texts:
        divides = f"// {size}" in text or f"/ {size}" in text
        if not divides and (size in text or "len(" in text or "shape" in text):
            return True
    return False


def _takes_rest(scope: ast.AST, name: str) -> bool:
    """Whether the remainder is used, too: the number is one of a row then, or picks among what was drawn."""
    return any(
        (isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod) and name in names_in(n.left))
        or (isinstance(n, ast.Call) and last_name(n.func) in ("divmod", "mod", "floormod") and name in names_in(n))
        for n in walk(scope)
    )
