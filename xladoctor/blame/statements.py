"""How each kind of statement is followed. A function returns True where it leaves the function or the loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xladoctor.blame import expressions
from xladoctor.blame.arithmetic import truth
from xladoctor.blame.values import (
    Array,
    Class,
    Const,
    Dim,
    Function,
    Instance,
    Library,
    Origin,
    Scope,
    Seq,
    Value,
    renamed,
)
from xladoctor.sources.names import canonical, imported, nodes_of

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_ITEMS = 64
_ROUNDS = 2
"""Of a loop whose end is not known."""
_MOST_ROUNDS = 32


def _expression(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.Expr)
    run.simple(node, scope, lambda: run.value(node.value, scope))
    return False


def _assign(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.Assign)

    def act() -> None:
        value = run.value(node.value, scope)
        if isinstance(value, Const) and all(isinstance(t, ast.Name | ast.Attribute) for t in node.targets):
            value = _named(value, node, scope)
        if isinstance(value, Array) and isinstance(node.value, ast.Name | ast.Attribute):
            value = renamed(value, Origin("assignment", scope.file, node.lineno, "an assignment"))
            value.name = ""
        for target in node.targets:
            run.assign(target, value, scope)

    run.simple(node, scope, act)
    return False


def _named(value: Const, node: ast.Assign, scope: Scope) -> Const:
    """A number that gets another name: `units = width`, `features = frame.shape[1]`."""
    old = value.dim.origin if value.dim is not None else value.origin
    if old is None or old.line == node.lineno or not isinstance(value.value, int) or isinstance(value.value, bool):
        return value
    here = Origin("constant", scope.file, node.lineno, ast.unparse(node)[:60], (old,))
    if value.dim is not None and isinstance(node.value, ast.Subscript | ast.Call):
        return Const(value.value, here, Dim(value.dim.size, here, value.dim.batch))
    is_name = isinstance(node.value, ast.Name | ast.Attribute)
    return Const(value.value, here, value.dim) if is_name else value


def _annotated(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.AnnAssign)
    given = node.value
    if given is not None:
        run.simple(node, scope, lambda: run.assign(node.target, run.value(given, scope), scope))
    return False


def _augmented(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.AugAssign)
    both = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
    run.simple(node, scope, lambda: run.assign(node.target, run.value(both, scope), scope))
    return False


def _loaded(target: ast.expr) -> ast.expr:
    return target


def _if(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.If)
    call = run.calls[-1]
    call.node, call.first, call.last = node.test, node.test.lineno, node.test.end_lineno or node.test.lineno
    known = truth(run.value(node.test, scope))
    line = scope.until
    if line and (known is None or call.short):
        if _holds(node.body, line):
            known = True
        elif _holds(node.orelse, line):
            known = False
    if known is not None:
        return run.block(node.body if known else node.orelse, scope)
    left = run.block(node.orelse, scope) if node.orelse else False
    return run.block(node.body, scope) and left and bool(node.orelse)


def _holds(body: Sequence[ast.stmt], line: int) -> bool:
    return any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in body)


def _for(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.For | ast.AsyncFor)
    over: list[Value] = []
    run.simple(node.iter, scope, lambda: over.append(run.value(node.iter, scope)))
    through = over[0] if over else Value()
    items = expressions.items(run, through)
    call = run.calls[-1]
    short = not isinstance(through, Seq) or through.is_open or through.length not in (None, len(through.items))
    call.loops, call.short = call.loops + 1, call.short + short
    mine = scope.names.get("self")
    held = [*scope.names.values(), *(mine.names.values() if isinstance(mine, Instance) else ())]
    lists = [(v, len(v.items)) for v in held if isinstance(v, Seq)]
    if isinstance(through, Array) or type(through) is Value or (isinstance(through, Seq) and through.is_open):
        _forget_flags(node, scope)
    try:
        for item in items[:_ITEMS]:
            run.simple(node.target, scope, lambda item=item: run.assign(node.target, item, scope))  # type: ignore[misc]
            run.block(node.body, scope)
            if scope.returned and _always_returns(node.body):
                break
    finally:
        call.loops, call.short = call.loops - 1, call.short - short
    for grown, before in lists:
        if len(grown.items) > before:
            grown.origin = Origin(
                "array", scope.file, node.lineno, "a list that a loop fills", _parents(grown, through)
            )
    if isinstance(through, Array) or type(through) is Value:
        _stand_for_more(lists, through)
    run.block(node.orelse, scope)
    return False


def _forget_flags(node: ast.For | ast.AsyncFor | ast.While, scope: Scope) -> None:
    """Before a loop of which some rounds are followed: what is None, True or False at first may not be so in a later
    round, if the loop assigns it.
    """
    for name in {n.id for s in node.body for n in nodes_of(s, ast.Name) if isinstance(n.ctx, ast.Store)}:
        known = scope.names.get(name)
        if isinstance(known, Const) and (known.value is None or isinstance(known.value, bool)):
            scope.names[name] = Value(known.origin)


def _parents(*values: Value) -> tuple[Origin, ...]:
    return tuple(v.origin for v in values if v.origin is not None)


def _stand_for_more(lists: list[tuple[Seq, int]], through: Value) -> None:
    """Lists that grew in a loop of which one round was followed: how long they are tells the number of rounds."""
    rounds = through.dims[0].size if isinstance(through, Array) and through.dims else None
    for grown, before in lists:
        new = len(grown.items) - before
        if not new:
            continue
        if rounds is not None and not before and grown.length is None:
            grown.length = new * rounds
        else:
            grown.is_open = True


def _always_returns(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(s, ast.Return) for s in body)


def _while(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.While)
    call = run.calls[-1]
    run.simple(node.test, scope, lambda: run.value(node.test, scope))
    _forget_flags(node, scope)
    call.loops, call.short = call.loops + 1, call.short + 1
    try:
        for count in range(_MOST_ROUNDS):
            again = truth(run.value(node.test, scope))
            if again is False or (again is None and count >= _ROUNDS) or scope.returned:
                break
            run.block(node.body, scope)
    finally:
        call.loops, call.short = call.loops - 1, call.short - 1
    return False


def _with(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.With | ast.AsyncWith)

    def act() -> None:
        for item in node.items:
            value = run.value(item.context_expr, scope)
            if item.optional_vars is not None:
                run.assign(item.optional_vars, value, scope)

    head = ast.copy_location(ast.Pass(), node)
    head.end_lineno = max((i.context_expr.end_lineno or node.lineno) for i in node.items)
    run.simple(head, scope, act)
    return run.block(node.body, scope)


def _try(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.Try)
    left = run.block(node.body, scope)
    for handler in node.handlers:
        if _holds(handler.body, scope.until):
            left = run.block(handler.body, scope)
    if not left:
        left = run.block(node.orelse, scope)
    return run.block(node.finalbody, scope) or left


def _function(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    scope.names[node.name] = _decorated(run, node, Function(node, scope), scope)
    return False


def _decorated(run: Follower, node: ast.FunctionDef | ast.AsyncFunctionDef, made: Function, scope: Scope) -> Value:
    """A function as the decorators of the user's make it; those of libraries leave it as it is."""
    found: Value = made
    for decorator in reversed(node.decorator_list):
        known = isinstance(decorator, ast.Name | ast.Attribute) or (
            isinstance(decorator, ast.Call) and isinstance(run.value(decorator.func, scope), Function)
        )
        act = run.value(decorator, scope) if known else None
        wrapped = expressions.call(run, act, [found], {}) if isinstance(act, Function) else None
        found = wrapped if isinstance(wrapped, Function) else found
    return found


