"""Where the names of a program are bound, and where its functions are called."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from xladoctor.blame import settings
from xladoctor.sources.files import Files, Setting, Settings, imported
from xladoctor.sources.names import last_name, walk

Line = tuple[str, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef
_FILES, _LONGEST = 40, 200
_OF_OBJECTS = frozenset(
    {"__init__", "__post_init__", "call", "__call__", "build", "__iter__", "__next__", "__getitem__"}
)
"""Methods that are run by the use of an object, and not by their names."""


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
    loads: dict[str, list[Place]] = field(default_factory=dict)
    """Where a name is used."""
    tests: dict[ast.AST, list[Place]] = field(default_factory=dict)
    outer: dict[ast.AST, ast.AST | None] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    settings: Settings = field(default_factory=dict)
    """What files of settings have for a key: also what an attribute may be filled with."""
    records: dict[str, list[str]] = field(default_factory=dict)
    """The fields of the classes that get their constructor from them."""
    libraries: set[tuple[str, str]] = field(default_factory=set)
    """The names, by file, of what is imported from elsewhere than the program."""


def index(files: Files, main: str, argv: Sequence[str] = ()) -> Index:
    """The names of a program: of the file it starts with, of the modules of the user's that it leads to, and of the
    files of settings that it, or its command, names.
    """
    found, todo = Index(), [main]
    named = [(name, main) for name in argv]
    while todo and len(found.files) < _FILES:
        file = todo.pop(0)
        source = files.source(file)
        if source is None or file in found.files:
            continue
        found.files.append(file)
        _Reader(found, file).block(source.tree.body, None, "", [])
        for node in walk(source.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.append((node.value, file))
            named += [(path, file) for path in filter(None, [settings.path_of(node)])]
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            own = [m for name in imported(node, files.package(file)) if (m := files.module(name, file)) is not None]
            todo += own
            if not own:
                found.libraries |= {(file, (a.asname or a.name).partition(".")[0]) for a in node.names}
    asked = ((name, near) for name, near in dict.fromkeys(named) if len(name) < _LONGEST)
    for file in dict.fromkeys(at for name, near in asked if (at := files.beside(name, near)) is not None):
        _read_settings(found, files, file)
    for cls, fields in found.records.items():
        for site in found.calls.get(cls, ()):
            for name, value in settings.of_record(site.node, fields) if isinstance(site.node, ast.Call) else ():
                found.attributes.setdefault(name, []).append(Place(site.file, value, site.function, site.cls))
    return found


def _read_settings(into: Index, files: Files, file: str) -> None:
    """Put the entries of a file of settings into an index."""
    source = files.source(file)
    todo: list[tuple[int, ast.AST]] = [(0, statement) for statement in source.tree.body] if source is not None else []
    for far, node in todo:  # grows as it is read
        pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
        for key, value in pairs:
            if isinstance(key, ast.Constant):
                into.settings.setdefault(str(key.value), []).append(Setting(far, file, value))
        todo += [(far + isinstance(node, ast.Dict), child) for child in ast.iter_child_nodes(node)]


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
        if isinstance(node, Function):
            self.into.functions.setdefault(node.name, []).append(place)
            if cls and node.name in _OF_OBJECTS:
                self.into.functions.setdefault(cls, []).append(place)
            for word in settings.registered(node):
                self.into.functions.setdefault(word, []).append(place)
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
            elif isinstance(here, ast.Name) and isinstance(here.ctx, ast.Load):
                self.into.loads.setdefault(here.id, []).append(Place(self.file, node, function, cls))
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
