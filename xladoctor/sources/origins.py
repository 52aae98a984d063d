"""The expressions that a value comes from, element by element: through names, arguments, results, the fields of the
program's classes, and the keys of dicts, over all files.
"""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping

from xladoctor.sources.backward import Backward, Made
from xladoctor.sources.names import last_name, nodes_of, text_key

_MOST = 300
_NO_VALUE = frozenset({"shape", "dtype", "ndim", "size"})


class Origins:
    """Of a program: what its values are made of."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.back = Backward(trees)
        self._given: dict[str, list[Made]] = defaultdict(list)
        """What is put under a name into objects of the program's classes, or into dicts."""
        records = {n.name: fields_of(n) for tree in trees.values() for n in nodes_of(tree, ast.ClassDef)}
        for file, tree in trees.items():
            for call in nodes_of(tree, ast.Call):
                name = last_name(call.func)
                by_place = zip(records.get(name, ()), call.args, strict=False)
                by_name = [(k.arg, k.value) for k in call.keywords if k.arg and (name in records or name == "dict")]
                for key, value in [*by_place, *by_name]:
                    self._given[str(key)].append(_as_made(file, value))
            for node in nodes_of(tree, ast.Dict):
                for given, value in zip(node.keys, node.values, strict=True):
                    if isinstance(given, ast.Constant) and isinstance(given.value, str):
                        self._given[given.value].append(_as_made(file, value))

    def under(self, name: str) -> list[Made]:
        """What is put under a name into objects or dicts."""
        return [*self.back.attributes(name), *self._given.get(name, ())]

    def of(self, file: str, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """(file, expression), nearest first: each one whole, and what is within it only where it is no index."""
        todo: deque[tuple[str, ast.expr]] = deque([(file, node)])
        seen: set[int] = set()
        while todo and len(seen) < _MOST:
            here, value = todo.popleft()
            if id(value) in seen:
                continue
            seen.add(id(value))
            yield here, value
            todo += self._before(here, value)

    def _before(self, file: str, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        made: list[Made] = []
        if isinstance(node, ast.Name):
            for one in self.back.named(file, node):
                made += self.back.part_of(one.value, one.part) or [one]
        elif isinstance(node, ast.Attribute):
            made = self.under(node.attr) if node.attr not in _NO_VALUE else []
            if not made:
                yield file, node.value
        elif isinstance(node, ast.Subscript):
            key = text_key(node)
            made = self.under(key) if key is not None else []
            if not made:
                yield file, node.value
        elif isinstance(node, ast.Call):
            made = self.back.results(node)
            if not made:
                yield from ((file, a) for a in node.args if not isinstance(a, ast.Starred))
                if isinstance(node.func, ast.Attribute):
                    yield file, node.func.value
        else:
            yield from ((file, n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))
        yield from ((m.file, m.value) for m in made)


def _as_made(file: str, value: ast.expr) -> Made:
    return Made(file, value.lineno, ast.Expr(value=value, lineno=value.lineno), value)


def fields_of(cls: ast.ClassDef) -> list[str]:
    """The fields of a class that has them written down, in their order."""
    return [s.target.id for s in cls.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]
