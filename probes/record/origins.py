"""What an exception came of: its cause, what was being handled, the members of a group, as Python keeps them.

An exception that ends a program is often only the last to pass a failure on. What it came of is written down before it,
each with its own traceback.
"""

from __future__ import annotations

import builtins
import linecache
from collections.abc import Iterator

from .frames import is_user_file

_MOST = 8
_GROUP = getattr(builtins, "BaseExceptionGroup", ())
# How asyncio and generators end what is no longer wanted: no failure, though others are raised from it.
_SIGNALS = frozenset({"CancelledError", "Cancelled", "GeneratorExit", "StopIteration", "StopAsyncIteration"})


def chain(error: BaseException) -> list[BaseException]:
    """All that an exception came of, the nearest first; at most eight."""
    found: list[BaseException] = []
    todo = [error]
    while todo and len(found) < _MOST:
        for earlier in _before(todo.pop(0)):
            if earlier is not error and all(earlier is not other for other in found):
                found.append(earlier)
                todo.append(earlier)
    return found[:_MOST]


def passed_on(error: BaseException) -> list[BaseException]:
    """What the exception passes on, the first of all first: its causes, the members of a group, and what a `raise` of
    the program turned into it. What failed in a handler by itself is a failure of its own.
    """
    found: list[BaseException] = []
    _gather(error, found, _MOST)
    return found


def _gather(error: BaseException, found: list[BaseException], depth: int) -> None:
    for earlier in _before(error) if depth else ():
        own = earlier is error.__context__ and error.__cause__ is None and not _is_translated(error)
        known = any(earlier is other for other in found)
        if own or known or earlier is error or type(earlier).__name__ in _SIGNALS:
            continue
        _gather(earlier, found, depth - 1)
        # One that was never raised here (the text of another process's traceback) has no frames to show.
        if earlier.__traceback__ is not None and len(found) < _MOST and all(earlier is not e for e in found):
            found.append(earlier)


def _before(error: BaseException) -> Iterator[BaseException]:
    if error.__cause__ is not None:
        yield error.__cause__
    elif error.__context__ is not None and (not error.__suppress_context__ or _is_translated(error)):
        yield error.__context__
    if isinstance(error, _GROUP):
        yield from getattr(error, "exceptions", ())


def _is_translated(error: BaseException) -> bool:
    """Whether a `raise` in the program's own code made the exception: that statement stands at the end of its
    traceback. Libraries raise `from None` what has the words of the hidden one.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not is_user_file(trace.tb_frame.f_code.co_filename):
        return False
    return linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).lstrip().startswith("raise ")
