"""Where a program puts something else in the place of a `tf.Variable`."""

from __future__ import annotations

import ast

from xladoctor.sources.names import dotted, last_name, walk
from xladoctor.sources.slips.slip import values_of_names

_MAKES = frozenset({"Variable", "add_weight", "add_variable"})


def rebound(tree: ast.Module) -> list[int]:
    """The lines of `self.b = self.b - step`, `w = w - step` and the like, for names that are made as variables."""
    found = []
    for name, values in values_of_names(tree).items():
        made = [v for v, _ in values if isinstance(v, ast.Call) and last_name(v.func) in _MAKES]
        others = [(v, line) for v, line in values if v not in made]
        found += [line for v, line in others if made and any(dotted(n) == name for n in walk(v))]
    return sorted(found)
