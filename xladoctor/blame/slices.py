"""The lines that the failing statement depends on, by names alone: how many steps of the data flow each is away.

Sizes are not needed for it, so that it also reaches what the follower of shapes cannot tell. Nothing is run.
"""

from __future__ import annotations

import ast
import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xladoctor.blame import settings
from xladoctor.blame.crash import Crash, Frame
from xladoctor.sources.files import Files, imported
from xladoctor.sources.names import keyword, last_name, walk

Line = tuple[str, int]
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MOST, _FILES, _BEFORE, _AFTER, _MANY = 4000, 40, 4, 2, 40


@dataclass(frozen=True, eq=False)
class Place:
    """An expression or statement, with the function and class that it stands in."""

    file: str
    node: ast.AST
    function: ast.AST | None = None
    cls: str = ""


@dataclass(eq=False)
class Index:
    """Where the names of a program are bound, and where its functions are called."""

    bound: dict[tuple[str, ast.AST | None, str], list[Place]] = field(default_factory=dict)
    attributes: dict[str, list[Place]] = field(default_factory=dict)
    keys: dict[str, list[Place]] = field(default_factory=dict)
    calls: dict[str, list[Place]] = field(default_factory=dict)
    functions: dict[str, list[Place]] = field(default_factory=dict)
    statements: dict[Line, list[Place]] = field(default_factory=dict)
    tests: dict[ast.AST, list[Place]] = field(default_factory=dict)
    outer: dict[ast.AST, ast.AST | None] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    records: dict[str, list[str]] = field(default_factory=dict)
    """The fields of the classes that get their constructor from them."""


def index(files: Files, main: str) -> Index:
    """The names of a program: of the file it starts with, and of the modules of the user's that it leads to."""
    found, todo = Index(), [main]
    while todo and len(found.files) < _FILES:
        file = todo.pop(0)
        source = files.source(file)
        if source is None or file in found.files:
            continue
        found.files.append(file)
        _Reader(found, file).block(source.tree.body, None, "", [])
        for node in walk(source.tree):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for name in imported(node, files.package(file)):
                module = files.module(name, file)
                if module is not None:
                    todo.append(module)
    for cls, fields in found.records.items():
        for site in found.calls.get(cls, ()):
            for name, value in settings.of_record(site.node, fields) if isinstance(site.node, ast.Call) else ():
                found.attributes.setdefault(name, []).append(Place(site.file, value, site.function, site.cls))
    return found


