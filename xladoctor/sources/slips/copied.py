"""Settings of a module that another one took when it was imported, and that get another value later: a name that
`from config import EPOCHS` binds stays what it was when `config.EPOCHS = 30` is run.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xladoctor.sources.names import argument, defaults, last_name, nodes_of, positional, text_key, walk, within
from xladoctor.sources.own_modules import OwnModules
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, assigns, loaded, within_body

_CONVERTS = frozenset({"bool", "float", "int", "list", "str", "tuple"})
Key = tuple[str, str]
"""(file of the module, name): of an entry `CFG["rate"]` the name is `CFG[rate]`, of a field `current.rate`."""


@dataclass(frozen=True)
class _Copy:
    """A statement that takes a setting while its module is imported."""

    file: str
    line: int
    key: Key
    what: str


@dataclass(frozen=True)
class _Write:
    """A line that gives a setting another value: in a function, or at the top level of a file."""

    file: str
    line: int
    inside: bool


def copied(trees: Mapping[str, ast.Module], words: Sequence[str]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) for each, of a program that was run with these words of its command line."""
    program = _Program(trees)
    writes = program.writes(words)
    found: dict[tuple[str, int], list[tuple[_Copy, _Write]]] = defaultdict(list)
    for copy in program.copies():
        known = (*writes.get(copy.key, ()), *writes.get((copy.key[0], _any_of(copy.key[1])), ()))
        late = next((w for w in known if program.is_later(w, copy)), None)
        if late is not None:
            found[copy.file, copy.line].append((copy, late))
    for (file, line), pairs in found.items():
        yield file, _slip(line, pairs)


def _slip(line: int, pairs: Sequence[tuple[_Copy, _Write]]) -> Slip:
    copy, late = pairs[0]
    whats = list(dict.fromkeys(c.what for c, _ in pairs))
    names = list(dict.fromkeys(_shown(c.key) for c, _ in pairs))
    what, shown = (", ".join(each[:3]) + (", …" if len(each) > 3 else "") for each in (whats, names))
    return Slip(
        "read-early",
        line,
        f"{what} {'keep' if len(whats) > 1 else 'keeps'} the {shown} of the import",
        f"The line is run once, when {Path(copy.file).name} is imported. {Path(late.file).name}:{late.line} sets "
        f"{_shown(copy.key)} afterwards, which does not change it.",
    )


def _shown(key: Key) -> str:
    name, _, entry = key[1].partition("[")
    return f"`{Path(key[0]).stem}.{name}{f'[{entry[:-1]!r}]' if entry else ''}`"


