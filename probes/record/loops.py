"""The program's own loops over a `tf.data.Dataset` in a rehearsal: as with Keras' calls (`phases`), all batches are run
for a while; then the rest of the first pass is only read, and what shows something new is given to the program.
"""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from types import ModuleType
from typing import Any

from .. import compat_data, schema
from .frames import hidden, is_user_file
from .guard import Guard
from .importhook import PostImportFinder
from .novelty import Novelty, rows
from .rehearse import Rehearsal

_LOOP = "_xladoctor_loop"
_MAX_LOOPS = 200


class LoopRecorder:
    """Writes `rehearsal` events with `phase` for loops of the program's own."""

    def __init__(self, guard: Guard, finder: PostImportFinder, rehearsal: Rehearsal) -> None:
        self.guard = guard
        self.rehearsal = rehearsal
        self._loops: dict[int, Loop] = {}
        finder.when_imported("tensorflow.python.data.ops.iterator_ops", self._watch)
        rehearsal.last.append(self.write)

    def _watch(self, module: ModuleType) -> None:
        cls = compat_data.owned_iterator_class()
        original = cls.__dict__["__next__"]
        recorder = self

        def __next__(iterator: Any) -> Any:
            if not hasattr(iterator, _LOOP):
                setattr(iterator, _LOOP, recorder.guard.run("loop", recorder._begun, iterator, sys._getframe(1)))
            current: Loop | None = getattr(iterator, _LOOP)
            return original(iterator) if current is None else current.next(iterator, original)

        cls.__next__ = hidden(__next__)  # type: ignore[attr-defined]

    def _begun(self, iterator: Any, frame: Any) -> Loop | None:
        """The loop that asks for the first element of an iterator, if it is the program's own."""
        if self.rehearsal.active or not is_user_file(frame.f_code.co_filename):
            return None
        dataset = getattr(iterator, "_dataset", None)
        if dataset is None or len(self._loops) >= _MAX_LOOPS:
            return None
        known = self._loops.get(id(dataset))
        if known is None or known.dataset() is not dataset:
            where = {"file": frame.f_code.co_filename, "line": frame.f_lineno, "function": frame.f_code.co_name}
            known = self._loops[id(dataset)] = Loop(dataset, where, self.rehearsal)
        known.passes += 1
        known.in_pass = 0
        return known

    def write(self) -> None:
        """Say what is known of each loop."""
        for loop in self._loops.values():
            self.rehearsal.sink.write(schema.REHEARSAL, phase=loop.facts())


class Loop:
    """All passes over one dataset."""

    def __init__(self, dataset: Any, where: dict[str, Any], rehearsal: Rehearsal) -> None:
        assert rehearsal.budget is not None
        self.dataset = weakref.ref(dataset)
        self.where = where
        self.rehearsal = rehearsal
        self.budget = rehearsal.budget
        self.clock = self.budget.clock()
        self.passes = 0
        self.in_pass = 0
        self.sizes: Counter[int | None] = Counter()
        self.ran = 0
        self.complete = False
        self._novelty = Novelty()
        self._busy = False

    def next(self, iterator: Any, original: Any) -> Any:
        """The next element that the program is to get."""
        if self._busy:
            self._busy = False
            self.clock.stepped()
        while True:
            if self.clock.over and self._stops():
                self.rehearsal.cut = True
                raise StopIteration
            try:
                element = original(iterator)
            except StopIteration:
                self.complete = True
                raise
            if self.passes == 1:
                self.sizes[rows(element)] += 1
            if self._novelty.of(element) or not self.clock.over or self.passes > 1:
                break
            self.rehearsal.cut = True
        self.in_pass += 1
        self.ran += self.passes == 1
        self._busy = True
        self.clock.begins()
        return element

    def _stops(self) -> bool:
        if self.passes == 1:
            return not self.clock.more(self.budget.read)
        return self.in_pass >= 1

    def facts(self) -> dict[str, Any]:
        """As of a Keras call (`phases`)."""
        return {
            "method": "loop",
            "where": self.where,
            "kind": "loop",
            "validation": False,
            "sizes": [[n, k] for n, k in self.sizes.items()],
            "batches": sum(self.sizes.values()),
            "ran": self.ran,
            "complete": self.complete,
            "passes": self.passes,
            "why": None if self.complete else "its end was not reached",
        }
