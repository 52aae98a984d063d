"""Which file of a program an import names."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path


class OwnModules:
    """The files of a program by the last part of their module's name, where only one has it."""

    def __init__(self, files: Iterable[str]) -> None:
        stems: dict[str, list[str]] = defaultdict(list)
        for file in files:
            stems[Path(file).stem].append(file)
        self._by_stem = {stem: found[0] for stem, found in stems.items() if len(found) == 1}

    def file(self, module: str) -> str | None:
        """The file of a module, by its name with or without its packages."""
        return self._by_stem.get(module.rpartition(".")[2])

    def bound(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str, str]]:
        """(name that an import binds, file, name in that file or nothing) for what is of the program."""
        own = self.file(node.module or "") if isinstance(node, ast.ImportFrom) else None
        for alias in node.names:
            inner, name = self.file(alias.name), alias.asname or alias.name
            if own is not None:
                yield name, own, alias.name
            elif inner is not None and (isinstance(node, ast.ImportFrom) or alias.asname or "." not in alias.name):
                yield name, inner, ""
