"""Edits of numbers by what stands beside them: siblings, sums, multiples, lists of sizes, the rows of the data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.edits.facts import Facts, candidate
from xladoctor.edits.names import called, module, number
from xladoctor.edits.text import Candidate, Text
from xladoctor.edits.values import is_number_name, numbers, scope_of

_FILLS = frozenset({"uniform", "normal", "zeros", "ones", "full", "random", "reshape"})


def by_little(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A number in the source that is one too large or too small, or a multiple or a fraction of what it should be."""
    sizes = set(facts.sizes)
    by_one = any(size + 1 in sizes for size in sizes)
    factors = sorted({b // a for a in sizes for b in sizes if 1 < a < b and b % a == 0 and b // a <= 8})[:2]
    for node in text.all(ast.Constant):
        have = number(node)
        if have is None or have < (1 if _is_stride(text, node) else 2) or not facts.is_near(text, node):
            continue
        others = [have + 1, have - 1] if by_one else []
        others += [n for f in factors for n in (have * f, have // f if have % f == 0 else 0)]
        for size in dict.fromkeys(n for n in others if n > 0 and n not in sizes):
            yield candidate(text, facts, "constant", f"write {size} instead of {have}", 4.0, text.put(node, str(size)))
    assigned = [
        s for s in text.all(ast.Assign) if is_number_name(text, s.targets[0]) and isinstance(s.value, ast.BinOp)
    ]
    returned = [s for s in text.all(ast.Return) if isinstance(s.value, ast.BinOp | ast.Attribute)]
    counts = [*(s.value for s in assigned), *(s.value for s in returned)]
    for value in counts if by_one else ():
        if value is not None and facts.is_near(text, value):
            for made in (f"{text.of(value)} + 1", f"{text.of(value)} - 1"):
                yield candidate(text, facts, "constant", f"write {made}", 3.5, text.put(value, made))


def _is_stride(text: Text, node: ast.AST) -> bool:
    """Whether a number says by how much a layer makes its input larger or smaller: 1 is one of those."""
    above = text.parents.get(node)
    return isinstance(above, ast.keyword) and above.arg in ("strides", "stride", "scale", "factor", "size")


def siblings(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A number as another one beside it has it, in a list, a dictionary or an assignment of several."""
    holders: list[ast.expr] = [*text.all(ast.Dict), *text.all(ast.List), *text.all(ast.Tuple)]
    for holder in holders:
        items = holder.values if isinstance(holder, ast.Dict) else getattr(holder, "elts", [])
        own = [n for n in items if number(n) is not None]
        if not 2 <= len(own) <= 6 or not facts.is_near(text, holder):
            continue
        for node in own:
            for size in dict.fromkeys(number(n) for n in own):
                if size is not None and size != number(node):
                    why = f"write {size}, as beside it"
                    yield candidate(text, facts, "constant", why, 4.5, text.put(node, str(size)))


def lists(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A list of sizes one shorter or one longer; a shape with as many axes as what it meets."""
    found: list[ast.Tuple | ast.List] = [*text.all(ast.Tuple), *text.all(ast.List)]
    rank = max((len(shape) for shape in facts.shapes), default=0)
    for node in found:
        if not facts.is_near(text, node) or not isinstance(node.ctx, ast.Load) or len(node.elts) < 2:
            continue
        opened, closed = ("(", ")") if isinstance(node, ast.Tuple) else ("[", "]")
        written = [text.of(e) for e in node.elts]
        sizes = [number(e) for e in node.elts]
        if all(n is not None for n in sizes) and isinstance(text.parents.get(node), ast.Assign):
            first = int(sizes[0] or 0)
            more = str(2 * first) if first > int(sizes[1] or 0) else str(max(first // 2, 1))
            for other in (written[1:], written[:-1], [more, *written]):
                comma = "," if len(other) == 1 and opened == "(" else ""
                made = f"{opened}{', '.join(other)}{comma}{closed}"
                yield candidate(text, facts, "constant", f"write {made}", 3.5, text.put(node, made))
        parent = text.parents.get(node)
        shaped = isinstance(parent, ast.Assign) or (parent is not None and called(parent) in _FILLS)
        if shaped and sizes[-1] == 1 and len(sizes) < rank <= 5:
            made = f"{opened}{', '.join([*written, *['1'] * (rank - len(sizes))])}{closed}"
            yield candidate(text, facts, "expand", "give it as many axes as the other side", 2.5, text.put(node, made))


def sums(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A number's name with another one added, where one size is the sum of two."""
    sizes = sorted(set(facts.sizes))
    if not any(a + b in sizes for a in sizes for b in sizes):
        return
    pool = list(numbers(text))
    used: list[ast.Name | ast.Attribute] = [*text.all(ast.Name), *text.all(ast.Attribute)]
    for node in used:
        if not isinstance(node.ctx, ast.Load) or text.of(node) not in pool or not facts.is_near(text, node):
            continue
        for other in [name for name in pool if name != text.of(node)][:4]:
            made = f"{text.of(node)} + {other}"
            written = f"({made})" if isinstance(text.parents.get(node), ast.BinOp) else made
            yield candidate(text, facts, "constant", f"write {made}", 4.5, text.put(node, written))


def lengths(text: Text, facts: Facts) -> Iterator[Candidate]:
    """The length of another list."""
    known = [
        s.targets[0].id for s in text.all(ast.Assign)
        if isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.List | ast.Tuple | ast.Dict | ast.Call)
        and s in text.tree.body
    ]  # fmt: skip
    for call in text.all(ast.Call):
        inner = call.args[0] if called(call) == "len" and call.args else None
        if not isinstance(inner, ast.Name) or not facts.is_near(text, call) or inner.id not in known:
            continue
        for other in [name for name in known if name != inner.id and name.isupper() == inner.id.isupper()][:4]:
            why = f"take the length of {other}"
            yield candidate(text, facts, "constant", why, 3.0, text.put(inner, other))


def rows_of_data(text: Text, facts: Facts) -> Iterator[Candidate]:
    """The number of rows of an argument in the place of a number that is fixed."""
    flow = module(text, "tensorflow")
    used: list[ast.Name | ast.Attribute] = [*text.all(ast.Name), *text.all(ast.Attribute)]
    for node in used:
        scope = scope_of(text, node)
        if (
            not isinstance(node.ctx, ast.Load)
            or not isinstance(scope, ast.FunctionDef)
            or not facts.is_near(text, node)
        ):
            continue
        if scope.name == "__init__":
            continue  # its arguments are settings, and have no rows
        if not is_number_name(text, node) or isinstance(text.parents.get(node), ast.Attribute):
            continue
        given = [a.arg for a in scope.args.args if a.arg not in ("self", "cls", "training", text.of(node))]
        for name in given[:2]:
            made = f"{flow}.shape({name})[0]" if flow is not None else f"len({name})"
            yield candidate(text, facts, "batch-size", f"take the number of rows of {name}", 4.0, text.put(node, made))


ALL = (by_little, siblings, lists, sums, lengths, rows_of_data)