def _class(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.ClassDef)
    call = run.calls[-1]
    call.node, call.first, call.last = node, node.lineno, node.lineno
    found = Class(node, scope, [run.value(base, scope) for base in node.bases])
    inner = Scope(scope.file, node.name, outer=scope)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            found.names[statement.name] = Function(statement, scope, owner=found)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            run.block([statement], inner)
    found.names = {**inner.names, **found.names}
    scope.names[node.name] = found
    return False


def _import(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.Import | ast.ImportFrom)
    call = run.calls[-1]
    call.node, call.first, call.last = node, node.lineno, node.end_lineno or node.lineno
    package = run.files.package(scope.file)
    for local, full in imported(node, package).items():
        member = isinstance(node, ast.ImportFrom)
        scope.names[local] = (_member(run, full, scope.file) if member else None) or _module_or_member(
            run, full, scope.file
        )
    if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
        _everything(run, node, package, scope)
    return False


def _member(run: Follower, full: str, near: str) -> Value | None:
    """What a package has by a name of its own, which comes before a module of that name: `from .train import train`."""
    head = full.rpartition(".")[0]
    file = run.files.module(head, near) if head else None
    inner = run.module(file, head) if file is not None else None
    return inner.scope.names.get(full.rpartition(".")[2]) if inner is not None else None


def _module_or_member(run: Follower, full: str, near: str) -> Value:
    file = run.files.module(full, near)
    if file is not None:
        return run.module(file, full) or Library(full)
    head, _, last = full.rpartition(".")
    file = run.files.module(head, near) if head else None
    inner = run.module(file, head) if file is not None else None
    if inner is not None:
        return inner.scope.names.get(last) or Value()
    return Library(canonical(full))


def _everything(run: Follower, node: ast.ImportFrom, package: str, scope: Scope) -> None:
    base = node.module or ""
    if node.level:
        above = package.split(".") if package else []
        base = ".".join([*above[: len(above) - node.level + 1], *([base] if base else [])])
    file = run.files.module(base, scope.file)
    inner = run.module(file, base) if file is not None else None
    if inner is not None:
        scope.names.update({k: v for k, v in inner.scope.names.items() if not k.startswith("_")})
    else:
        scope.names.setdefault("<star>", Seq([]))
        stars = scope.names["<star>"]
        if isinstance(stars, Seq):
            stars.items.append(Library(canonical(base)))


STATEMENTS: dict[type[ast.stmt], Callable[[Follower, ast.stmt, Scope], bool]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
"""By the kind of statement."""