class _Reader:
    """Puts one file into an index."""

    def __init__(self, into: Index, file: str) -> None:
        self.into, self.file = into, file
        self.loops: list[Place] = []  # what the loops around a statement go through

    def block(self, body: Sequence[ast.stmt], function: ast.AST | None, cls: str, tests: list[Place]) -> None:
        for statement in body:
            self.statement(statement, function, cls, tests)

    def statement(self, node: ast.stmt, function: ast.AST | None, cls: str, tests: list[Place]) -> None:
        place = Place(self.file, node, function, cls)
        if isinstance(node, _Function):
            self.into.functions.setdefault(node.name, []).append(place)
            if cls and node.name in ("__init__", "call", "__call__", "build"):
                self.into.functions.setdefault(cls, []).append(place)
            self.into.outer[node] = function
            _Reader(self.into, self.file).block(node.body, node, cls, [])
            return
        if isinstance(node, ast.ClassDef):
            if fields := settings.fields_of(node):
                self.into.records[node.name] = fields
            self.block(node.body, function, node.name, tests)
            return
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            self.into.statements.setdefault((self.file, line), []).append(place)
        self.into.tests[node] = [*tests, *self.loops] if _grows(node) else tests
        self._bindings(node, function, cls)
        inner = tests
        if isinstance(node, ast.If | ast.While):
            self._expressions(node.test, function, cls)
            inner = [*tests, Place(self.file, node.test, function, cls)]
        around = self.loops
        self.loops = [*around, *(Place(self.file, n, function, cls) for n in [getattr(node, "iter", None)] if n)]
        for name in ("body", "orelse", "finalbody"):
            self.block(getattr(node, name, None) or [], function, cls, inner)
        self.loops = around
        for handler in getattr(node, "handlers", None) or []:
            self.block(handler.body, function, cls, tests)

    def _bind(self, target: ast.AST, value: Place) -> None:
        if isinstance(target, ast.Name):
            function = value.function
            self.into.bound.setdefault((self.file, function, target.id), []).append(value)
            if function is None and value.cls:
                self.into.attributes.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Attribute):
            self.into.attributes.setdefault(target.attr, []).append(value)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, value)
        elif isinstance(target, ast.Subscript):
            if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
                self.into.keys.setdefault(target.slice.value, []).append(value)
            self._bind(target.value, value)
        elif isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self._bind(item, value)

    def _bindings(self, node: ast.stmt, function: ast.AST | None, cls: str) -> None:
        whole = Place(self.file, node, function, cls)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assigned(target, node, function, cls)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            self._bind(node.target, whole)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._bind(node.target, Place(self.file, node.iter, function, cls))
            self._expressions(node.iter, function, cls)
            return
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                self._expressions(item.context_expr, function, cls)
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, Place(self.file, item.context_expr, function, cls))
            return
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            # `layers.append(x)`, `model.add(x)`, `model.compile(...)`: they change what they are called on.
            called = node.value.func
            if isinstance(called, ast.Attribute) and called.attr != "add_argument":  # each option is found by its name
                self._bind(called.value, whole)
        if not isinstance(node, ast.If | ast.While | ast.Try):
            self._expressions(node, function, cls)

    def _assigned(self, target: ast.AST, node: ast.Assign, function: ast.AST | None, cls: str) -> None:
        """Of `a, b = one, two` each name with its own value."""
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        for one, value in pairs:
            self._bind(one, Place(self.file, value, function, cls))
        if pairs:
            return
        self._bind(target, Place(self.file, node, function, cls))

    def _expressions(self, node: ast.AST, function: ast.AST | None, cls: str) -> None:
        for here in walk(node):
            place = Place(self.file, here, function, cls)
            if isinstance(here, ast.Call):
                # `Dense(8)(x)` calls an object that has no name.
                name = f"{last_name(here.func.func)}()" if isinstance(here.func, ast.Call) else last_name(here.func)
                self.into.calls.setdefault(name, []).append(place)
                for given, value in settings.given_by(here):
                    for into in (self.into.attributes, self.into.keys):
                        into.setdefault(given, []).append(Place(self.file, value, function, cls))
            elif isinstance(here, ast.comprehension):
                self._bind(here.target, Place(self.file, here.iter, function, cls))
            elif isinstance(here, ast.NamedExpr):
                self._bind(here.target, Place(self.file, here.value, function, cls))
            elif isinstance(here, ast.Dict):
                for key, value in zip(here.keys, here.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        self.into.keys.setdefault(key.value, []).append(Place(self.file, value, function, cls))
            elif isinstance(here, ast.Lambda):
                self.into.outer[here] = function


def _grows(node: ast.stmt) -> bool:
    """Whether a statement makes something longer each time: how often its loops run decides its size."""
    call = getattr(node, "value", None) if isinstance(node, ast.Expr) else None
    return isinstance(node, ast.AugAssign) or (
        isinstance(call, ast.Call) and last_name(call.func) in ("append", "extend", "add")
    )


def hops(files: Files, main: str, crash: Crash) -> dict[Line, int]:
    """The lines that the failing statement depends on, with how many steps each is away; those of its calls as well."""
    known = index(files, main)
    return _Slice(known, crash.frames, crash.shapes).lines()


class _Slice:
    def __init__(self, known: Index, frames: Sequence[Frame], shapes: Sequence[tuple[int | None, ...]]) -> None:
        self.known, self.frames, self.shapes = known, frames, set(shapes)
        self.others: set[tuple[ast.AST, str]] = set()
        self.calls = {(f.file, f.line) for f in frames}
        self.found: dict[Line, int] = {}
        self.todo: list[tuple[int, int, Place]] = []
        self.order = itertools.count()
        self.seen: set[ast.AST] = set()
        self.instances: dict[str, list[str]] = {}
        self.called: set[ast.AST] = set()
        """What is called on the lines that were visited: another attribute may be a method that is handed on."""

    def lines(self) -> dict[Line, int]:
        """Nearest first, so that the first way to a line is the shortest."""
        for depth, frame in enumerate(reversed(self.frames)):
            for place in self.known.statements.get((frame.file, frame.line), ())[-1:]:
                self._put(place, depth)
                names = {n.id for n in _without_blocks(place.node) if isinstance(n, ast.Name)}
                meant = {name for name in names if frame.shapes.get(name) in self.shapes}
                # Where the message prints the shapes of some names, the others have no part in it.
                self.others |= {(place.node, name) for name in names - meant} if meant else set()
        done = 0
        while self.todo and done < _MOST:
            far, _, place = heapq.heappop(self.todo)
            if place.node in self.seen:
                continue
            self.seen.add(place.node)
            done += 1
            self._visit(place, far)
        return self.found

    def _visit(self, place: Place, far: int) -> None:
        whole = place.node
        head = [whole.test] if isinstance(whole, ast.If | ast.While) else [whole]
        for top in head:
            self.called |= {n.func for n in _without_blocks(top) if isinstance(n, ast.Call)}
            for node in _without_blocks(top):
                line = getattr(node, "lineno", None)
                if line is not None and isinstance(node, ast.expr | ast.stmt | ast.keyword):
                    self.found.setdefault((place.file, line), far)
                beside = isinstance(node, ast.Name) and (whole, node.id) in self.others
                for nearer in self._before(node, place):
                    self._put(nearer, far + (2 if beside else 1))
        for test in self.known.tests.get(whole, ()):
            self._put(test, far + 1)

    def _put(self, place: Place, far: int) -> None:
        if place.node not in self.seen:
            heapq.heappush(self.todo, (far, next(self.order), place))

    def _before(self, node: ast.AST, place: Place) -> Iterator[Place]:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from self._name(node.id, place)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from self.known.attributes.get(node.attr, ()) or self._of_module(node, place)
            for read in self.known.functions.get(node.attr, ()):
                if _is_property(read.node) or node not in self.called:
                    yield from _returns(read)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if isinstance(node.slice.value, str):
                yield from self.known.keys.get(node.slice.value, ())
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            for called in self.known.functions.get(_ASKS.get(name, name), ()):
                yield from _returns(called)
                yield from _decorators(called)
            yield from self.known.keys.get(settings.key_of(node) or "", ())

    def _of_module(self, node: ast.Attribute, place: Place) -> Iterator[Place]:
        """What another file binds: `settings.WIDTH`."""
        for file in self.known.files if isinstance(node.value, ast.Name) else ():
            if file != place.file and Path(file).stem == last_name(node.value):
                yield from self.known.bound.get((file, None, node.attr), ())

    def _name(self, name: str, place: Place) -> Iterator[Place]:
        function = place.function
        while function is not None:
            local = self.known.bound.get((place.file, function, name), ())
            yield from _nearest(local, place.node)
            given = _parameter(function, name)
            if given is not None and isinstance(function, _Function):
                yield from self._given(function, place, name)
            if local or given is not None:
                return
            function = self.known.outer.get(function)
        files = [place.file, *(f for f in self.known.files if f != place.file)]
        for file in files:
            found = self.known.bound.get((file, None, name), ())
            own = file == place.file and place.function is None
            yield from _nearest(found, place.node if own else None)
            if found:
                return
        for called in self.known.functions.get(name, ()):
            yield from _returns(called)

    def _given(self, function: _Function, place: Place, name: str) -> Iterator[Place]:
        """What a parameter is given where its function is called: by the traceback's call, where there is one."""
        at = _parameter(function, name) or 0
        default = _default(function, name)
        if default is not None:
            yield Place(place.file, default, None, place.cls)
        names = [function.name, *([place.cls] if function.name == "__init__" else [])]
        if function.name in ("call", "__call__"):
            names += [f"{place.cls}()", *self._instances(place.cls)]
        sites = [site for called in names for site in self.known.calls.get(called, ())]
        if function.name in _BY_KERAS:
            sites = sites or [site for called in _RUNS for site in self.known.calls.get(called, ())]
        traced = [site for site in sites if (site.file, getattr(site.node, "lineno", 0)) in self.calls]
        bound = bool(function.args.args) and function.args.args[0].arg in ("self", "cls")
        for site in traced or sites:
            call = site.node
            if not isinstance(call, ast.Call):
                continue
            value = keyword(call, name)
            i = at - 1 if bound else at
            if value is None and 0 <= i < len(call.args):
                value = call.args[i]
            if value is None and any(k.arg is None for k in call.keywords):
                yield from self.known.keys.get(name, ())
            if value is not None:
                yield Place(site.file, value, site.function, site.cls)

    def _instances(self, cls: str) -> list[str]:
        """The names that objects of a class are bound to."""
        if cls in self.instances:
            return self.instances[cls]
        bound = [*((key[2], places) for key, places in self.known.bound.items()), *self.known.attributes.items()]
        self.instances[cls] = [name for name, places in bound if any(_makes(p.node, cls) for p in places)]
        return self.instances[cls]


def _makes(node: ast.AST, cls: str) -> bool:
    """Whether an assignment makes an object of a class."""
    value = node.value if isinstance(node, ast.Assign) else node
    return isinstance(value, ast.Call) and last_name(value.func) == cls


def _nearest(bound: Sequence[Place], use: ast.AST | None) -> list[Place]:
    """Of many places that bind a name those around its use: a few before it, and in a loop after it."""
    if len(bound) <= _BEFORE or use is None:
        return list(bound[-_MANY:])
    line = getattr(use, "lineno", 0)
    ordered = sorted(bound, key=lambda p: getattr(p.node, "lineno", 0))
    before = [p for p in ordered if getattr(p.node, "lineno", 0) <= line and p.node is not use]
    after = [p for p in ordered if getattr(p.node, "lineno", 0) > line]
    return [*before[-_BEFORE:], *after[:_AFTER]]


def _parameter(function: ast.AST, name: str) -> int | None:
    args = getattr(function, "args", None)
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)] if args is not None else []
    return names.index(name) if name in names else None


