"""Follows a program from its first line to the one that failed: statements, calls of the user's functions, loops.

Nothing is run. Of a branch whose test is not known the one that holds the failing line is followed, else both; a loop
over what is known is followed item by item, any other once.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from xladoctor.blame import data, expressions, objects
from xladoctor.blame.algebra import broadcast
from xladoctor.blame.arrivals import Arrival, Call
from xladoctor.blame.batches import Batching
from xladoctor.blame.crash import Crash, covers
from xladoctor.blame.recorded import Corrected, Given, Sizes, with_shape, with_shape_after
from xladoctor.blame.statements import STATEMENTS
from xladoctor.blame.values import (
    Array,
    Clash,
    Class,
    Const,
    Dataset,
    Dim,
    Function,
    Instance,
    Map,
    ModuleValue,
    Origin,
    Scope,
    Seq,
    Validation,
    Value,
    number,
    renamed,
    unknown,
)
from xladoctor.model.blame import StepKind
from xladoctor.sources.files import Files, Settings
from xladoctor.sources.order import called_at

_STEPS = 300_000
_DEEPEST = 40
_SAME = 3
_NONE: Given = {}


class Reached(Exception):
    """The line that failed was followed: nothing after it was run."""


class Unfit(Exception):
    """A constraint is broken that must hold."""


class TooLong(Exception):
    """The program branches out too far to be followed."""


class Follower:
    """Follows one program. `arrivals` and `clashes` are what it found."""

    def __init__(
        self, files: Files, crash: Crash, settings: Settings, corrected: Corrected | None = None, given: Given = _NONE
    ) -> None:
        """`corrected`: follow it to its end, and believe the recording only where an earlier run had to."""
        self.files = files
        self.settings, self.given = settings, given
        self._given_lines = {line for _, line, _ in self.given}
        self.crash = crash
        self.to_end = corrected is not None
        self.corrected: Corrected = dict(corrected or {})
        self.most = _STEPS
        self.calls: list[Call] = []
        self.clashes: list[Clash] = []
        self.arrivals: list[Arrival] = []
        self.steps, self._open = 0, list[ast.AST]()
        self._modules: dict[str, ModuleValue] = {}
        self._watching: Arrival | None = None
        self.edited: tuple[str, int] | None = None  # the line that is not as it was when the program ran
        self.arrays: list[Array] = []
        self.made: list[Value] = []
        self.fits: list[Batching] = []
        self.validated: list[Validation] = []
        self.reads: dict[Origin, set[tuple[str, int]]] = {}
        self.given_to: dict[ast.AST, list[tuple[tuple[str, int], dict[str, Array]]]] = {}
        """By function: the line of each call, and the arrays that its parameters got there."""
        self.stored: dict[str, Array] = {}  # by key what the program wrote into files of arrays
        self.numbers: dict[ast.expr, set[int]] = {}
        self.shapes: dict[ast.expr, Sizes] = {}
        self.scopes: list[Scope] = []
        self.called: set[ast.expr] = set()  # an attribute there is a method
        self.holders: dict[ast.expr, Value] = {}
        """What the fields and the keys of an expression are looked up in."""
        self.may_break: frozenset[tuple[tuple[tuple[str, int], ...], str]] | None = None
        """The only constraints, by place and relation, at which it goes on: None for any."""
        self.refused: set[tuple[str, int]] = set()
        """The lines where something seems to be no array that is used as one."""

    def run(self, file: str) -> None:
        """Follow the program that starts with this file."""
        with contextlib.suppress(Reached, TooLong, RecursionError):
            self.module(file, "__main__")

    def enter_frames(self) -> None:
        """Follow the recorded calls from the outermost function that can be found, with what was recorded of them: what
        a framework calls (tests, callbacks, workers).
        """
        frames = self.crash.frames
        for at, frame in enumerate(frames):
            module = self._modules.get(frame.file)
            if module is None and self.files.source(frame.file) is None:
                continue
            try:
                found = module or self.module(frame.file, frame.file)
                function = objects.function_of(found.scope, frame.function) if found is not None else None
                if function is not None:
                    self.crash = replace(self.crash, frames=frames[at:])
                    self.enter(function, (), {})
                    if self.arrivals:
                        return
            except Reached:
                return
            except (TooLong, RecursionError):
                return

    @property
    def open_function(self) -> ast.AST | None:
        """The function that is being followed."""
        return self._open[-1] if self._open else None

    def step(self) -> None:
        """One more expression."""
        self.steps += 1
        if self.steps > self.most:
            raise TooLong

    def refuse(self) -> None:
        """Python would raise here, as far as can be told: an edit that comes to this has no meaning."""
        call = self.calls[-1]
        here = (call.file, getattr(call.node, "lineno", call.first))
        if self.may_break is None:
            self.refused.add(here)
        elif here not in self.refused:
            raise Unfit

    # -- what the library rooms ask ------------------------------------------------------------------------------

    def origin(self, kind: StepKind, text: str = "", *sources: Value | None) -> Origin:
        """An origin at the line of this moment, made from what the sources were made from."""
        call = self.calls[-1]
        parents = tuple(
            dict.fromkeys(s.origin for s in sources if s is not None and s.origin is not None and _is_source(s))
        )
        return Origin(kind, call.file, called_at(call.node, call.first), text, parents[:12])

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
        if self.may_break is not None and (stack, relation) not in self.may_break:
            raise Unfit
        found = Clash(relation, what, tuple(values), tuple(axes), tuple(sides), stack, hint)
        self.clashes.append(found)
        if self._watching is not None:
            self._watching.clashes.append(found)

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """The value of an expression."""
        self.step()
        found = expressions.value(self, node, scope)
        if node.lineno in self._given_lines and (type(found) is Value or isinstance(found, Array)):
            shape = self.given.get((scope.file, node.lineno, ast.unparse(node)))
            if shape is not None and (not isinstance(found, Array) or found.dims is None or None in found.sizes):
                found = with_shape(self, found, shape)
        if self._watching is not None:
            self._watching.values.append((node, found))
        if isinstance(found, Array):
            self.arrays.append(found)
            if any(size is not None and size < 1 for size in found.sizes):
                self.refuse()
            if found.dims is not None:
                self.shapes[node] = found.sizes
        elif (size := number(found)) is not None:
            self.numbers.setdefault(node, set()).add(size)
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
        data.check_signature(self, function, args)
        scope = Scope(function.scope.file, getattr(node, "name", "<lambda>"), outer=function.scope)
        if isinstance(function.owner, Class):
            scope.names["__class__"] = function.owner
        given = [function.bound, *args] if function.bound is not None else list(args)
        self._with_recorded(scope)
        traced = self._is_traced(scope)
        self._open.append(node)
        self.calls.append(Call(scope.file, scope, first=getattr(node, "lineno", 0)))
        try:
            expressions.bind_arguments(self, node, given, kwargs, scope, traced)
            self._note(node, scope)
            if isinstance(node, ast.Lambda):
                self.simple(node.body, scope, lambda: scope.returned.append(self.value(node.body, scope)))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.block(node.body, scope)
        finally:
            self.calls.pop()
            self._open.pop()
        yields = scope.names.get("<yields>")
        if isinstance(yields, Seq):
            made = Dataset(yields.items[0], yields.origin)
            made.batch = yields.origin  # what it gives goes as it is
            return made
        return _returned(scope)

    def _note(self, node: ast.AST, scope: Scope) -> None:
        """What a function is given by the call that begins."""
        caller = self.calls[-2:][0]
        arrays = {name: value for name, value in scope.names.items() if isinstance(value, Array)}
        at = (caller.file, getattr(caller.node, "lineno", caller.first))
        self.given_to.setdefault(node, []).append((at, arrays))

    def _is_traced(self, scope: Scope) -> bool:
        """Whether the call that begins is the very one of the traceback, and not another one of its function."""
        frames = self.crash.frames
        if len(self.calls) >= len(frames) or frames[len(self.calls)] is not self.crash.frame(
            scope.file, scope.function
        ):
            return False
        return all(covers((c.file, c.first, c.last), f) for c, f in zip(self.calls, frames, strict=False))

    def _with_recorded(self, scope: Scope) -> None:
        self.scopes.append(scope)
        frame = self.crash.frame(scope.file, scope.function)
        if frame is not None:
            scope.shapes, scope.until = dict(frame.shapes), frame.line

    # -- statements ----------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> bool:
        """Follow statements; True where one of them leaves the function or the loop."""
        for statement in body:
            kind = STATEMENTS.get(type(statement))
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

        self.simple(statement, scope, act)

    def simple(self, node: ast.AST, scope: Scope, act: Callable[[], object]) -> None:
        """Follow a statement that holds no others, watching it where it is the one that failed."""
        call = self.calls[-1]
        call.node, call.first, call.last = node, getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        under_way = [(c.file, c.first, c.last) for c in self.calls]
        if (whole := self.crash.is_here(under_way)) is None:
            act()
            return
        arrival = Arrival(whole, scope=scope, statement=node, matched=self.crash.matched(under_way))
        outer, self._watching = self._watching, arrival
        try:
            act()
        finally:
            self._watching = outer
            self.arrivals.append(arrival)
        if whole and not self.to_end and (arrival.clashes or not any(c.loops for c in self.calls)):
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
            if isinstance(holder, Instance | Class):
                holder.names[target.attr] = value
            elif isinstance(holder, ModuleValue):
                holder.scope.names[target.attr] = value
            elif isinstance(holder, Map):
                holder.items[target.attr] = value
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
        star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        if star is not None and isinstance(value, Seq) and items is not None and len(items) >= len(targets) - 1:
            rest = len(items) - (len(targets) - 1 - star)
            items = [*items[:star], Seq(items[star:rest], value.origin, None, value.is_open), *items[rest:]]
        for i, target in enumerate(targets):
            self.assign(target, items[i] if items is not None and i < len(items) else unknown(value), scope)

    def _as_recorded(self, target: ast.Name, value: Value, scope: Scope) -> Value:
        """The value with the shape that was recorded for its name, where the source does not tell it."""
        value, shape = with_shape_after(self, value, scope.file, target, target.id), scope.shapes.get(target.id)
        if shape is not None and target.lineno <= max(scope.until, 1):
            later = self.files.assigned_later(scope.file, scope.function, target.id, target.lineno, scope.until)
            if not later:
                value = with_shape(self, value, shape)
        if isinstance(value, Array) and not value.name:
            value.name = target.id
        return value


def add_column(run: Follower, holder: Array, count: int) -> None:
    """A column that is put into a frame, or taken from it."""
    if holder.dims is not None and len(holder.dims) == 2:
        old = holder.dims[1]
        size = None if old.size is None else old.size + count
        holder.dims = (
            holder.dims[0],
            Dim(size, run.origin("column", "a column more" if count > 0 else "a column less")),
        )


def _is_source(value: Value) -> bool:
    """Whether a size can come from a value: not from the name of a file, or an option."""
    return not isinstance(value, Const) or (isinstance(value.value, int | float) and not isinstance(value.value, bool))


def _returned(scope: Scope) -> Value:
    values = scope.returned
    if not values:
        return Const(None)
    known = [v for v in values if type(v) is not Value and not (isinstance(v, Const) and v.value is None)]
    return (known or values)[-1]
