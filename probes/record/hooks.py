"""What the recorders put into modules and classes, in one list with what stood there before.

A run that is recorded as a whole ends with its hooks. A block of a program (`xladoctor.api.watch`) does not: after it,
TensorFlow's own functions are in their places again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_NOTHING = object()


@dataclass(frozen=True)
class Hook:
    """An attribute that is ours for now: `before` is what the holder itself had there, `ours` what it has now."""

    holder: Any
    name: str
    before: Any
    ours: Any

    @property
    def place(self) -> str:
        """`polymorphic_function.Function.__call__`."""
        module = getattr(self.holder, "__module__", None)
        own = getattr(self.holder, "__qualname__", None) or getattr(self.holder, "__name__", type(self.holder).__name__)
        return ".".join(part for part in (module and str(module).rpartition(".")[2], str(own), self.name) if part)


class Hooks:
    """The hooks of one recording, in the order in which they were put in."""

    def __init__(self) -> None:
        self._all: list[Hook | Callable[[], object]] = []

    def put(self, holder: Any, name: str, value: Any) -> None:
        """`setattr(holder, name, value)`, to be taken back later."""
        before = vars(holder).get(name, _NOTHING)
        setattr(holder, name, value)
        self._all.append(Hook(holder, name, before, vars(holder)[name]))

    def add(self, items: list[Any], item: Any) -> None:
        """`items.append(item)`, to be taken back later."""
        items.append(item)
        self._all.append(lambda: items.remove(item))

    def undone_by(self, action: Callable[[], object]) -> None:
        """Call `action` when the hooks are taken back: for what is no attribute."""
        self._all.append(action)

    def take_back(self, part: Callable[..., object]) -> list[str]:
        """Take all of them out, the last one first. Returns the names that cannot be taken back: somebody else has put
        something over ours meanwhile, which may call ours.

        `part(what, function, ...)` runs each step, so that one which fails costs only itself.
        """
        stay: list[str] = []
        while self._all:
            hook = self._all.pop()
            if isinstance(hook, Hook):
                part("take back", _take_back, hook, stay)
            else:
                part("take back", hook)
        return stay


def _take_back(hook: Hook, stay: list[str]) -> None:
    now = vars(hook.holder).get(hook.name, _NOTHING)
    if now is not hook.ours:
        if now is not hook.before:
            stay.append(hook.place)
    elif hook.before is _NOTHING:
        delattr(hook.holder, hook.name)
    else:
        setattr(hook.holder, hook.name, hook.before)
