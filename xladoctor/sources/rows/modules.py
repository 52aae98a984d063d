"""The files of a program while it is read: what their modules hold, and what imports bind."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from xladoctor.sources.names import walk
from xladoctor.sources.own_modules import OwnModules
from xladoctor.sources.rows.values import Named, Names

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader


class Modules:
    """The files of a program, with what their modules hold so far."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.trees = trees
        self.names: dict[str, Names] = {}
        self.functions: dict[str, dict[str, ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        self._own = OwnModules(trees)
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
                    self._imported |= {own for _, own, _ in self._own.bound(node) if own != file}

    def is_imported(self, file: str) -> bool:
        """Whether another file imports it."""
        return file in self._imported

    def file_of(self, function: ast.AST, here: str) -> str:
        """The file that a function stands in."""
        return self._file_of.get(id(function), here)

    def bind(self, reader: Reader, node: ast.Import | ast.ImportFrom) -> None:
        """Read the modules that an import names, and give the file that is being read their names."""
        for bound, file, name in self._own.bound(node):
            reader.module(file)
            values, functions = self.names[file], self.functions[file]
            if not name:
                reader.names[bound] = Named(values, functions, "module")  # type: ignore[arg-type]
            elif name in functions:
                reader.functions[bound] = functions[name]
            elif name in values:
                reader.names[bound] = values[name]
