"""More small edits to be tried on shapes: axes written into an index or an equation, the order of a list, a stage."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping

from xladoctor.blame.variants import Names, Numbers, Shapes, Variant, fields, replaced
from xladoctor.sources.names import last_name, walk

_LETTERS = 24
_SEQUENCES = ("zip", "enumerate", "reversed", "list")


def of_values(file: str, holder: ast.AST, numbers: Numbers, shapes: Shapes, known: Names) -> Iterator[Variant]:
    """The edits of the expressions right below a node."""
    for field, at, node in fields(holder):
        made = [
            *(("axis", new) for new in _indices(node)),
            *(("axis", new) for new in _other_items(node, shapes)),
            *(("axis", new) for new in _equations(holder, at, node)),
            *(("order", new) for new in _turned(holder, node, shapes)),
            *(("setting", new) for new in _batched(node)),
            *(("setting", new) for new in _all_rows(node)),
            *(("rank", new) for new in _longer(holder, node, numbers, known.own)),
            *(("by one", new) for new in _regrouped(node, numbers)),
        ]
        for kind, new in made:
            yield Variant(file, node.lineno, kind, "other", replaced(holder, field, at, new))


def of_results(file: str, holder: ast.AST, shapes: Shapes) -> Iterator[Variant]:
    """A result with its axes put together, without its last one, or with a part of one alone."""
    for field, at, node in fields(holder):
        if isinstance(node, ast.Tuple):
            yield from of_results(file, node, shapes)
        sizes = shapes.get(node)
        if sizes is None or isinstance(node, ast.Constant):
            continue
        parts = ["[..., 0]", "[:, -1]", "[:, 1:]", "[:, :-1]", "[1:]", "[:-1]"]
        # A first axis of 1 stands for any batch: the last of the next one is no last step of a row.
        parts = [p for p in parts if len(sizes) > ("," in p) and not (p == "[:, -1]" and sizes[0] == 1)]
        written = [_on(node, part) for part in parts]
        if len(sizes) > 2:
            shape = ast.parse("numpy.reshape(value, (-1, 1))", mode="eval").body
            count = 1
            for size in sizes[1:]:
                count *= size or 0
            if count and isinstance(shape, ast.Call):
                shape.args = [node, ast.Tuple([ast.Constant(-1), ast.Constant(count)], ast.Load())]
                written.append(_at(shape, node))
        for new in written:
            yield Variant(file, node.lineno, "wrap", "other", replaced(holder, field, at, new))


def _at(new: ast.expr, old: ast.AST) -> ast.expr:
    """A new expression at the place of an old one, also below."""
    for node in ast.walk(new):
        if isinstance(node, ast.expr | ast.keyword) and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
    return ast.copy_location(new, old)


def _on(node: ast.expr, part: str) -> ast.expr:
    """`node[part]`."""
    new = ast.parse(f"value{part}", mode="eval").body
    for inner in ast.walk(new):
        if isinstance(inner, ast.expr):
            ast.copy_location(inner, node)
    if isinstance(new, ast.Subscript):
        new.value = node
    return new


def _regrouped(node: ast.expr, numbers: Numbers) -> Iterator[ast.expr]:
    """`a * (b + c)` as `a * b + c` and `b + a * c`, and the other way round: what a product takes in."""
    if not isinstance(node, ast.BinOp) or node not in numbers:
        return
    left, right, op = node.left, node.right, node.op
    if isinstance(op, ast.Mult):
        for outer, inner in ((left, right), (right, left)):
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add | ast.Sub):
                first, last = ast.BinOp(outer, op, inner.left), ast.BinOp(outer, op, inner.right)
                yield _at(ast.BinOp(first, inner.op, inner.right), node)
                yield _at(ast.BinOp(inner.left, inner.op, last), node)
    elif isinstance(op, ast.Add | ast.Sub):
        if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult):
            yield _at(ast.BinOp(left.left, left.op, ast.BinOp(left.right, op, right)), node)
        if isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult):
            yield _at(ast.BinOp(ast.BinOp(left, op, right.left), right.op, right.right), node)


def _indices(node: ast.expr) -> Iterator[ast.expr]:
    """`x[:, None]` without the new axis, or with it elsewhere."""
    if not isinstance(node, ast.Subscript):
        return
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    for i, part in enumerate(parts):
        if not _is_new(part):
            continue
        rest = [*parts[:i], *parts[i + 1 :]]
        if not rest or all(isinstance(p, ast.Slice) and p.lower is p.upper is None for p in rest):
            yield node.value
        else:
            yield _indexed(node, rest)
        if part is parts[-1]:
            yield _indexed(node, [*parts, part])
        if i and not _is_new(parts[i - 1]):
            yield _indexed(node, [*parts[: i - 1], part, *parts[i - 1 : i], *parts[i + 1 :]])
        whole = ast.copy_location(ast.Slice(), node)
        yield _indexed(node, [*parts[:i], whole, *parts[i:]])


def _other_items(node: ast.expr, shapes: Shapes) -> Iterator[ast.expr]:
    """Another item of a list: `widths[-1]` in the place of `widths[0]`."""
    at = node.slice if isinstance(node, ast.Subscript) else None
    below = isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.USub)
    number = at.operand if isinstance(at, ast.UnaryOp) and below else at
    if not isinstance(node, ast.Subscript) or not isinstance(number, ast.Constant) or isinstance(node.value, ast.Call):
        return
    if node.value in shapes:
        return
    if not isinstance(node.ctx, ast.Load) or type(number.value) is not int or last_name(node.value).endswith("shape"):
        return
    for other in (0, -1, 1):
        if other != (-number.value if below else number.value):
            yield _on(node.value, f"[{other}]")


def _is_new(part: ast.expr) -> bool:
    return (isinstance(part, ast.Constant) and part.value is None) or last_name(part) == "newaxis"


def _indexed(node: ast.Subscript, parts: list[ast.expr]) -> ast.expr:
    index = parts[0] if len(parts) == 1 else ast.copy_location(ast.Tuple(parts, ast.Load()), node)
    return ast.copy_location(ast.Subscript(node.value, index, ast.Load()), node)


def _equations(holder: ast.AST, at: int | None, node: ast.expr) -> Iterator[ast.expr]:
    """Two letters of an `einsum` exchanged, in one term, or in all but the first."""
    einsum = isinstance(holder, ast.Call) and last_name(holder.func) == "einsum" and at == 0
    if not einsum or not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return
    terms, arrow, out = node.value.replace(" ", "").partition("->")
    parts = [*terms.split(","), *([out] if arrow else [])]
    letters = sorted({c for part in parts for c in part if c.isalpha()})
    seen = {node.value}
    for one, other in itertools.islice(itertools.combinations(letters, 2), _LETTERS):
        swap = str.maketrans(one + other, other + one)
        choices = [[p.translate(swap) if j == i else p for j, p in enumerate(parts)] for i in range(len(parts))]
        choices.append([parts[0], *(p.translate(swap) for p in parts[1:])])
        for made in choices:
            text = ",".join(made[:-1]) + "->" + made[-1] if arrow else ",".join(made)
            if text not in seen:
                seen.add(text)
                yield ast.copy_location(ast.Constant(text), node)


def _turned(holder: ast.AST, node: ast.expr, shapes: Shapes) -> Iterator[ast.expr]:
    """A row of things that is gone through from its other end."""
    rows = isinstance(holder, ast.Call) and last_name(holder.func) in _SEQUENCES and node is not holder.func
    rows = rows or (isinstance(holder, ast.For | ast.comprehension) and node is holder.iter and not _applies(holder))
    if rows and isinstance(node, ast.Name | ast.Attribute) and node not in shapes:
        yield _on(node, "[::-1]")
    elif rows and isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        yield node.value


def _applies(loop: ast.For | ast.comprehension) -> bool:
    """Whether a loop calls what it goes through: layers are applied in the order in which they were made."""
    target = loop.target.id if isinstance(loop.target, ast.Name) else None
    body = loop.body if isinstance(loop, ast.For) else []
    return any(isinstance(n, ast.Call) and last_name(n.func) == target for s in body for n in walk(s))


def _batched(node: ast.expr) -> Iterator[ast.expr]:
    """A pipeline with a stage that makes batches before it is handed on."""
    if isinstance(node, ast.Call) and last_name(node.func) == "prefetch" and isinstance(node.func, ast.Attribute):
        stage = ast.parse("value.batch(32)", mode="eval").body
        if isinstance(stage, ast.Call) and isinstance(stage.func, ast.Attribute):
            stage.func.value = node.func.value
            func = ast.Attribute(_at(stage, node), node.func.attr, ast.Load())
            yield _at(ast.Call(func, node.args, node.keywords), node)


def _all_rows(node: ast.expr) -> Iterator[ast.expr]:
    """A table with the rows that a method leaves out."""
    func = node.func if isinstance(node, ast.Call) else None
    if isinstance(func, ast.Attribute) and func.attr in ("dropna", "drop_duplicates"):
        yield func.value


def _longer(holder: ast.AST, node: ast.expr, numbers: Numbers, own: Mapping[str, int]) -> Iterator[ast.expr]:
    """A shape with one more axis in front, of a size that has a name here."""
    if not isinstance(holder, ast.Call | ast.keyword) or not isinstance(node, ast.Tuple):
        return
    if not 0 < len(node.elts) < 4 or not all(e in numbers for e in node.elts):
        return
    for name in list(own)[:4]:
        first = ast.copy_location(ast.Name(name, ast.Load()), node)
        yield ast.copy_location(ast.Tuple([first, *node.elts], ast.Load()), node)
