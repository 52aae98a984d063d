"""Python that a traced function runs only while it is traced: a count that it adds to, a list that it fills."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import dotted, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import Slip, assigns, stored

_STEPS = frozenset({"test_step", "train_step"})
_MEANT = re.compile(r"trac|compil|graph|built", re.IGNORECASE)


def traced(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each count or list that something else reads."""
    eager = any(isinstance(n, ast.keyword | ast.Attribute) and "eagerly" in ast.unparse(n) for n in walk(tree))
    if eager or any("run_functions_eagerly" in last_name(n) for n in walk(tree)):
        return
    methods = {id(m) for c in nodes_of(tree, ast.ClassDef) if c.bases for m in c.body}
    variables = {dotted(t) for t, v, _ in assigns(tree) if isinstance(v, ast.Call) and "Variable" in last_name(v.func)}
    for function in nodes_of(tree, ast.FunctionDef):
        step = id(function) in methods and function.name in _STEPS
        if step or any("function" in last_name(getattr(d, "func", d)) for d in function.decorator_list):
            yield from _of_function(tree, function, variables)


def _of_function(tree: ast.Module, function: ast.FunctionDef, variables: set[str | None]) -> Iterator[Slip]:
    outer = {n for s in walk(function) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
    own = stored(function) | {a.arg for a in nodes_of(function, ast.arg)}
    inside = {id(n) for n in walk(function)}
    read = {dotted(n) for n in walk(tree) if id(n) not in inside and isinstance(getattr(n, "ctx", None), ast.Load)}
    for node in walk(function):
        name, what = None, ""
        if isinstance(node, ast.AugAssign):
            name, what = dotted(node.target), "counts how often it was traced"
            name = name if name in outer or str(name).startswith("self.") else None
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and last_name(node.value.func) == "append":
            of = node.value.func.value if isinstance(node.value.func, ast.Attribute) else None
            given = node.value.args[0] if node.value.args else ast.Constant(0)
            name, what = dotted(of) if of is not None else None, "has an item for each trace"
            name = name if name not in own and not isinstance(given, ast.Constant | ast.JoinedStr) else None
        if name is None or name in variables or _MEANT.search(name) or not _is_read(name, read):
            continue
        yield Slip(
            "runs-while-traced",
            getattr(node, "lineno", 0),
            f"`{name}` {what}, and not how often {function.name} was called",
            f"{function.name} is traced: TensorFlow runs its Python once for each kind of arguments, then the graph "
            "alone. What counts calls has to be a `tf.Variable` with `assign_add`, or stand outside of the function.",
        )


def _is_read(name: str, read: set[str | None]) -> bool:
    """Whether something outside reads it; of `self.n` also by the name of an object."""
    last = name.rpartition(".")[2]
    return name in read or (name != last and any(r and r.endswith(f".{last}") for r in read))
