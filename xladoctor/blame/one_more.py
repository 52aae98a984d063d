"""One more than there should be: labels that stay among the columns of the data, an element that a list gets outside of
the loop which fills it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import cast

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import assigned_once, keyword, last_name, names_in, text_key, walk, within

_LEARNS = frozenset({"fit", "train_on_batch", "train_test_split", "from_tensor_slices", "evaluate"})
_Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


def of_one_more(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on, where two of its sizes differ by one."""
    if not any(abs(a - b) == 1 for a in crash.sizes for b in crash.sizes):
        return
    for file, tree in files.trees(f for f, _ in hops).items():
        scopes: list[_Scope] = [tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))]
        found = [f for scope in scopes for f in (*_kept_labels(scope), *_added_outside(scope))]
        yield from conventions(file, found, hops)


# -- labels among the columns -----------------------------------------------------------------------------------------


def _kept_labels(scope: _Scope) -> Iterator[Found]:
    """`[c for c in df.columns if c != "id"]`, `df.drop(columns="id")` or `df.values`, beside `y = df["label"]`."""
    known = assigned_once(scope)
    labels = dict(_labels(scope, known))
    if not labels:
        return
    nodes = list(within(scope))
    removed = {popped for n in nodes if (popped := _popped(n)) is not None}
    deleted = [t for n in nodes if isinstance(n, ast.Delete) for t in n.targets if isinstance(t, ast.Subscript)]
    removed |= {(last_name(t.value), text_key(t) or "") for t in deleted}
    for node in nodes:
        frame, left_out = _columns(node, known)
        column = labels.get(frame)
        if column is None or left_out is None or column in left_out or (frame, column) in removed:
            continue
        yield getattr(node, "lineno", 0), 8.4, f"It keeps the column `{column}`, which is what the model learns."


def _labels(scope: _Scope, known: Mapping[str, ast.expr]) -> Iterator[tuple[str, str]]:
    """The frames of which one column is what a model learns, and that column."""
    for call in within(scope):
        if not isinstance(call, ast.Call) or last_name(call.func) not in _LEARNS:
            continue
        given = keyword(call, "y") or (call.args[1] if len(call.args) > 1 else None)
        if given is None and call.args and isinstance(call.args[0], ast.Tuple) and len(call.args[0].elts) == 2:
            given = call.args[0].elts[1]
        value = known.get(given.id) if isinstance(given, ast.Name) else given
        taken = [n for n in walk(value) if isinstance(n, ast.Subscript)] if value is not None else []
        for part in taken:
            if isinstance(part.value, ast.Name) and (column := text_key(part)):
                yield part.value.id, column


def _columns(node: ast.AST, known: Mapping[str, ast.expr]) -> tuple[str, set[str] | None]:
    """The frame of which a node takes many columns, and those that it leaves out; None where that is not known."""
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        one = node.generators[0]
        of = one.iter.value if isinstance(one.iter, ast.Attribute) and one.iter.attr == "columns" else one.iter
        if isinstance(of, ast.Name) and one.ifs and isinstance(node.elt, ast.Name):
            names = {n for test in one.ifs for n in names_in(test)} - names_in(one.target)
            parts = [*one.ifs, *(known[n] for n in names if n in known)]
            return of.id, _texts(parts) if names <= set(known) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        frame, name = node.func.value.id, node.func.attr
        if name == "to_numpy":
            return frame, set()
        if name == "drop":
            return frame, _dropped(node, known)
    if isinstance(node, ast.Attribute) and node.attr == "values" and isinstance(node.value, ast.Name):
        return node.value.id, set()
    return "", None


def _dropped(call: ast.Call, known: Mapping[str, ast.expr]) -> set[str] | None:
    axis = keyword(call, "axis") or (call.args[1] if len(call.args) > 1 else None)
    of_columns = isinstance(axis, ast.Constant) and axis.value in (1, "columns")
    given = keyword(call, "columns") or (call.args[0] if call.args and of_columns else None)
    value = known.get(given.id) if isinstance(given, ast.Name) else given
    return None if value is None or (names_in(value) and not isinstance(given, ast.Name)) else _texts([value])


def _popped(node: ast.AST) -> tuple[str, str] | None:
    """The frame and the column of `df.pop("label")`."""
    act = node.func if isinstance(node, ast.Call) and node.args else None
    if not isinstance(act, ast.Attribute) or act.attr != "pop":
        return None
    return last_name(act.value), _text(cast(ast.Call, node).args[0])


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _texts(nodes: list[ast.expr]) -> set[str]:
    return {_text(n) for node in nodes for n in walk(node) if isinstance(n, ast.Constant)} - {""}


# -- an element outside of the loop -----------------------------------------------------------------------------------


def _added_outside(scope: _Scope) -> Iterator[Found]:
    """`states.append(s)` after the loop, or `states = [s]` before it, where the loop fills `states` and `actions`."""
    loops = [n for n in within(scope) if isinstance(n, ast.For | ast.While)]
    filled = [{name for name, _ in _appends(loop)} for loop in loops]
    inside = {id(call) for loop in loops for _, call in _appends(loop)}
    outside = [(name, call.lineno) for name, call in _appends(scope) if id(call) not in inside]
    for name, value in (pair for n in within(scope) if isinstance(n, ast.Assign) for pair in _assigned(n)):
        if isinstance(value, ast.List) and len(value.elts) == 1:
            outside.append((name, value.lineno))
    more = {name for name, _ in outside}
    for name, line in outside:
        others = sorted({other for names in filled if name in names for other in names} - more)
        if others:
            yield line, 8.2, f"It gives `{name}` one element more than `{others[0]}`, which the same loop fills."


def _assigned(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """The names of an assignment, each with its value, also of `a, b = 1, 2`."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, node.value
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = zip(target.elts, node.value.elts, strict=False)
            yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))


def _appends(scope: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in within(scope):
        act = node.func if isinstance(node, ast.Call) else None
        if isinstance(act, ast.Attribute) and act.attr == "append" and isinstance(act.value, ast.Name):
            yield act.value.id, cast(ast.Call, node)