def _default(function: _Function, name: str) -> ast.expr | None:
    args = function.args
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    pairs = dict(zip(names[::-1], args.defaults[::-1], strict=False))
    pairs |= {a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None}
    return pairs.get(name)


def _is_property(node: ast.AST) -> bool:
    return any(last_name(d) in ("property", "cached_property") for d in getattr(node, "decorator_list", ()))


_RUNS, _BY_KERAS = ("fit", "evaluate", "predict"), ("call", "train_step", "test_step")
"""What gives data to a model, and the methods that Keras then calls with them."""
_ASKS = {"len": "__len__", "iter": "__iter__", "next": "__next__"}
"""Functions of Python's own, with the method that they call."""


def _decorators(place: Place) -> Iterator[Place]:
    """The decorators of a function that are given something: a signature."""
    for decorator in getattr(place.node, "decorator_list", ()):
        if isinstance(decorator, ast.Call):
            yield Place(place.file, decorator, None, place.cls)


def _returns(place: Place) -> Iterator[Place]:
    """What a function gives: its returns and yields; of a class also what its constructor does."""
    for node in walk(place.node):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            yield Place(place.file, node.value, place.node, place.cls)


def _without_blocks(node: ast.AST) -> Iterator[ast.AST]:
    """A statement without the statements in it."""
    todo = [node]
    while todo:
        here = todo.pop()
        yield here
        todo += [child for child in ast.iter_child_nodes(here) if not isinstance(child, ast.stmt | ast.ExceptHandler)]