class _Program:
    """The files of a program, with the modules that their names stand for."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.trees = trees
        self._modules = OwnModules(trees)
        self._aliases = {file: self._names_of(file) for file in trees}
        self._called = {last_name(c.func) for tree in trees.values() for c in nodes_of(tree, ast.Call)}
        self._early = {name for tree in trees.values() for name in _called_early(tree)}
        self._top = {file: {n for s in tree.body for n in _bound(s)} for file, tree in trees.items()}
        self._objects = {file: dict(_objects(tree)) for file, tree in trees.items()}

    def _names_of(self, file: str) -> dict[str, tuple[str, str]]:
        """{name: (file of a module, name in it or nothing)} of what the imports of a file bind."""
        imports = (n for n in walk(self.trees[file]) if isinstance(n, ast.Import | ast.ImportFrom))
        return {bound: (own, name) for node in imports for bound, own, name in self._modules.bound(node) if own != file}

    def key(self, file: str, node: ast.AST) -> Key | None:
        """The setting that an expression names."""
        if isinstance(node, ast.Name):
            known = self._aliases[file].get(node.id)
            if known is not None:
                return known if known[1] else None
            return (file, node.id) if node.id in self._top[file] else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module, name = self._aliases[file].get(node.value.id, ("", "-"))
            if module and name in self._objects[module]:
                return module, f"{name}.{node.attr}"
            return (module, node.attr) if module and not name and node.attr in self._top[module] else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            holder = self.key(file, node.value)
            is_object = holder is not None and holder[1] in self._objects[holder[0]]
            return (holder[0], f"{holder[1]}.{node.attr}") if is_object and holder is not None else None
        if isinstance(node, ast.Call):
            return self._asked(file, node)
        text = text_key(node) if isinstance(node, ast.Subscript) else None
        holder = self.key(file, node.value) if isinstance(node, ast.Subscript) and text is not None else None
        return (holder[0], f"{holder[1]}[{text}]") if holder is not None and "[" not in holder[1] else None

    def _asked(self, file: str, call: ast.Call) -> Key | None:
        """The entry that a function of a module is asked for: `settings.get("epochs")`, which gives `_values[name]`."""
        text = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        place = self._function(file, call.func)
        if not isinstance(text, str) or place is None:
            return None
        module, function = place
        given = positional(function)
        for returned in (n.value for n in nodes_of(function, ast.Return)):
            if isinstance(returned, ast.Subscript):
                holder, at = returned.value, returned.slice
            elif isinstance(returned, ast.Call) and last_name(returned.func) == "get" and returned.args:
                holder, at = getattr(returned.func, "value", returned.func), returned.args[0]
            else:
                continue
            if isinstance(at, ast.Name) and at.id in given[:1] and last_name(holder) in self._top[module]:
                return module, f"{last_name(holder)}[{text}]"
        return None

    def _function(self, file: str, called: ast.expr) -> tuple[str, ast.FunctionDef] | None:
        """(file, function) that a call names, at the top level of another module."""
        module, name = "", ""
        if isinstance(called, ast.Name):
            module, name = self._aliases[file].get(called.id, ("", ""))
        elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            module, inner = self._aliases[file].get(called.value.id, ("", "-"))
            name = called.attr if module and not inner else ""
        body = self.trees[module].body if module else []
        return next(((module, s) for s in body if isinstance(s, ast.FunctionDef) and s.name == name), None)

    def copies(self) -> Iterator[_Copy]:
        """All of the program."""
        for file, tree in self.trees.items():
            inside = {n for f in walk(tree) if isinstance(f, FUNCTIONS) for n in loaded(f)}
            targets = [t.id for t, _, _ in assigns(tree) if isinstance(t, ast.Name)]
            for statement in tree.body:
                if isinstance(statement, ast.ImportFrom):
                    for alias in statement.names:
                        module, name = self._aliases[file].get(alias.asname or alias.name, ("", ""))
                        if name and name in self._top[module] and (alias.asname or alias.name) in inside:
                            yield _Copy(file, statement.lineno, (module, name), f"`{alias.asname or alias.name}`")
                elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    target = statement.targets[0].id
                    key = self.key(file, _bare(statement.value))
                    if key is not None and key[0] != file and targets.count(target) == 1:
                        yield _Copy(file, statement.lineno, key, f"`{target}`")
            yield from self._of_definitions(file, tree)

    def _of_definitions(self, file: str, tree: ast.Module) -> Iterator[_Copy]:
        for node in walk(tree):
            if isinstance(node, ast.ClassDef):
                for statement in node.body:
                    value = (
                        getattr(statement, "value", None) if isinstance(statement, ast.Assign | ast.AnnAssign) else None
                    )
                    for key in self._foreign(file, value):
                        yield _Copy(file, statement.lineno, key, f"An attribute of `{node.name}`")
            elif isinstance(node, FUNCTIONS):
                for parameter, default in defaults(node).items():
                    for key in self._foreign(file, default):
                        if self._takes_default(node, parameter):
                            yield _Copy(file, default.lineno, key, f"The default `{parameter}` of {node.name}")

    def _foreign(self, file: str, value: ast.AST | None) -> list[Key]:
        found = [self.key(file, n) for n in within(value)] if value is not None else []
        return [key for key in found if key is not None and key[0] != file]

    def _takes_default(self, function: ast.FunctionDef | ast.AsyncFunctionDef, parameter: str) -> bool:
        calls = [
            c for tree in self.trees.values() for c in nodes_of(tree, ast.Call) if last_name(c.func) == function.name
        ]
        return any(
            argument(c, function, parameter) is None
            and not any(isinstance(a, ast.Starred) for a in c.args)
            and all(k.arg for k in c.keywords)
            for c in calls
        )

    def writes(self, words: Sequence[str]) -> dict[Key, list[_Write]]:
        """Where each setting gets another value while the program runs."""
        found: dict[Key, list[_Write]] = defaultdict(list)
        for file, tree in self.trees.items():
            for scope in (tree, *(n for n in walk(tree) if isinstance(n, FUNCTIONS) and n.name in self._called)):
                shared = {n for s in within_body(scope) if isinstance(s, ast.Global) for n in s.names}
                own = {n.id for n in within_body(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
                pairs = [(t, s.value) for s in within_body(scope) if isinstance(s, ast.Assign) for t in s.targets]
                for target, value in pairs:
                    root = next(nodes_of(target, ast.Name), None)
                    local = root is not None and root.id in own and root.id not in shared and scope is not tree
                    key = None if local else self.key(file, target)
                    if key is None or (scope is tree and key[0] == file) or self._is_put_back(file, scope, key):
                        continue
                    if not self._is_unchanged(file, value, key, words):
                        found[key].append(_Write(file, target.lineno, scope is not tree))
                if scope is not tree and getattr(scope, "name", "") not in self._early:
                    for name, line in self._filled(file, scope):
                        found[file, _any_of(name)].append(_Write(file, line, True))
            for name, line in self._filled_fields(file):
                found[file, name].append(_Write(file, line, True))
        return found

    def _filled_fields(self, file: str) -> Iterator[tuple[str, int]]:
        """(field of an object of the module, line) that a method sets and that is called on it: `current.read(path)`
        of `def read(self, path): self.rate = ...`.
        """
        for name, cls in self._objects[file].items():
            for method in (m for m in cls.body if isinstance(m, ast.FunctionDef) and m.name != "__init__"):
                if method.name in self._early or not self._is_called_on(name, method.name):
                    continue
                for node in within_body(method):
                    if isinstance(node, ast.Assign):
                        fields = [
                            t for t in node.targets if isinstance(t, ast.Attribute) and last_name(t.value) == "self"
                        ]
                        yield from ((f"{name}.{t.attr}", node.lineno) for t in fields)
                    elif isinstance(node, ast.Call) and last_name(node.func) == "setattr" and node.args:
                        yield from [(f"{name}.*", node.lineno)] if last_name(node.args[0]) == "self" else []

    def _is_called_on(self, name: str, method: str) -> bool:
        """Whether a line calls a method of an object by its name."""
        calls = (c.func for tree in self.trees.values() for c in nodes_of(tree, ast.Call))
        return any(isinstance(f, ast.Attribute) and f.attr == method and last_name(f.value) == name for f in calls)

    def _filled(self, file: str, scope: ast.AST) -> Iterator[tuple[str, int]]:
        """(dict of the module, line) where a function of it lays other entries over those of the dict."""
        for node in within_body(scope):
            of: ast.AST | None = None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
                of = node.func.value
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                of = node.targets[0].value if text_key(node.targets[0]) is None else None
            if isinstance(of, ast.Name) and of.id in self._top[file]:
                yield of.id, node.lineno  # type: ignore[attr-defined]

    def _is_put_back(self, file: str, scope: ast.AST, key: Key) -> bool:
        """Whether a scope keeps what a setting was: it changes it for a while."""
        return any(isinstance(s, ast.Assign) and self.key(file, s.value) == key for s in within_body(scope))

    def _is_unchanged(self, file: str, value: ast.expr, key: Key, words: Sequence[str]) -> bool:
        """Whether the value is an option of the command line that was not given, and is the setting itself then."""
        options = [n.attr for n in nodes_of(value, ast.Attribute)]
        for call in nodes_of(self.trees[file], ast.Call):
            if last_name(call.func) != "add_argument" or not call.args:
                continue
            flags = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            names = {f.lstrip("-").replace("-", "_") for f in flags} & set(options)
            if names and not any(w.partition("=")[0] in flags for w in words):
                default = next((k.value for k in call.keywords if k.arg == "default"), ast.Constant(None))
                nothing = isinstance(default, ast.Constant) and default.value is None
                return nothing or self.key(file, default) == key
        return False

    def is_later(self, write: _Write, copy: _Copy) -> bool:
        """Whether a line runs after the copy was taken: functions do, if the copy is imported at the top."""
        if write.inside:
            imported = any(self._import_of(file, copy.file) for file in self.trees)
            return imported or not self._is_imported_within(copy.file)
        if write.file == copy.file:
            return write.line > copy.line
        at = self._import_of(write.file, copy.file)
        return at is not None and at < write.line

    def _is_imported_within(self, module: str) -> bool:
        """Whether a function imports a file: when, nobody knows."""
        return any(
            module in self._files_of(n)
            for tree in self.trees.values()
            for n in walk(tree)
            if isinstance(n, ast.Import | ast.ImportFrom)
        )

    def _import_of(self, file: str, module: str) -> int | None:
        """The line at which a file imports another one at its top level."""
        for statement in self.trees[file].body if file != module else ():
            if isinstance(statement, ast.Import | ast.ImportFrom) and module in self._files_of(statement):
                return statement.lineno
        return None

    def _files_of(self, node: ast.Import | ast.ImportFrom) -> set[str | None]:
        """The files that an import may run: of a module, and of those that it names in a package."""
        return {
            self._modules.file(name) for name in (*(a.name for a in node.names), getattr(node, "module", None) or "")
        }


def _called_early(tree: ast.Module) -> Iterator[str]:
    """The functions that the top level of a file calls before its last import."""
    last = max((s.lineno for s in tree.body if isinstance(s, ast.Import | ast.ImportFrom)), default=0)
    calls = (n for n in within_body(tree) if isinstance(n, ast.Call))
    yield from (last_name(c.func) for c in calls if c.lineno < last)


def _any_of(name: str) -> str:
    """Any entry of the dict that an entry is of, or any field of the object."""
    return f"{name.partition('.')[0]}.*" if "." in name else f"{name.partition('[')[0]}[*]"


def _objects(tree: ast.Module) -> Iterator[tuple[str, ast.ClassDef]]:
    """The objects that the top level of a module makes of its own classes, by name."""
    classes = {s.name: s for s in tree.body if isinstance(s, ast.ClassDef)}
    for statement in tree.body:
        made = statement.value if isinstance(statement, ast.Assign) else None
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(made, ast.Call) and isinstance(target, ast.Name) and last_name(made.func) in classes:
            yield target.id, classes[last_name(made.func)]


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top level of a module gives a value to."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {t.id for t in targets if isinstance(t, ast.Name)}
    return set()


def _bare(value: ast.expr) -> ast.expr:
    """What `int(...)` and the like are of."""
    if isinstance(value, ast.Call) and last_name(value.func) in _CONVERTS and len(value.args) == 1:
        return value.args[0]
    return value
