"""The user's source files: found by name, parsed once, and asked where a name is assigned."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from xladoctor.sources.names import nodes_of, walk
from xladoctor.sources.setting_trees import is_settings, parse_settings
from xladoctor.sources.source import Source, Unreadable, parse

_MOST, _MOST_TREES = 200, 50


class Setting(NamedTuple):
    """What a file of settings has for a key, `depth` mappings below its top."""

    depth: int
    file: str
    value: ast.expr


Settings = dict[str, list[Setting]]
"""By key."""


class Files:
    """Reads through `read`, which gives the text of a file, or None where it must not or cannot be read."""

    def __init__(self, read: Callable[[str], str | None], roots: tuple[str, ...] = ()) -> None:
        self._read = read
        self._roots = roots
        self._sources: dict[str, Source | None] = {}
        self._functions: dict[str, list[tuple[int, int, str]]] = {}
        self._assigned: dict[tuple[str, str], dict[str, list[int]]] = {}

    def source(self, file: str) -> Source | None:
        """The parsed file."""
        if file not in self._sources:
            # Names of modules that are no file cost little, and a program has many of them.
            full = sum(known is not None for known in self._sources.values()) >= _MOST
            self._sources[file] = None if full else self._parsed(file)
        return self._sources[file]

    def trees(self, names: Iterable[str]) -> dict[str, ast.Module]:
        """{file: its tree} of the files that can be read, each once, in the order of their names here."""
        known = {file: self.source(file) for file in names}
        return {file: source.tree for file, source in known.items() if source is not None}

    def edited(self, file: str, text: str) -> Files:
        """The same files, but for another text of one of them, with as many lines: names are bound where they were."""
        made = Files(lambda name: text if name == file else self._read(name), self._roots)
        made._sources = {name: source for name, source in self._sources.items() if name != file}
        made._functions, made._assigned = self._functions, self._assigned
        return made

    def _parsed(self, file: str) -> Source | None:
        text = self._read(file)
        try:
            if text is None:
                return None
            return parse_settings(text, file) if is_settings(file) else parse(text, file)
        except Unreadable:
            return None

    def beside(self, name: str, near: str) -> str | None:
        """The file of settings that a program names, by the folders that it may mean."""
        folders = [*self._folders(near), *Path(near).parents[1:3]] if is_settings(name) else []
        return next((file for folder in folders if self.source(file := str(folder / name)) is not None), None)

    def text(self, file: str) -> str | None:
        """The text of a file that is Python."""
        return self._read(file) if not is_settings(file) and self.source(file) is not None else None

    def code(self, file: str, line: int) -> str:
        """The text of a line, without blanks around it."""
        source = self.source(file)
        return source.line(line) if source is not None else ""

    def function(self, file: str, line: int) -> str | None:
        """The name of the function that a line stands in; None of a file of settings."""
        if is_settings(file):
            return None
        if file not in self._functions:
            source = self.source(file)
            kinds = ast.FunctionDef | ast.AsyncFunctionDef
            nodes = [n for n in walk(source.tree) if isinstance(n, kinds)] if source is not None else []
            self._functions[file] = [(n.lineno, n.end_lineno or n.lineno, n.name) for n in nodes]
        inside = [(first, name) for first, last, name in self._functions[file] if first <= line <= last]
        return max(inside)[1] if inside else "<module>"

    def package(self, file: str) -> str:
        """The package of a file, for its relative imports: as a path from the nearest root."""
        folder = Path(file).parent
        root = next((r for r in self._folders(file) if folder == r or r in folder.parents), folder)
        return ".".join(folder.relative_to(root).parts)

    def module(self, name: str, near: str) -> str | None:
        """The user's file of a module."""
        if not name or name.partition(".")[0] in ("tensorflow", "numpy", "keras", "pandas", "sklearn", "os", "sys"):
            return None
        for root in self._folders(near):
            base = root.joinpath(*name.split("."))
            for file in (base.with_suffix(".py"), base / "__init__.py"):
                if self.source(str(file)) is not None:
                    return str(file)
        return None

    def _folders(self, near: str) -> list[Path]:
        return list(dict.fromkeys([*(Path(root) for root in self._roots), Path(near).parent]))

    def assigned_later(self, file: str, function: str, name: str, line: int, until: int) -> bool:
        """Whether a name is assigned again in its function after a line and before another."""
        return any(line < other < until for other in self.assigned(file, function, name))

    def assigned(self, file: str, function: str, name: str) -> list[int]:
        """The lines of a function that assign a name."""
        key = (file, function)
        if key not in self._assigned:
            self._assigned[key] = self._targets(file, function)
        return self._assigned[key].get(name, [])

    def _targets(self, file: str, function: str) -> dict[str, list[int]]:
        source = self.source(file)
        found: dict[str, list[int]] = {}
        if source is None:
            return found
        for top in _bodies(source.tree, function):
            for node in nodes_of(top, ast.Name):
                if isinstance(node.ctx, ast.Store):
                    found.setdefault(node.id, []).append(node.lineno)
        return found


def program_trees(files: Files, scripts: list[str]) -> dict[str, ast.Module]:
    """The syntax trees of a program's scripts and of what they import of the user's own; no more than 50."""
    waiting, trees = list(scripts), dict[str, ast.Module]()
    for file in waiting:  # grows as imports are followed
        source = files.source(file)
        if source is None:
            continue
        trees[file] = source.tree
        package = files.package(file)
        names = (name for node in walk(source.tree) for name in imported(node, package))
        more = (files.module(name, near=file) for name in names)
        waiting += [m for m in dict.fromkeys(more) if m is not None and m not in waiting and len(waiting) < _MOST_TREES]
    return trees


def package_root(file: Path) -> Path:
    """The folder from which the package of a file is imported."""
    folder = file.parent
    while folder != folder.parent and (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def imported(node: ast.AST, package: str) -> Iterator[str]:
    """The names of the modules that a statement may import, in a file of this package."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, node.module or ""]).strip(".") if node.level else node.module or ""
        yield base
        yield from (f"{base}.{alias.name}".strip(".") for alias in node.names)


def _bodies(tree: ast.Module, function: str) -> list[ast.AST]:
    if function == "<module>":
        return [s for s in tree.body if not isinstance(s, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)]
    return [n for n in walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == function]
