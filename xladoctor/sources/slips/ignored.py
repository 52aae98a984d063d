"""Arguments that a function takes and replaces by a constant, whatever its callers give."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from xladoctor.sources.names import argument, keyword, last_name, nodes_of, parameters, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip


def ignored(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """`self.fused = True` in a constructor that takes `fused`, and `fused = True` before anything reads it."""
    calls = [n for tree in trees.values() for n in nodes_of(tree, ast.Call)]
    for file, tree in trees.items():
        owners = {id(f): c.name for c in nodes_of(tree, ast.ClassDef) for f in c.body}
        for function in (n for n in walk(tree) if isinstance(n, FUNCTIONS)):
            for name, line, value in _replaced(function):
                asked = _asked(function, owners.get(id(function)), name, value, calls)
                if asked:
                    text = ast.unparse(value)
                    yield (
                        file,
                        Slip(
                            "argument-ignored",
                            line,
                            f"`{name}` is {text} here, whatever the callers of {function.name} give",
                            f"{function.name} takes `{name}` and nothing in it reads that. Line {asked.lineno} of the "
                            f"program gives `{ast.unparse(asked)}`, which has no effect.",
                        ),
                    )


def _replaced(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, int, ast.Constant]]:
    """(parameter, line, constant) of those that are replaced before anything but a call of the whole reads them."""
    names = set(parameters(function))
    for number, statement in enumerate(function.body):
        if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
            continue
        target, value = statement.targets[0], statement.value
        own = isinstance(target, ast.Attribute) and last_name(target.value) == "self"
        name = last_name(target) if own or isinstance(target, ast.Name) else ""
        if name not in names or not isinstance(value, ast.Constant) or value.value is None:
            continue
        before, after = function.body[:number], function.body[number + 1 :]
        handed = [s for s in before if own and _is_call(s)]
        rest = [s for s in before if s not in handed] + (after if own else [])
        if not any(_reads(s, name) for s in rest):
            yield name, statement.lineno, value


def _is_call(statement: ast.stmt) -> bool:
    """`super().__init__(...)`, `make(self, ...)`: what it makes of the argument is replaced."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    called = statement.value
    return last_name(called.func) == "__init__" or any(last_name(a) == "self" for a in called.args)


def _reads(statement: ast.AST, name: str) -> bool:
    return any(
        (isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.Call) and last_name(n.func) in ("locals", "vars"))
        for n in walk(statement)
    ) or any(
        isinstance(n, ast.Attribute) and n.attr == name and not isinstance(n.ctx, ast.Load) for n in walk(statement)
    )


def _asked(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    owner: str | None,
    name: str,
    value: ast.Constant,
    calls: list[ast.Call],
) -> ast.expr | None:
    """What a call gives for the argument, if it may be something else than the constant."""
    bound = {a.arg for a in function.args.args[:1]} & {"self", "cls"}
    made = owner if function.name == "__init__" else function.name
    for call in calls:
        called = last_name(call.func)
        # A function that takes self outside of a class is put into one: its callers are known by the keyword alone.
        if called != made and not (bound and owner is None and called not in ("super", "")):
            continue
        given = argument(call, function, name) if called == made else keyword(call, name)
        if given is not None and not (isinstance(given, ast.Constant) and given.value in (value.value, None)):
            return given
    return None
