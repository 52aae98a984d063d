"""The capsules of this process: their numbers, their room, and which of them go first when there is none.

The newest graph is the one that the process may abort in; the capsule of a call that failed is what everything is
recorded for. So a new graph may take the room of the values of healthy calls and of older graphs whose calls went well,
and what belongs to a failure is never removed.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import schema
from .disk import NotWritten, discard, join, reason_of, write_file
from .sink import Sink

# A program that retraces in every step must not fill the disk with graphs.
MAX_CAPSULES = 64
_CAPSULES = "capsules"
_VALUES = ("values.npz", "recipe.json", *map(schema.later_file, schema.LATER_CALLS))

Contents = Callable[[str], "dict[str, bytes]"]


@dataclass
class _Kept:
    """A capsule that is on the disk: the bytes of its graph and of its values, and whether a failure needs it."""

    size: int
    values: int = 0
    needed: bool = False


class Shelf:
    """Writes capsules, and removes what is least useful when the run folder is full."""

    def __init__(self, sink: Sink, enabled: bool) -> None:
        self.sink = sink
        self.enabled = enabled
        self._numbers = itertools.count(1)
        self._kept: dict[str, _Kept] = {}

    def holds(self, name: str) -> bool:
        """Whether this capsule is on the disk."""
        return name in self._kept

    def has_values(self, name: str) -> bool:
        """Whether this capsule is on the disk, with values."""
        return name in self._kept and self._kept[name].values > 0

    def need(self, name: str) -> None:
        """A call of this capsule has failed: it stays."""
        if name in self._kept:
            self._kept[name].needed = True

    def add(self, function: Any, contents: Contents, what: str, shown: str, *, needed: bool = False) -> Path | None:
        """Write a new capsule; None where none is wanted, or it was not written (there is an event then)."""
        if not self.enabled:
            return None
        number = next(self._numbers)
        if number > MAX_CAPSULES:
            if number == MAX_CAPSULES + 1:
                facts = {"recorder": "capsule", "reason": schema.DROP_COUNT, "kept": MAX_CAPSULES}
                self.sink.write(schema.DROPPED, **facts)
            return None
        from .capsule import folder_name  # imports numpy: not before the target has

        with self._noted("graph", shown):
            name = folder_name(self.sink.key, number, function)
            self._put(name, contents(name), needed)
            self.sink.write(schema.CAPSULE, capsule=name, what=what, function=shown)
            return self._path(name)
        return None

    def restore(self, name: str, contents: Contents, shown: str) -> bool:
        """Write a capsule that had to go once more, since a call of it has failed. True if it is there now."""
        with self._noted("graph", shown, name):
            self._put(name, contents(name), True)
            self.sink.write(schema.CAPSULE, capsule=name, what="graph", function=shown)
        return self.holds(name)

    def drop_values(self, name: str) -> None:
        """Remove the values of a capsule: they are those of another call than the one that is asked about now."""
        if self.has_values(name):
            self._remove(name, "values")

    def add_values(self, name: str, size: int, write: Callable[[Path], Any], *, needed: bool) -> bool:
        """Let `write(folder)` add values of at most `size` bytes to a capsule. True if they are there now."""
        kept = self._kept.get(name)
        if kept is None:
            return False
        kept.needed = kept.needed or needed
        with self._noted("values", name, name, size), self._room(name, size, graphs=needed, values=needed):
            folder = self._path(name)
            there = {file for file in _VALUES if kept.values and _size(folder / file)}
            try:
                write(folder)
            except BaseException:
                for file in _VALUES:
                    if file not in there:
                        discard(folder / file)
                raise
            kept.values = sum(_size(folder / file) for file in _VALUES)
            return True
        return False

    def add_sample(self, name: str, size: int, write: Callable[[Path], Any]) -> None:
        """Let `write(folder)` add its sample to a capsule, if there is room without removing anything."""
        kept = self._kept.get(name)
        if kept is not None:
            with self._noted("sample", name, name, size), self._room(name, size, graphs=False, values=False):
                write(self._path(name))
                kept.size += _size(self._path(name) / schema.SAMPLE)

    # -- writing ----------------------------------------------------------------------------------------------------

    def _path(self, name: str) -> Path:
        return self.sink.run_dir / _CAPSULES / name

    def _put(self, name: str, files: dict[str, bytes], needed: bool) -> None:
        size = sum(len(data) for data in files.values())
        with self._room(name, size, graphs=True, values=True):
            self.sink.folder.make(join(_CAPSULES, name))
            try:
                for file, data in files.items():
                    write_file(self._path(name) / file, data)
            except BaseException:
                discard(self._path(name))
                raise
            self._kept[name] = _Kept(size, needed=needed)

    @contextmanager
    def _noted(self, what: str, function: str, name: str | None = None, size: int | None = None) -> Iterator[None]:
        """What the disk refuses becomes an event, and no error."""
        try:
            yield
        except (NotWritten, OSError) as error:
            reason = error.reason if isinstance(error, NotWritten) else reason_of(error)
            self._drop(what, function, reason, name, size)

    def _drop(self, what: str, function: str, reason: str, name: str | None, size: int | None) -> None:
        facts = {"recorder": "capsule", "what": what, "capsule": name, "function": function, "bytes": size}
        self.sink.write(schema.DROPPED, reason=reason, **facts)

    # -- room -------------------------------------------------------------------------------------------------------

    @contextmanager
    def _room(self, name: str, size: int, *, graphs: bool, values: bool) -> Iterator[None]:
        """Room for `size` bytes, where need be by removing others: values of healthy calls, older healthy graphs."""
        try:
            self.sink.folder.make(_CAPSULES)
        except FileExistsError:
            self.sink.folder.check()
        if not self.sink.folder.leaves_room(size):
            raise NotWritten("disk-space", f"{size} bytes")
        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(self.sink.budget.reserved(name.partition("-")[0], size))
                    break
                except NotWritten as refused:
                    if not self._make_room(name, refused.missing, graphs, values):
                        raise
            yield

    def _make_room(self, name: str, missing: int, graphs: bool, values: bool) -> bool:
        """Remove what is less useful, oldest first, until `missing` bytes are gained; nothing if they cannot be."""
        going: list[tuple[str, str, int]] = []
        others = [(n, k) for n, k in self._kept.items() if not k.needed and n != name]
        gained = 0
        for what, allowed in (("values", values), ("graph", graphs)):
            for other, kept in others if allowed else ():
                size = kept.values if what == "values" else kept.size
                if gained < missing and size:
                    going.append((other, what, size))
                    gained += size
        if not missing or gained < missing:
            return False
        for other, what, size in going:
            self._remove(other, what)
            self._drop(what, other, schema.DROP_SIZE, other, size)
        return True

    def _remove(self, name: str, what: str) -> None:
        if what == "graph":
            del self._kept[name]
            discard(self._path(name))
            return
        self._kept[name].values = 0
        for file in _VALUES:
            discard(self._path(name) / file)


def _size(file: Path) -> int:
    try:
        return os.lstat(file).st_size
    except OSError:
        return 0
