"""The files of a program while it is read: what their modules hold, and what imports bind."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from xladoctor.sources.names import walk
from xladoctor.sources.rows.values import Named, Names

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader


class Modules:
    """Files by the last part of their module's name, where only one has it."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.trees = trees
        self.names: dict[str, Names] = {}
        self.functions: dict[str, dict[str, ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        stems: dict[str, list[str]] = defaultdict(list)
        for file in trees:
            stems[Path(file).stem].append(file)
        self._by_stem = {stem: files[0] for stem, files in stems.items() if len(files) == 1}
        self._file_of: dict[int, str] = {}
        self._imported: set[str] = set()
        self.methods: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = defaultdict(list)
        """Those of all classes, by name."""
        for file, tree in trees.items():
            for node in walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    self._file_of[id(node)] = file
                elif isinstance(node, ast.ClassDef):
                    for item in node.body:
                        if isinstance(item, ast.FunctionDef):
                            self.methods[item.name].append(item)
                elif isinstance(node, ast.Import | ast.ImportFrom):
                    self._imported |= {own for _, own, _ in self._bound(node) if own != file}

    def is_imported(self, file: str) -> bool:
        """Whether another file imports it."""
        return file in self._imported

    def file_of(self, function: ast.AST, here: str) -> str:
        """The file that a function stands in."""
        return self._file_of.get(id(function), here)

    def bind(self, reader: Reader, node: ast.Import | ast.ImportFrom) -> None:
        """Read the modules that an import names, and give the file that is being read their names."""
        for bound, file, name in self._bound(node):
            reader.module(file)
            values, functions = self.names[file], self.functions[file]
            if not name:
                reader.names[bound] = Named(values, functions, "module")  # type: ignore[arg-type]
            elif name in functions:
                reader.functions[bound] = functions[name]
            elif name in values:
                reader.names[bound] = values[name]

    def _bound(self, node: ast.Import | ast.ImportFrom) -> list[tuple[str, str, str]]:
        """(name that an import binds, file, name in that file or nothing) for what is of the program."""
        found = []
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            inner = self._by_stem.get(alias.name.rpartition(".")[2])
            if isinstance(node, ast.Import):
                if inner is not None and (alias.asname or "." not in alias.name):
                    found.append((alias.asname or alias.name, inner, ""))
                continue
            own = self._by_stem.get(module.rpartition(".")[2])
            if own is not None:
                found.append((alias.asname or alias.name, own, alias.name))
            elif inner is not None:
                found.append((alias.asname or alias.name, inner, ""))
        return found
