"""Folders whose files have numbers in their names that are in another order as text: `part_10` before `part_2`.

`os.listdir` and `os.scandir`, which `glob` and `pathlib` call, are looked at for the first few calls that come from a
line of the program. The names are written with `#` for each number, those of other files not at all.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from .. import schema
from .frames import is_user_file, user_frames
from .guard import Guard
from .held_names import texts_of

MAX_CALLS = 40
MAX_LOOKS = 2000
"""Calls of which it is asked who makes them."""
MAX_FILES = 2000
MAX_SECONDS = 0.1
_FRAMES = 12
_NUMBER = re.compile(r"\d{1,15}")
_clock = time.perf_counter
"""By the clock: a folder of a network is waited for, and is listed twice."""


class ListingRecorder:
    """Writes `names` events: of a function `@LINE NAME` for each kind of such names that the line lists."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._left, self._looks, self._seconds = MAX_CALLS, MAX_LOOKS, 0.0
        self._scan = os.scandir
        for name in ("listdir", "scandir"):
            # No function: what a class keeps as its attribute would become a method.
            guard.hooks.put(os, name, _Watched(getattr(os, name), self._called))
        # Where `pathlib` was imported before us, it holds those of the system.
        for module, kept in (("glob", "_StringGlobber"), ("pathlib", "_NormalAccessor")):
            holder = getattr(sys.modules.get(module), kept, None)
            for name in ("listdir", "scandir"):
                if name in vars(holder or object):
                    guard.hooks.put(holder, name, getattr(os, name))

    def _called(self, path: Any) -> None:
        if self._left > 0 and self._looks > 0 and self._seconds < MAX_SECONDS:
            self._looks -= 1
            self._guard.run("listing", self._list, path)

    def _list(self, path: Any) -> None:
        frames = user_frames(skip=4, limit=1, within=_FRAMES)
        if not frames or isinstance(path, int) or not is_user_file(frames[0]["file"]):
            return
        self._left -= 1
        started = _clock()
        with self._scan(os.curdir if path is None else path) as entries:
            names = [os.fsdecode(e.name) for e in islice(entries, MAX_FILES)]
        where = frames[0]
        found = {f"@{where['line']} {kind}": facts for kind, facts in mixed(names)}
        if found:
            self._guard.sink.write(schema.NAMES, file=where["file"], function=where["function"], names=found)
        self._seconds += _clock() - started


def mixed(names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name with # for its numbers, facts) of the names that are alike but for numbers, and out of order as text."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[_NUMBER.sub("#", name)].append(name)
    for kind, alike in groups.items():
        facts = texts_of(sorted(alike)) if "#" in kind else None
        if facts is not None and facts.get("by_text"):
            yield kind, facts


class _Watched:
    """A function of `os` that reports each call of it."""

    def __init__(self, own: Callable[..., Any], called: Callable[[Any], None]) -> None:
        self._own, self._called = own, called
        # `shutil` asks whether `os.scandir in os.supports_fd`.
        self._hash = hash(own)
        self.__wrapped__ = own
        self.__name__ = self.__qualname__ = own.__name__
        self.__doc__, self.__module__ = own.__doc__, own.__module__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._own(*args, **kwargs)
        self._called(args[0] if args else kwargs.get("path"))
        return result

    def __eq__(self, other: object) -> bool:
        return other is self or other is self._own

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return functools.partial, (self._own,)  # a process that gets it has no recorder
