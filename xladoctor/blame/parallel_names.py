"""Two definitions whose names differ in one word, `n_users` and `n_items`: the one that does not use what has its own
word, while the other one does.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, nodes_of, statements, walk

_PLAIN = frozenset({"a", "b", "i", "j", "x", "y", "0", "1", "2", "in", "out", ""})
"""Words that stand for another thing in each line."""
_MOST = 60


def of_parallel_names(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    if not crash.sizes:
        return
    for file, tree in files.trees(f for f, _ in hops).items():
        known = {n.attr if isinstance(n, ast.Attribute) else n.id for n in walk(tree)
                 if isinstance(n, ast.Attribute | ast.Name)}  # fmt: skip
        found: list[Found] = []
        for scope in (tree, *nodes_of(tree, ast.ClassDef), *nodes_of(tree, ast.FunctionDef)):
            found += _of_scope(_definitions(scope), known)
        yield from conventions(file, found, hops)


def _definitions(scope: ast.AST) -> list[tuple[str, ast.expr]]:
    """What a scope defines, with the value: assigned names, and methods that only return something."""
    found: list[tuple[str, ast.expr]] = []
    body: list[ast.stmt] = scope.body  # type: ignore[attr-defined]
    for node in body if isinstance(scope, ast.ClassDef) else statements(scope):
        if isinstance(node, ast.FunctionDef):
            inner = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
            value = inner[0].value if len(inner) == 1 and isinstance(inner[0], ast.Return) else None
            found += [(node.name, value)] if value is not None else []
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            found += [(last_name(target), node.value)] if isinstance(target, ast.Name | ast.Attribute) else []
    return found[:_MOST]


def _of_scope(all_made: list[tuple[str, ast.expr]], known: set[str]) -> Iterator[Found]:
    times = Counter(name for name, _ in all_made)
    # What is made in several steps uses its own name in most of them.
    made = [(name, value) for name, value in all_made if times[name] == 1]
    for name, value in made:
        for other, beside in made:
            pair = _differ(name, other)
            if pair is None or beside is value or len(ast.unparse(value)) > 120:
                continue
            own, others = pair
            uses = [w for w in _names(beside) if _has(w, others)]
            counterparts = [w for use in uses for w in _in_place(use, others, own) if w in known]
            if not counterparts or any(_has(w, own) for w in _names(value)):
                continue
            if other in _names(value):
                continue  # one of the two is worked out from the other
            taken = next((w for w in _names(value) if _has(w, others)), None)
            if taken is not None:
                yield value.lineno, 8.4, f"It makes `{name}` of `{taken}`, where `{other}` is made of it, too."
            elif not isinstance(value, ast.Constant) and not isinstance(beside, ast.Constant):
                yield (
                    value.lineno,
                    7.6,
                    f"It makes `{name}` without `{counterparts[0]}`; `{other}` is made of `{uses[0]}`.",
                )


def _differ(name: str, other: str) -> tuple[str, str] | None:
    """The one word in which two names differ."""
    one, two = name.split("_"), other.split("_")
    apart = [(a, b) for a, b in zip(one, two, strict=False) if a != b]
    if len(one) != len(two) or len(one) < 2 or len(apart) != 1 or set(apart[0]) & _PLAIN:
        return None
    return apart[0]


def _names(node: ast.AST) -> list[str]:
    """The names and attributes in a value."""
    return [n.id if isinstance(n, ast.Name) else n.attr for n in walk(node) if isinstance(n, ast.Name | ast.Attribute)]


def _has(name: str, word: str) -> bool:
    """Whether a name has a word, as one or several of it."""
    return any(part.rstrip("s") == word.rstrip("s") for part in name.split("_"))


def _in_place(name: str, word: str, other: str) -> list[str]:
    """A name with another word in the place of one, as one and as several."""
    parts = name.split("_")
    return [
        "_".join(new if p.rstrip("s") == word.rstrip("s") else p for p in parts)
        for new in dict.fromkeys((other, other.rstrip("s")))
    ]
