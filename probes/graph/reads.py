"""Which settings of `params.cfg` a subject's own program reads, so that only these are spoken of.

The settings are watched from the moment at which their module has been executed: what was imported before that may hold
the plain dict, so it is left as it is, and then nothing is known.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..record.guard import Guard
from ..record.hooks import Hooks
from ..record.importhook import PostImportFinder

_read: set[str] | None = None


class Watched(dict):  # type: ignore[type-arg]
    """A dict that remembers which keys were asked for; its copies are plain dicts. `dict.items(it)` is not noted."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        _note(key)
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        """One key."""
        _note(key)
        return super().get(key, default)

    def __iter__(self) -> Any:
        # Without it `dict(it)` and `{**it}` take the values past `__getitem__`.
        return super().__iter__()

    def items(self) -> Any:
        """All keys."""
        _note(*self)
        return super().items()

    def values(self) -> Any:
        """All keys."""
        _note(*self)
        return super().values()

    def copy(self) -> dict[Any, Any]:
        """All keys."""
        return dict(self)

    def __reduce__(self) -> Any:
        _note(*self)
        return dict, (dict(dict.items(self)),)


def watch(name: str, attribute: str) -> None:
    """Have the dict `attribute` of the module `name` watched, if it is not imported yet; once."""
    if name in sys.modules or any(isinstance(f, _Finder) for f in sys.meta_path):
        return

    def put(module: ModuleType) -> None:
        global _read
        plain = getattr(module, attribute, None)
        if type(plain) is dict:
            setattr(module, attribute, Watched(plain))
            _read = set()

    finder = _Finder(_Silent())
    finder.when_imported(name, put)
    finder.install()


def read() -> list[str] | None:
    """The keys that were asked for in this process; None where they are not watched."""
    return None if _read is None else sorted(_read)


def _note(*keys: Any) -> None:
    if _read is not None:
        _read.update(k for k in keys if isinstance(k, str))


class _Finder(PostImportFinder):
    """Ours, by its type."""


class _Silent(Guard):
    """There is no record here into which an error could go; without a watch, nothing is known."""

    def __init__(self) -> None:
        self.hooks = Hooks()

    def run(self, hook: str, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with contextlib.suppress(Exception):
            return fn(*args, **kwargs)
        return None
