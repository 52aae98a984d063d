"""Random numbers of NumPy and of Python's `random` that a function draws, and the lines that use them.

In a function that TensorFlow traces such a draw happens once, while the graph is made: the graph holds the number as a
constant. A table that is meant to be fixed comes from a generator that is made, or seeded, with a constant in the very
same function; it is none of these draws. Neither is a projection, which has the place of weights in a product.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.names import statements, within

_MAKERS = ("default_rng", "RandomState", "Generator", "Random")
_SEEDING = ("seed", "default_rng", "RandomState", "Random", "Generator", "SystemRandom", "get_state", "set_state",
            "getstate", "setstate", "SeedSequence", "PCG64", "Philox", "MT19937", "spawn", "bit_generator")  # fmt: skip
_PRODUCTS = frozenset({"matmul", "dot", "tensordot", "conv1d", "conv2d"})
_MATRICES = frozenset({"normal", "standard_normal", "uniform", "randn", "rand", "laplace", "choice", "random"})
_ONCE = frozenset({"__init__", "build", "__post_init__", "setUp", "get_config", "from_config"})
"""Methods in which numbers are drawn once on purpose."""


@dataclass(frozen=True)
class Draw:
    """A draw: the line of the call, its text, and the lines that its value reaches within the function; `decides` is
    whether it decides a branch of Python.
    """

    line: int
    text: str
    lines: tuple[int, ...]
    decides: bool


def draws(tree: ast.Module, name: str, line: int) -> list[Draw]:
    """The draws of the innermost function called `name` around a line."""
    functions = [
        n
        for n in ast.walk(tree)
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
        and n.name == name
        and n.lineno <= line <= (n.end_lineno or n.lineno)
    ]
    if not functions or name in _ONCE:
        return []
    function = max(functions, key=lambda n: n.lineno)
    if _seeds_itself(function) or _projects(function):
        return []
    modules, generators = _modules(tree), _generators(tree)
    found = []
    for statement in statements(function):
        for call in _own_calls(statement):
            if _is_draw(call, modules, generators):
                names = _targets(statement)
                uses = {n.lineno for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in names
                        and isinstance(n.ctx, ast.Load) and n.lineno > statement.lineno}  # fmt: skip
                decides = _computes(statement) or _in_test(statement, call)
                found.append(Draw(call.lineno, ast.unparse(call)[:80], tuple(sorted({call.lineno, *uses})), decides))
    return found


def _computes(statement: ast.stmt) -> bool:
    """Whether a branch or loop of Python, whose test draws, sets or returns something."""
    if not isinstance(statement, (ast.If, ast.While)):
        return False
    return any(isinstance(n, (ast.Assign, ast.AugAssign, ast.Return)) for n in ast.walk(statement))


def _modules(tree: ast.Module) -> dict[str, str]:
    """{name: module} of what stands for `numpy.random` or `random` in a file."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in ("numpy", "random", "numpy.random"):
                    whole = alias.asname is not None or "." not in alias.name
                    found[alias.asname or alias.name.partition(".")[0]] = alias.name if whole else "numpy"
        elif isinstance(node, ast.ImportFrom) and node.module == "numpy":
            found.update({a.asname or a.name: "numpy.random" for a in node.names if a.name == "random"})
    return found


def _generators(tree: ast.Module) -> set[str]:
    """The names and attributes that hold a generator of random numbers in a file, and nothing else."""
    found: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        names = {ast.unparse(t) for t in node.targets}
        made = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        theirs = made.startswith(("tf.", "tensorflow.", "keras.")) or made.rpartition(".")[2] not in _MAKERS
        (others if theirs else found).update(names)
    return found - others


def _is_draw(call: ast.Call, modules: dict[str, str], generators: set[str]) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr in _SEEDING:
        return False
    owner = ast.unparse(call.func.value)
    if owner in generators:
        return True
    head, _, rest = owner.partition(".")
    module = modules.get(head)
    if module == "numpy":
        return rest == "random"
    return module in ("random", "numpy.random") and not rest


def _seeds_itself(function: ast.AST) -> bool:
    """Whether a function makes, or seeds, a generator with something that is written there."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).rpartition(".")[2] in (*_MAKERS, "seed"):
            return True
    return False


def _projects(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function multiplies what it is given by a drawn matrix, `x @ w`: all calls are to have the same one."""
    given = {a.arg for a in (*function.args.posonlyargs, *function.args.args)} - {"self", "cls"}
    drawn = {t for s in statements(function) if isinstance(s, ast.Assign) and _mentions_draw(s) for t in _targets(s)}
    for node in ast.walk(function):
        sides: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            sides = [node.left, node.right]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _PRODUCTS:
            sides = node.args[:2]
        names = [s.id for s in sides if isinstance(s, ast.Name)]
        if len(names) == 2 and names[0] in given and names[1] in drawn:
            return True
    return False


def _mentions_draw(statement: ast.Assign) -> bool:
    calls = (n for n in ast.walk(statement.value) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    return any(c.func.attr in _MATRICES for c in calls if isinstance(c.func, ast.Attribute))


def _own_calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls of a statement's own expressions, not those of the statements in its body."""
    return (n for n in within(statement, (ast.stmt, ast.Lambda)) if isinstance(n, ast.Call))


def _targets(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}


def _in_test(statement: ast.stmt, call: ast.Call) -> bool:
    tests = [n.test for n in ast.walk(statement) if isinstance(n, ast.IfExp)]
    return any(call is n for t in tests for n in ast.walk(t))
