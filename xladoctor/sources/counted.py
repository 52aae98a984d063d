"""How many rows an expression has, by what the names of the run held, and whether a model gave them."""

from __future__ import annotations

import ast

from xladoctor.sources.backward import Made
from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, nodes_of, operands
from xladoctor.sources.predictions import LAYOUT, PREDICTS

_DEPTH = 6
_MOST = 60
_MODULES = frozenset({"np", "numpy", "tf", "tensorflow", "math"})
_BY_ROW = LAYOUT | frozenset(
    {"abs", "argmax", "cast", "clip", "exp", "itertuples", "log", "reset_index", "round", "sigmoid", "softmax", "sqrt",
     "square", "tuple"}
)  # fmt: skip
"""What gives an item for each row that it gets."""
_MODELS = frozenset({"Functional", "Model", "Sequential", "load_model"})
_FIRST = frozenset({"head", "islice", "take", "sample"})


def rows_of(view: View, node: ast.expr, depth: int = _DEPTH) -> int | None:
    """How many rows, or items, an array, table or list has; None where it is not known."""
    if not depth:
        return None
    held = view.held(node)
    if held is not None:
        return held.shape[0] if held.shape and held.kind != "number" else None
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        return rows_of(view.of(made[0]), made[0].value, depth - 1) if len(made) == 1 and _is_it(made[0]) else None
    if isinstance(node, ast.Subscript):
        return rows_of(view, node.value, depth - 1) if _keeps_rows(view, node) else None
    if isinstance(node, ast.Attribute):
        table = view.held(node.value)
        of_table = table is not None and table.kind == "table"
        return rows_of(view, node.value, depth - 1) if of_table or node.attr in ("values", "index") else None
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in PREDICTS and node.args:
            return rows_of(view, node.args[0], depth - 1)
        of = operands(node, _MODULES)[0] if name in _BY_ROW else None
        return rows_of(view, of, depth - 1) if of is not None else None
    return None


def _is_it(made: Made) -> bool:
    """Whether a value is that of an assignment, and not what a loop goes through or one part of several."""
    return isinstance(made.statement, ast.Assign | ast.AnnAssign) and made.part is None


def _keeps_rows(view: View, node: ast.Subscript) -> bool:
    """`table["a"]`, `table[["a", "b"]]`, `x[:, 0]`, `x[..., 0]`: all rows."""
    at = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    if isinstance(at, ast.Constant):
        return at.value is ... or isinstance(at.value, str)
    if isinstance(at, ast.Slice):
        return at.lower is at.upper is at.step is None
    held = view.held(node.value)
    text = isinstance(at, ast.List) and all(isinstance(getattr(e, "value", None), str) for e in at.elts)
    return text or (isinstance(at, ast.Call) and last_name(at.func) == "list" and held is not None and bool(held.index))


def models(view: View) -> set[str]:
    """The names of what gives a result for each row of a batch: models, and functions that call one or are traced."""
    found: set[str] = set()
    classes = {c.name for v in view.every() for c in nodes_of(v.tree, ast.ClassDef) if _MODELS & _bases(c)}
    for tree in (v.tree for v in view.every()):
        for assign in nodes_of(tree, ast.Assign):
            if isinstance(assign.value, ast.Call) and last_name(assign.value.func) in _MODELS | classes:
                found |= {last_name(t) for t in assign.targets}
    own = [(name, f) for name, several in view.back.functions.items() for _, f in several]
    found |= {name for name, f in own if any("function" in ast.unparse(d) for d in f.decorator_list)}
    found |= {name for name, f in own if any(last_name(c.func) in found | PREDICTS for c in nodes_of(f, ast.Call))}
    return found - {"", "call", "__init__", "__call__"}


def _bases(owner: ast.ClassDef) -> set[str]:
    return {last_name(b) for b in owner.bases}


def predicted(view: View, node: ast.expr, known: set[str]) -> bool | None:
    """Whether a model gave what an expression is made of: None where it was given the first rows alone."""
    found = _calls(node, known)
    for number, made in enumerate(view.made(node)):
        if number > _MOST:
            break
        if _takes_first(made.value):
            return None
        found = found or _calls(made.value, known)
    return None if _takes_first(node) else found


def _calls(node: ast.AST, known: set[str]) -> bool:
    return any(last_name(c.func) in known | PREDICTS for c in nodes_of(node, ast.Call))


def _takes_first(node: ast.AST) -> bool:
    """`x[:k]`, `data.take(k)`, `table.head()`."""
    cuts = any(s.lower is None and s.upper is not None for s in nodes_of(node, ast.Slice))
    return cuts or any(last_name(c.func) in _FIRST for c in nodes_of(node, ast.Call))
