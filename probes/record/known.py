"""Which exceptions have been written down, without a mark on them and without keeping them alive.

An exception that is on its way through nested watched calls is held until it has left the outermost. After that, one
that weak references can follow is known for sure. Python's own exceptions take none: of those a few traits are kept,
which only the hooks for uncaught exceptions go by.
"""

from __future__ import annotations

import threading
import weakref
from types import TracebackType
from typing import Any

_MOST = 64


class Known:
    """Exceptions and the numbers of their failures."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._weak: dict[int, tuple[weakref.ref[BaseException], int]] = {}
        self._past: dict[int, tuple[tuple[Any, ...], int]] = {}

    def number(self, error: BaseException) -> int | None:
        """The number of a failure on its way through watched calls of this thread, or None for a new one."""
        for held, number in self._held:
            if held is error:
                return number
        reference, number = self._weak.get(id(error), (None, 0))
        return number if reference is not None and reference() is error else None

    def remember(self, error: BaseException, number: int, on_its_way: bool) -> None:
        """`error` is failure `number`; `on_its_way` while there are watched calls that it has yet to leave."""
        try:
            _add(self._weak, id(error), (weakref.ref(error), number))
        except TypeError:
            self._held.append((error, number))
            if not on_its_way:
                self.left()

    def left(self) -> None:
        """Hold nothing any more: the thread has left its outermost watched call."""
        held = self._held
        while held:
            error, number = held.pop()
            _add(self._past, id(error), (_traits(error), number))

    def uncaught(self, error: BaseException) -> int | None:
        """The number of a failure that nobody caught, or None if it is new."""
        number = self.number(error)
        if number is None:
            traits, past = self._past.get(id(error), ((), 0))
            number = past if traits and traits == _traits(error) else None
        return number

    @property
    def _held(self) -> list[tuple[BaseException, int]]:
        held: list[tuple[BaseException, int]] | None = getattr(self._local, "held", None)
        if held is None:
            held = self._local.held = []
        return held


def _add(table: dict[int, Any], key: int, value: Any) -> None:
    table.pop(key, None)
    table[key] = value
    while len(table) > _MOST:
        table.pop(next(iter(table)), None)


def _traits(error: BaseException) -> tuple[Any, ...]:
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = (id(trace.tb_frame.f_code), trace.tb_lasti) if trace is not None else None
    return type(error), id(error.args), place
