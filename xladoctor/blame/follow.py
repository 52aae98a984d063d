"""Follows a program from its first line to the one that failed: statements, calls of the user's functions, loops.

Nothing is run. Of a branch whose test is not known the one that holds the failing line is followed, else both; a loop
over what is known is followed item by item, any other once.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from xladoctor.blame import expressions
from xladoctor.blame.algebra import broadcast
from xladoctor.blame.batches import Batching
from xladoctor.blame.crash import Crash
from xladoctor.blame.files import Files
from xladoctor.blame.values import (
    Array,
    Clash,
    Class,
    Const,
    Dataset,
    Dim,
    Function,
    Instance,
    Library,
    Map,
    ModuleValue,
    Origin,
    Scope,
    Seq,
    Value,
    array,
    renamed,
    unknown,
)
from xladoctor.model.blame import StepKind
from xladoctor.sources.names import canonical, imported

_STEPS = 300_000
_DEEPEST = 40
_SAME = 3
_ITEMS = 64
_ROUNDS = 2


class Reached(Exception):
    """The line that failed was followed: nothing after it was run."""


class TooLong(Exception):
    """The program branches out too far to be followed."""


@dataclass(eq=False)
class Call:
    """One of the user's calls that is under way: where it stands, and in how many loops."""

    file: str
    scope: Scope
    node: ast.AST | None = None
    first: int = 0
    last: int = 0
    loops: int = 0
    keywords: dict[str, int] = field(default_factory=dict)
    """The lines of the keyword arguments of the call of this moment."""


@dataclass(eq=False)
class Arrival:
    """The failing statement, as it was come to: what was evaluated in it, and the clashes that were seen there."""

    whole: bool
    """Whether all calls of the traceback agree, not the innermost alone."""
    values: list[tuple[ast.expr, Value]] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)
    scope: Scope | None = None
    statement: ast.AST | None = None


