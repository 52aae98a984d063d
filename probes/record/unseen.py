"""Functions that a block of a program calls and that had been traced before it: their graphs were not recorded."""

from __future__ import annotations

import weakref
from typing import Any

from .. import schema
from .frames import user_frames
from .guard import Guard
from .tracing import TraceRecorder


class UnseenRecorder:
    """Writes an `unseen` event for each such function, at its first call in the block."""

    def __init__(self, guard: Guard, tracing: TraceRecorder) -> None:
        self.guard = guard
        self.tracing = tracing
        self._seen: weakref.WeakSet[Any] = weakref.WeakSet()

    def entered(self, function: Any) -> None:
        """A `tf.function` object is about to be called, and no other one is running."""
        if function in self._seen:
            return
        self._seen.add(function)
        if self.tracing.owner(function).graphs or not function.experimental_get_tracing_count():
            return
        frames = user_frames(skip=4, limit=1)
        name = str(getattr(function, "_name", None) or getattr(function.python_function, "__name__", "a function"))
        self.guard.sink.write(schema.UNSEEN, function=name, where=frames[0] if frames else None)
