"""The rule that a probe never raises into the target, in one place."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from .. import schema
from .hooks import Hooks
from .sink import Sink

R = TypeVar("R")

# Errors that belong to the target even when they surface inside a probe.
_THEIRS = (KeyboardInterrupt, SystemExit, GeneratorExit)

_MAX_REPORTS = 5


class _OfThread(threading.local):
    busy = False
    """Whether the thread is inside a recorder."""


class Guard:
    """Runs recorder code: errors become `probe-error` events, and recorders do not record themselves."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.hooks = Hooks()
        self.active = True
        self.block = False
        """Whether a block of a program is recorded, and not the whole of it."""
        self._reports: dict[str, int] = {}
        self._local = _OfThread()

    @property
    def busy(self) -> bool:
        """True while this thread is inside a recorder: what happens now is our own doing."""
        return self._local.busy

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Mark this thread as being inside a recorder."""
        local = self._local
        before = local.busy
        local.busy = True
        try:
            yield
        finally:
            local.busy = before

    def run(self, hook: str, fn: Callable[..., R], *args: Any, **kwargs: Any) -> R | None:
        """`fn(*args, **kwargs)`, or None if it failed, or if recording is off or already under way here."""
        local = self._local
        if local.busy or not self.active:
            return None
        local.busy = True
        try:
            return fn(*args, **kwargs)
        except _THEIRS:
            raise
        except BaseException as error:
            self._report(hook, error)
            return None
        finally:
            local.busy = False

    def part(self, hook: str, fn: Callable[..., R], *args: Any) -> R | None:
        """`fn(*args)` inside a recorder that is under way: its error costs this part only, and is reported."""
        try:
            return fn(*args)
        except _THEIRS:
            raise
        except BaseException as error:
            self._report(hook, error)
            return None

    def _report(self, hook: str, error: BaseException) -> None:
        count = self._reports[hook] = self._reports.get(hook, 0) + 1
        if count > _MAX_REPORTS:
            return
        try:
            trace = error.__traceback__
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else None
            self.sink.write(schema.PROBE_ERROR, hook=hook, error=f"{type(error).__name__}: {error}"[:500], where=where)
        except Exception:
            self.active = False
