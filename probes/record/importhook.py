"""Runs a function right after a module has been executed, before its importer sees it.

So a name that another module takes with `from x import f` is already the recorded one.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from .frames import hidden, hide
from .guard import Guard

Hook = Callable[[ModuleType], None]


class _Loader(importlib.abc.Loader):
    """Delegates to the real loader; after `exec_module` the hooks run and the module gets its real loader back."""

    def __init__(self, loader: Any, finder: PostImportFinder) -> None:
        self._loader = loader
        self._finder = finder

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    @hidden
    def exec_module(self, module: ModuleType) -> None:
        __tracebackhide__ = True
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        try:
            self._loader.exec_module(module)
        except BaseException as error:
            hide(error)
            raise
        self._finder.ran(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class PostImportFinder(importlib.abc.MetaPathFinder):
    """First on `sys.meta_path`; finds only the modules that somebody waits for, by asking the finders after it."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._hooks: dict[str, list[Hook]] = {}
        self._asking: set[str] = set()
        self.present: set[str] = set()
        """The modules that were there before somebody waited for them."""

    def install(self) -> None:
        """Go to the head of `sys.meta_path`."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
            self._guard.hooks.undone_by(self._leave)

    def _leave(self) -> None:
        """Find nothing any more. A thread that is in the middle of an import may still ask."""
        self._hooks.clear()
        sys.meta_path.remove(self)

    def when_imported(self, name: str, hook: Hook) -> None:
        """Call `hook(module)` once `name` is imported: at once if it already is."""
        self._hooks.setdefault(name, []).append(hook)
        module = sys.modules.get(name)
        if module is not None and not _is_loading(module):
            self.present.add(name)
            self._guard.run(f"import {name}", hook, module)

    def ran(self, module: ModuleType) -> None:
        """The module `module` has just been executed."""
        for hook in self._hooks.get(module.__name__, ()):
            self._guard.run(f"import {module.__name__}", hook, module)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self._hooks or fullname in self._asking:
            return None
        self._asking.add(fullname)
        try:
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                if finder is self or find is None:
                    continue
                spec = find(fullname, path, target)
                if spec is not None:
                    if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                        spec.loader = _Loader(spec.loader, self)
                    return spec  # type: ignore[no-any-return]
            return None
        finally:
            self._asking.discard(fullname)


def _is_loading(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))
