"""When an assignment to `os.environ` can be moved above the import of TensorFlow, and nothing else changes.

Two groups of variables qualify. `TF_CPP_MIN_LOG_LEVEL` decides only what is logged. Those that are read when devices
are made or at the first compilation (docs/facts.md) have the same value then, above the import or below it.
`KERAS_BACKEND` and `TF_ENABLE_ONEDNN_OPTS` would take effect for the first time, and change the program.
"""

from __future__ import annotations

import ast
import sys

from xladoctor.lint.fix import Fix, move
from xladoctor.lint.project import Module, Project
from xladoctor.sources.names import dotted, imported, nodes_of, walk

_TENSORFLOW = ("tensorflow", "keras", "tf_keras")
# Their imports read and write none of the variables, and make no device.
_QUIET = frozenset({*_TENSORFLOW, *sys.stdlib_module_names, "numpy", "scipy", "pandas", "matplotlib"})


def fix_of(project: Project, module: Module, place: ast.AST, variable: str, imported_at: int) -> Fix | None:
    """The move of an assignment above the import in line `imported_at`, or None where it is not certain."""
    body = module.source.tree.body
    at = next((n for n, node in enumerate(body) if _holds(node, place)), None)
    first = next((n for n, node in enumerate(body) if node.lineno == imported_at), None)
    if at is None or first is None or first >= at or not _is_plain(body[at]) or not _alone(module, body, first):
        return None
    moved = [at]
    if any(variable in _texts(node) for node in body[:first]):
        return None  # it has another value during the import, which may be meant
    name = _environ_root(body[at])
    binding = next((n for n, node in enumerate(body[:at]) if _binds(node, name)), None)
    if binding is None or any(_binds(node, name) for node in body[binding + 1 : at]):
        return None
    if binding >= first:
        if not _is_standard_library(body[binding]):
            return None
        moved.insert(0, binding)
    between = [node for n, node in enumerate(body[first:at], first) if n != binding or binding < first]
    if not all(_is_quiet(project, module, node, variable) for node in between):
        return None
    if not all(_alone(module, body, n) for n in moved) or len(_cells(module, [first, *moved])) > 1:
        return None
    parts = [(body[n].lineno, body[n].end_lineno or body[n].lineno) for n in moved]
    title = f"Move the assignment of {variable} above the import in {module.source.place(imported_at)}"
    return move(module.source.lines, parts, imported_at, title)


def _holds(statement: ast.stmt, place: ast.AST) -> bool:
    return statement is place or (isinstance(statement, ast.Expr) and statement.value is place)


def _is_plain(node: ast.stmt) -> bool:
    """`os.environ["NAME"] = "text"`, or the same with `setdefault`."""
    if isinstance(node, ast.Assign):
        return len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript) and _is_text(node.value)
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and (
        (dotted(call.func) or "").endswith("environ.setdefault")
        and not call.keywords
        and len(call.args) == 2
        and all(_is_text(argument) for argument in call.args)
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _environ_root(node: ast.stmt) -> str:
    """The name that must be bound: `os` of `os.environ`."""
    names = (child.id for child in nodes_of(node, ast.Name))
    return next(names, "")


def _is_standard_library(node: ast.stmt) -> bool:
    full = imported(node, "").values() if isinstance(node, ast.Import | ast.ImportFrom) else ()
    return bool(full) and all(name.partition(".")[0] in sys.stdlib_module_names for name in full)


def _binds(statement: ast.stmt, name: str) -> bool:
    """Whether a statement may bind a name, or take it away."""
    for node in walk(statement):
        if isinstance(node, ast.alias):
            # A star may bring any name.
            bound = {node.asname or node.name.partition(".")[0], *([name] if node.name == "*" else [])}
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound = {node.id}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound = {node.name}
        else:
            continue
        if name in bound:
            return True
    return False


def _is_quiet(project: Project, module: Module, node: ast.stmt, variable: str) -> bool:
    """Whether a statement can neither read nor write the variable, nor make a device."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        full = imported(node, module.package).values()
        roots = {name.partition(".")[0] for name in full}
        # A module of the project may have the name of a library.
        return bool(roots) and roots <= _QUIET and not any(project.module(root, module) for root in roots)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or (_is_plain(node) and variable not in _texts(node))
    if not isinstance(node, ast.Assign):
        return False
    if _is_plain(node):
        target = node.targets[0]
        held = dotted(target.value) if isinstance(target, ast.Subscript) else None
        return (held or "").rpartition(".")[2] == "environ" and bool(_texts(target)) and variable not in _texts(target)
    return all(isinstance(target, ast.Name) for target in node.targets) and isinstance(node.value, ast.Constant)


def _texts(node: ast.AST) -> list[str]:
    return [c.value for c in nodes_of(node, ast.Constant) if isinstance(c.value, str)]


def _alone(module: Module, body: list[ast.stmt], at: int) -> bool:
    """Whether no other statement shares a line with this one. A comment behind it goes with it."""
    node = body[at]
    last = node.end_lineno or node.lineno
    text = module.source.lines[last - 1].encode()[node.end_col_offset or 0 :].strip()
    return node.col_offset == 0 and (not text or text.startswith(b"#"))


def _cells(module: Module, at: list[int]) -> set[int]:
    places = module.source.map
    return {places[module.source.tree.body[n].lineno - 1].cell for n in at} if places else {1}
