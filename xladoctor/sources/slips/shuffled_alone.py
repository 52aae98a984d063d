"""One of several arrays that belong together put into another order: `order` indexes it, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from xladoctor.sources.loops import MEANT, MIXED
from xladoctor.sources.names import last_name, names_in, nodes_of, parameters, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip

_WORDS = re.compile("|".join(word for word in MEANT if word not in MIXED))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def shuffled_alone(tree: ast.Module) -> Iterator[Slip]:
    """`order = rng.permutation(len(x))`, and `return x[order], y`."""
    for function in (n for n in walk(tree) if isinstance(n, FUNCTIONS)):
        if _WORDS.search(f"{function.name} {ast.get_docstring(function) or ''}".lower()):
            continue
        for order, counted in _orders(function):
            uses = [n for n in nodes_of(function, ast.Name) if n.id == order and isinstance(n.ctx, ast.Load)]
            taken = [n for n in nodes_of(function, ast.Subscript) if any(n.slice is use for use in uses)]
            if not taken or len(uses) != len(taken) or not all(isinstance(t.value, ast.Name) for t in taken):
                continue
            other = _left(function, taken, counted)
            if other is not None and (len(taken) == 1 or _is_of_rows(other)):
                of = ast.unparse(taken[0].value)
                yield Slip(
                    "shuffled-alone",
                    taken[0].lineno,
                    f"`{of}` is put into another order, and `{other}` is not",
                    f"`{order}` indexes `{of}` alone. The function gives `{other}` back beside it, in the order that "
                    f"both had before, so each row of `{of}` meets that of another one.",
                )


def _orders(function: Function) -> Iterator[tuple[str, str]]:
    """(name, array whose rows are counted) of each permutation of the rows of an array."""
    for assign in nodes_of(function, ast.Assign):
        call, target = assign.value, assign.targets[0]
        if not (isinstance(call, ast.Call) and last_name(call.func) == "permutation" and isinstance(target, ast.Name)):
            continue
        count = call.args[0] if call.args else None
        if isinstance(count, ast.Call) and last_name(count.func) == "len" and count.args:
            yield target.id, last_name(count.args[0])
        elif isinstance(count, ast.Subscript) and last_name(count.value) == "shape":
            yield target.id, last_name(getattr(count.value, "value", count))


_NO_ROWS = re.compile(r"name|class|vocab|scale|stat|mean|std|columns?|config|settings|params|meta|info|weights$|shape")


def _is_of_rows(name: str) -> bool:
    """Whether something beside several arrays may be another one of them, by its name: `corners`."""
    return name.endswith("s") and not _NO_ROWS.search(name)


def _left(function: Function, taken: Sequence[ast.Subscript], counted: str) -> str | None:
    """What is given back beside the array in its new order, and belongs to it: the array whose rows were counted, a
    parameter beside it, or what was made beside it.
    """
    of = last_name(taken[0].value)
    names_of = {last_name(t.value) for t in taken}
    whole = list(taken)
    assigns = list(nodes_of(function, ast.Assign))
    given = set(parameters(function))
    again = {last_name(a.targets[0]) for a in assigns if any(a.value is t for t in whole)}
    tuples = [a.targets[0] for a in assigns if isinstance(a.targets[0], ast.Tuple)]
    beside = [{n.id for n in nodes_of(t, ast.Name)} for t in tuples]
    for returned in nodes_of(function, ast.Return):
        parts = _parts(returned.value)
        moved = [p for p in parts if any(p is t for t in whole) or last_name(p) in again]
        every = len(moved) == len(whole)
        for name in [p.id for p in parts if isinstance(p, ast.Name) and p not in moved] if every else ():
            made = [a for a in assigns if last_name(a.targets[0]) == name and a.lineno > whole[0].lineno]
            belongs = name == counted or {name, of} <= given or any({name, of} <= names for names in beside)
            if belongs and not any(names_in(a.value) & (again | names_of) for a in made):
                return name
    return None


def _parts(value: ast.expr | None) -> list[ast.expr]:
    if isinstance(value, ast.Tuple):
        return list(value.elts)
    return list(value.values) if isinstance(value, ast.Dict) else []
