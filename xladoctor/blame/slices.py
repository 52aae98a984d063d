"""The lines that the failing statement depends on, by names alone: how many steps of the data flow each is away.

Sizes are not needed for it, so that it also reaches what the follower of shapes cannot tell. Nothing is run.
"""

from __future__ import annotations

import ast
import heapq
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from xladoctor.blame import settings
from xladoctor.blame.bindings import Function, Index, Line, Place
from xladoctor.blame.crash import Crash, Frame
from xladoctor.sources.names import argument, defaults, last_name, nodes_of, parameters, walk, within

_MOST, _BEFORE, _AFTER, _MANY, _FEW = 4000, 4, 2, 40, 6


def hops(known: Index, crash: Crash) -> dict[Line, int]:
    """The lines that the failing statement depends on, with how many steps each is away; those of its calls as well."""
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
                for user in self._users(place, frame, depth):
                    self._put(user, depth + 1)
        done = 0
        while self.todo and done < _MOST:
            far, _, place = heapq.heappop(self.todo)
            if place.node in self.seen:
                continue
            self.seen.add(place.node)
            done += 1
            self._visit(place, far)
        return self.found

    def _users(self, place: Place, frame: Frame, depth: int) -> Iterator[Place]:
        """What may have called the function of a frame, where no frame before it shows the call: the compiled function
        that it was traced for, a table that it stands in.
        """
        before = self.frames[-depth - 2] if depth + 2 <= len(self.frames) else None
        function = place.function
        names = [function.name] if isinstance(function, Function) else []
        if function is None:
            targets = place.node.targets if isinstance(place.node, ast.Assign) else []
            names = [t.id for t in targets if isinstance(t, ast.Name)] if _holds_function(place.node) else []
        called = {last_name(n.func) for p in self._at(before) for n in nodes_of(p.node, ast.Call)}
        for name in names if not called & set(names) else ():
            yield from self.known.calls.get(name, ())[:_FEW] if function is not None else ()
            yield from self.known.loads.get(name, ())[:_FEW] if function is None else ()

    def _at(self, frame: Frame | None) -> Sequence[Place]:
        """The statement of a frame."""
        return self.known.statements.get((frame.file, frame.line), ())[-1:] if frame is not None else ()

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
        elif isinstance(node, ast.Attribute) and self._is_of_library(node, place):
            return  # a function of a library may have the name of one of the program
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from self.known.attributes.get(node.attr, ()) or self._of_module(node, place)
            yield from self._settings(node.attr)
            for read in self.known.functions.get(node.attr, ()):
                if _is_property(read.node) or node not in self.called:
                    yield from _returns(read)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if isinstance(node.slice.value, str):
                yield from self._key(node.slice.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # A word that selects: the function that has it for a name, or is kept under it.
            for selected in self.known.functions.get(node.value, ()):
                yield from _returns(selected)
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            named = () if self._is_of_library(node.func, place) else self.known.functions.get(_ASKS.get(name, name), ())
            for called in named:
                yield from _returns(called)
                yield from _decorators(called)
            for key in settings.keys_of(node):
                yield from self._key(key)

    def _is_of_library(self, node: ast.AST, place: Place) -> bool:
        """Whether a name with points begins with an imported library."""
        first = node
        while isinstance(first, ast.Attribute):
            first = first.value
        return first is not node and isinstance(first, ast.Name) and (place.file, first.id) in self.known.libraries

    def _key(self, name: str) -> Iterator[Place]:
        yield from self.known.keys.get(name, ())
        yield from self._settings(name)

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
            given = name in parameters(function)
            if given and isinstance(function, Function):
                yield from self._given(function, place, name)
            if local or given:
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

    def _settings(self, key: str) -> Iterator[Place]:
        return (Place(s.file, s.value) for s in self.known.settings.get(key, ()))

    def _given(self, function: Function, place: Place, name: str) -> Iterator[Place]:
        """What a parameter is given where its function is called: by the traceback's call, where there is one."""
        default = defaults(function).get(name)
        if default is not None:
            yield Place(place.file, default, None, place.cls)
        names = [function.name, *([place.cls] if function.name == "__init__" else [])]
        if function.name in ("call", "__call__"):
            names += [f"{place.cls}()", *self._instances(place.cls)]
        sites = [site for called in names for site in self.known.calls.get(called, ())]
        if function.name in _BY_KERAS:
            sites = sites or [site for called in _RUNS for site in self.known.calls.get(called, ())]
        traced = [site for site in sites if (site.file, getattr(site.node, "lineno", 0)) in self.calls]
        for site in traced or sites or self._by_traceback(function, place):
            call = site.node
            if not isinstance(call, ast.Call):
                continue
            value = argument(call, function, name)
            if value is None and any(k.arg is None for k in call.keywords):
                yield from self._key(name)
            if value is not None:
                yield Place(site.file, value, site.function, site.cls)

    def _by_traceback(self, function: Function, place: Place) -> Iterator[Place]:
        """The calls of the frame before that of a function which is not called by its name."""
        for before, frame in itertools.pairwise(self.frames):
            if frame.file == place.file and function.lineno <= frame.line <= (function.end_lineno or 0):
                for site in self._at(before):
                    calls = nodes_of(site.node, ast.Call)
                    yield from (Place(site.file, n, site.function, site.cls) for n in calls)

    def _instances(self, cls: str) -> list[str]:
        """The names that objects of a class are bound to."""
        if cls in self.instances:
            return self.instances[cls]
        bound = [*((key[2], places) for key, places in self.known.bound.items()), *self.known.attributes.items()]
        self.instances[cls] = [name for name, places in bound if any(_makes(p.node, cls) for p in places)]
        return self.instances[cls]


def _holds_function(node: ast.AST) -> bool:
    """Whether a statement puts functions into a container."""
    inside = [v for n in walk(node) for v in (n.values if isinstance(n, ast.Dict) else getattr(n, "elts", ()))]
    return any(isinstance(v, ast.Lambda) for v in inside)


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
    return within(node, (ast.stmt, ast.ExceptHandler))