class Follower:
    """Follows one program. `arrivals` and `clashes` are what it found."""

    def __init__(self, files: Files, crash: Crash) -> None:
        self.files = files
        self.crash = crash
        self.calls: list[Call] = []
        self.clashes: list[Clash] = []
        self.arrivals: list[Arrival] = []
        self.steps = 0
        self._open: list[ast.AST] = []
        self._modules: dict[str, ModuleValue] = {}
        self._watching: Arrival | None = None
        self.arrays: list[Array] = []
        self.made: list[Value] = []
        self.fits: list[Batching] = []
        self.reads: dict[Origin, set[tuple[str, int]]] = {}

    def run(self, file: str) -> None:
        """Follow the program that starts with this file."""
        with contextlib.suppress(Reached, TooLong, RecursionError):
            self.module(file, "__main__")

    def enter_frames(self) -> None:
        """Follow the recorded calls from the outermost function that can be found, with what was recorded of them.

        For what a framework calls: tests, callbacks, workers.
        """
        for at, frame in enumerate(self.crash.frames):
            module = self._modules.get(frame.file)
            if module is None and self.files.source(frame.file) is None:
                continue
            try:
                found = module or self.module(frame.file, frame.file)
                function = _found(found.scope, frame.function) if found is not None else None
                if function is not None:
                    self.crash = replace(self.crash, frames=self.crash.frames[at:])
                    self.enter(function, (), {})
                    return
            except (Reached, TooLong, RecursionError):
                return

    def step(self) -> None:
        """One more expression."""
        self.steps += 1
        if self.steps > _STEPS:
            raise TooLong

    # -- what the library rooms ask ------------------------------------------------------------------------------

    def origin(self, kind: StepKind, text: str = "", *sources: Value | None) -> Origin:
        """An origin at the line of this moment, made from what the sources were made from."""
        call = self.calls[-1]
        node = call.node
        parents = tuple(
            dict.fromkeys(s.origin for s in sources if s is not None and s.origin is not None and _is_source(s))
        )
        return Origin(kind, call.file, getattr(node, "lineno", call.first), text, parents[:12])

    def clash(
        self,
        relation: str,
        what: str,
        values: Sequence[Value],
        axes: Sequence[int | None],
        sides: Sequence[Dim],
        hint: str = "",
    ) -> None:
        """Note that a constraint is broken here."""
        stack = tuple((c.file, getattr(c.node, "lineno", c.first)) for c in self.calls)
        found = Clash(relation, what, tuple(values), tuple(axes), tuple(sides), stack, hint)
        self.clashes.append(found)
        if self._watching is not None:
            self._watching.clashes.append(found)

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """The value of an expression."""
        self.step()
        found = expressions.value(self, node, scope)
        if self._watching is not None:
            self._watching.values.append((node, found))
        if isinstance(found, Array):
            self.arrays.append(found)
        return found

    # -- modules and calls ---------------------------------------------------------------------------------------

    def module(self, file: str, name: str) -> ModuleValue | None:
        """A module of the user's, followed once."""
        if file in self._modules:
            return self._modules[file]
        source = self.files.source(file)
        if source is None:
            return None
        scope = Scope(file, "<module>")
        scope.names["__name__"] = Const(name)
        scope.names["__file__"] = Const(None)
        found = self._modules[file] = ModuleValue(scope)
        self._with_recorded(scope)
        self.calls.append(Call(file, scope))
        try:
            self.block(source.tree.body, scope)
        finally:
            self.calls.pop()
        return found

    def enter(self, function: Function, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        """Follow a call of a function of the user's, and return what it gives."""
        node = function.node
        if len(self.calls) >= _DEEPEST or self._open.count(node) >= _SAME:
            return unknown(*args)
        scope = Scope(function.scope.file, getattr(node, "name", "<lambda>"), outer=function.scope)
        if isinstance(function.owner, Class):
            scope.names["__class__"] = function.owner
        given = [function.bound, *args] if function.bound is not None else list(args)
        expressions.bind_arguments(self, node, given, kwargs, scope)
        self._with_recorded(scope)
        self._open.append(node)
        self.calls.append(Call(scope.file, scope))
        try:
            if isinstance(node, ast.Lambda):
                self._simple(node.body, scope, lambda: scope.returned.append(self.value(node.body, scope)))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.block(node.body, scope)
        finally:
            self.calls.pop()
            self._open.pop()
        yields = scope.names.get("<yields>")
        if isinstance(yields, Seq):
            return Dataset(yields.items[0], yields.origin)
        return _returned(scope)

    def _with_recorded(self, scope: Scope) -> None:
        frame = self.crash.frame(scope.file, scope.function)
        if frame is not None:
            scope.shapes, scope.until = dict(frame.shapes), frame.line

    # -- statements ----------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> bool:
        """Follow statements; True where one of them leaves the function or the loop."""
        for statement in body:
            kind = _STATEMENTS.get(type(statement))
            if kind is not None:
                if kind(self, statement, scope):
                    return True
            elif isinstance(statement, ast.Return | ast.Break | ast.Continue | ast.Raise):
                if isinstance(statement, ast.Return) and statement.value is not None:
                    self._return(statement, statement.value, scope)
                return True
        return False

    def _return(self, statement: ast.Return, value: ast.expr, scope: Scope) -> None:
        def act() -> None:
            found = self.value(value, scope)
            here = Origin("assignment", scope.file, statement.lineno, "a return")
            names = value.elts if isinstance(value, ast.Tuple) else [value]
            if isinstance(found, Array) and isinstance(value, ast.Name):
                found = renamed(found, here)
            elif isinstance(found, Seq) and len(names) == len(found.items):
                for i, (name, item) in enumerate(zip(names, found.items, strict=True)):
                    if isinstance(item, Array) and isinstance(name, ast.Name | ast.Call | ast.Attribute):
                        found.items[i] = renamed(item, here)
            scope.returned.append(found)

        self._simple(statement, scope, act)

    def _simple(self, node: ast.AST, scope: Scope, act: Callable[[], object]) -> None:
        """Follow a statement that holds no others, watching it where it is the one that failed."""
        call = self.calls[-1]
        call.node, call.first, call.last = node, getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        whole = self.crash.is_here([(c.file, c.first, c.last) for c in self.calls])
        if whole is None:
            act()
            return
        outer, self._watching = self._watching, Arrival(whole, scope=scope, statement=node)
        arrival = self._watching
        try:
            act()
        finally:
            self._watching = outer
            self.arrivals.append(arrival)
        if whole and (arrival.clashes or not any(c.loops for c in self.calls)):
            raise Reached

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Bind a target of an assignment."""
        if isinstance(target, ast.Name):
            scope.names[target.id] = self._as_recorded(target, value, scope)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, scope)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, scope)
        elif isinstance(target, ast.Attribute):
            holder = self.value(target.value, scope)
            if isinstance(holder, Instance):
                holder.names[target.attr] = value
            elif (
                isinstance(holder, Array) and target.attr == "shape" and isinstance(value, Seq) and holder.dims is None
            ):
                holder.dims = tuple(Dim(None, value.origin) for _ in value.items)
        elif isinstance(target, ast.Subscript):
            holder, key = self.value(target.value, scope), self.value(target.slice, scope)
            if isinstance(holder, Map) and isinstance(key, Const):
                holder.items[key.value] = value
            elif isinstance(holder, Array) and holder.kind == "frame" and isinstance(key, Const):
                add_column(self, holder, 1)
            elif isinstance(holder, Array) and holder.dims and isinstance(value, Array):
                part = self.value(
                    ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target), scope
                )
                broadcast(self, [part, value], "the assignment to a part")

    def _unpack(self, targets: list[ast.expr], value: Value, scope: Scope) -> None:
        items: list[Value] | None = None
        if isinstance(value, Seq):
            items = value.items
        elif isinstance(value, Array) and value.dims is not None and value.dims[:1]:
            items = [Array(value.dims[1:], value.origin, value.kind) for _ in targets]
        elif isinstance(value, Dataset):
            items = [value.element] * len(targets)
        for i, target in enumerate(targets):
            self.assign(target, items[i] if items is not None and i < len(items) else unknown(value), scope)

    def _as_recorded(self, target: ast.Name, value: Value, scope: Scope) -> Value:
        """The value with the shape that was recorded for its name, where the source does not tell it."""
        shape = scope.shapes.get(target.id)
        if shape is not None and target.lineno <= max(scope.until, 1):
            later = self.files.assigned_later(scope.file, scope.function, target.id, target.lineno, scope.until)
            if not later:
                value = with_shape(self, value, shape)
        if isinstance(value, Array) and not value.name:
            value.name = target.id
        return value


def with_shape(run: Follower, value: Value, shape: tuple[int | None, ...]) -> Value:
    """A value with its recorded shape; sizes that the source tells alike keep their origins."""
    if isinstance(value, Const | Map | Instance | Library | Function | Class | Dataset):
        return value
    if isinstance(value, Seq) and array(value) is None:
        return value
    known = array(value)
    old = known.dims if known is not None and known.dims is not None and len(known.dims) == len(shape) else None
    origin = value.origin or run.origin("assignment")
    sources = [d for s in value.sources if isinstance(s, Array) for d in s.dims or () if d.size is not None]
    alike = {d.size: d for d in reversed(sources)}
    made = [
        alike[size]
        if old is None and size in alike
        else old[i]
        if old is not None and (old[i].size == size or size is None)
        else Dim(size, _origin_of(old, i) or origin)
        for i, size in enumerate(shape)
    ]
    if isinstance(value, Array):
        value.dims = tuple(made)
        return value
    return Array(made, origin)


def add_column(run: Follower, holder: Array, count: int) -> None:
    """A column that is put into a frame, or taken from it."""
    if holder.dims is not None and len(holder.dims) == 2:
        old = holder.dims[1]
        size = None if old.size is None else old.size + count
        holder.dims = (
            holder.dims[0],
            Dim(size, run.origin("column", "a column more" if count > 0 else "a column less")),
        )


def _origin_of(old: tuple[Dim, ...] | None, i: int) -> Origin | None:
    """Where an axis comes from whose size the source does not tell."""
    return old[i].origin if old is not None and old[i].size is None else None


def _is_source(value: Value) -> bool:
    """Whether a size can come from a value: not from the name of a file, or an option."""
    return not isinstance(value, Const) or (isinstance(value.value, int | float) and not isinstance(value.value, bool))


def _found(scope: Scope, name: str) -> Function | None:
    """The function of a qualified name, a method with an object of its class."""
    parts = [p for p in name.split(".") if p != "<locals>"]
    found = scope.names.get(parts[0]) if parts else None
    if isinstance(found, Class) and len(parts) == 2:
        method = found.find(parts[1])
        return Function(method.node, method.scope, Instance(found), found) if isinstance(method, Function) else None
    return found if isinstance(found, Function) and len(parts) == 1 else None


def _returned(scope: Scope) -> Value:
    values = scope.returned
    if not values:
        return Const(None)
    known = [v for v in values if type(v) is not Value and not (isinstance(v, Const) and v.value is None)]
    return (known or values)[-1]


# -- one function a kind of statement; True where it leaves the function or the loop ---------------------------------


def _expression(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.Expr)
    run._simple(node, scope, lambda: run.value(node.value, scope))
    return False


def _assign(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.Assign)

    def act() -> None:
        value = run.value(node.value, scope)
        if isinstance(value, Const) and all(isinstance(t, ast.Name) for t in node.targets):
            value = _named(value, node, scope)
        if isinstance(value, Array) and isinstance(node.value, ast.Name | ast.Attribute):
            value = renamed(value, Origin("assignment", scope.file, node.lineno, "an assignment"))
            value.name = ""
        for target in node.targets:
            run.assign(target, value, scope)

    run._simple(node, scope, act)
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
        run._simple(node, scope, lambda: run.assign(node.target, run.value(given, scope), scope))
    return False


def _augmented(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.AugAssign)
    both = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
    run._simple(node, scope, lambda: run.assign(node.target, run.value(both, scope), scope))
    return False


def _loaded(target: ast.expr) -> ast.expr:
    return target


def _if(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.If)
    call = run.calls[-1]
    call.node, call.first, call.last = node.test, node.test.lineno, node.test.end_lineno or node.test.lineno
    known = expressions.truth(run.value(node.test, scope))
    line = scope.until
    if known is None and line:
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
    run._simple(node.iter, scope, lambda: over.append(run.value(node.iter, scope)))
    items = expressions.items(run, over[0] if over else Value())
    call = run.calls[-1]
    call.loops += 1
    try:
        for item in items[:_ITEMS]:
            run._simple(node.target, scope, lambda item=item: run.assign(node.target, item, scope))  # type: ignore[misc]
            run.block(node.body, scope)
            if scope.returned and _always_returns(node.body):
                break
    finally:
        call.loops -= 1
    run.block(node.orelse, scope)
    return False


def _always_returns(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(s, ast.Return) for s in body)


def _while(run: Follower, node: ast.stmt, scope: Scope) -> bool:
    assert isinstance(node, ast.While)
    call = run.calls[-1]
    run._simple(node.test, scope, lambda: run.value(node.test, scope))
    call.loops += 1
    try:
        for _ in range(_ROUNDS):
            run.block(node.body, scope)
    finally:
        call.loops -= 1
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
    run._simple(head, scope, act)
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
    scope.names[node.name] = Function(node, scope)
    return False


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
        scope.names[local] = _module_or_member(run, full, scope.file)
    if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
        _everything(run, node, package, scope)
    return False


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


_STATEMENTS: dict[type[ast.stmt], Callable[[Follower, ast.stmt, Scope], bool]] = {
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
