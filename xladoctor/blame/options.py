"""Values by which a program selects one of several things: words that tables of functions have, that decorators keep
functions under, or that something is compared with; members of an enumeration. And what else could be selected.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from xladoctor.blame.variants import Variant, fields, replaced
from xladoctor.sources.names import last_name, nodes_of, walk

_CALLABLE = ast.Lambda | ast.Name | ast.Attribute | ast.Call
_MANY = 6
Alternatives = Mapping[str, frozenset[str]]
"""By a word, or a member of an enumeration as `Pool.MEAN`: all of its group."""


def alternatives(trees: Iterable[ast.AST]) -> Alternatives:
    """What could be selected instead of each word."""
    groups: dict[str, set[str]] = {}
    for node in (n for tree in trees for n in walk(tree)):
        for group, word in _of_node(node):
            groups.setdefault(group, set()).add(word)
    found: dict[str, set[str]] = {}
    for words in groups.values():
        for word in words:
            found.setdefault(word, set()).update(words)
    return {word: frozenset(words) for word, words in found.items()}


def _of_node(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Dict):
        pairs = list(zip(node.keys, node.values, strict=True))
        if pairs and all(isinstance(v, _CALLABLE) for _, v in pairs):
            words = (k.value for k, _ in pairs if isinstance(k, ast.Constant))
            yield from ((f"table {id(node)}", word) for word in words if isinstance(word, str))
    elif isinstance(node, ast.Compare):
        said = (n.value for c in node.comparators for n in nodes_of(c, ast.Constant))
        what = f"compared {last_name(node.left)}"
        yield from ((what, word) for word in said if isinstance(word, str))
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        for decorator in node.decorator_list:
            calls = decorator.args if isinstance(decorator, ast.Call) else [ast.Constant(node.name)]
            what = f"kept by {last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)}"
            words = (a.value for a in calls[:1] if isinstance(a, ast.Constant))
            yield from ((what, word) for word in words if isinstance(word, str))
        if isinstance(node, ast.ClassDef) and any(last_name(base).endswith("Enum") for base in node.bases):
            members = (
                t.id for s in node.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)
            )
            yield from ((f"enumeration {node.name}", f"{node.name}.{member}") for member in members)


def said(node: ast.AST) -> str | None:
    """The word of a constant, or of a member of an enumeration."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
        return f"{last_name(node.value)}.{node.attr}"
    return None


def selects(holder: ast.AST, known: Alternatives) -> Iterator[tuple[str, int | None, ast.expr]]:
    """The values right below a node that select something."""
    if isinstance(holder, ast.Compare | ast.Subscript | ast.Expr):
        return
    for field, at, node in fields(holder):
        if field != "keys" and said(node) in known:
            yield field, at, node


def of_options(file: str, holder: ast.AST, known: Alternatives) -> Iterator[Variant]:
    """Edits that select something else, leave out one of several, or turn a switch."""
    for field, at, node in selects(holder, known):
        word = said(node) or ""
        for other in sorted(known[word] - {word})[:_MANY]:
            new = ast.Constant(other) if isinstance(node, ast.Constant) else ast.parse(other, mode="eval").body
            yield Variant(file, node.lineno, "option", "other", replaced(holder, field, at, _placed(new, node)))
        if isinstance(holder, ast.List) and len(holder.elts) > 1:
            rest = [item for item in holder.elts if item is not node]
            yield Variant(file, node.lineno, "option", "other", replaced(holder, "elts", None, rest))
    if isinstance(holder, ast.Dict | ast.Assign | ast.AnnAssign):
        for field, at, node in fields(holder):
            if field != "keys" and isinstance(node, ast.Constant) and isinstance(node.value, bool):
                new = _placed(ast.Constant(not node.value), node)
                yield Variant(file, node.lineno, "option", "other", replaced(holder, field, at, new))


def _placed(new: ast.expr, old: ast.expr) -> ast.expr:
    for node in walk(new):
        ast.copy_location(node, old)
    return new
