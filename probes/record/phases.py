"""The batches of Keras' `fit`, `evaluate` and `predict` in a rehearsal: each is looked at before it is run, and where
there are too many, only those are run that show something new. Sizes and contents stay the program's own.

Keras 3 takes its batches from `EpochIterator`. What is run goes through an iterator of the same element spec, so that
Keras traces its step as it would.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter, deque
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .. import compat, compat_data, schema
from .frames import hidden
from .guard import Guard
from .importhook import PostImportFinder
from .novelty import Novelty, rows
from .rehearse import Frame, Rehearsal

_PHASE = "_xladoctor_phase"


class PhaseRecorder:
    """Writes `rehearsal` events with `phase`: which batches a call meets, and which of them were run."""

    def __init__(self, guard: Guard, finder: PostImportFinder, rehearsal: Rehearsal) -> None:
        self.guard = guard
        self.rehearsal = rehearsal
        finder.when_imported(compat.KERAS_EPOCHS[0], self._watch)

    def _watch(self, module: ModuleType) -> None:
        cls = getattr(module, compat.KERAS_EPOCHS[1])
        name = compat.KERAS_EPOCHS[2]
        original = cls.__dict__[name]
        recorder = self

        def watched(epochs: Any) -> Iterator[Any]:
            frame = recorder.rehearsal.frame
            phase = getattr(epochs, _PHASE, None)
            if phase is None and frame is not None:
                phase = recorder.guard.run("phase", Phase, epochs, frame, recorder.rehearsal, recorder.guard)
            if phase is None:
                yield from original(epochs)
            else:
                setattr(epochs, _PHASE, phase)
                yield from phase.epoch(original(epochs))

        setattr(cls, name, hidden(watched))
        self.rehearsal.has_phases = True


class Phase:
    """The batches of one call: what there are, and what was run of them."""

    def __init__(self, epochs: Any, frame: Frame, rehearsal: Rehearsal, guard: Guard) -> None:
        assert rehearsal.budget is not None
        self.guard = guard
        self.epochs = epochs
        self.frame = frame
        self.rehearsal = rehearsal
        self.budget = rehearsal.budget
        self.clock = self.budget.clock()
        self.validation = getattr(frame.model, "_eval_epoch_iterator", None) is epochs
        self.kind = compat.keras_data_kind(epochs)
        self.sizes: Counter[int | None] = Counter()
        self.order: list[int | None] = []
        self.ran = 0
        self.count = 0
        self.complete = False
        self.why: str | None = None
        self.epoch_number = 0
        self._ran_now = 0
        self._left_out = False
        self._blind = False
        self.whole_epochs = 0
        self.first: Any = None
        self._novelty = Novelty()
        self._feed: Feed | None = None
        self._per_step = int(getattr(epochs, "steps_per_execution", 1) or 1)
        self._written: dict[str, Any] = {}
        frame.phases.append(self)

    # -- an epoch ---------------------------------------------------------------------------------------------------

    def epoch(self, steps: Iterator[Any]) -> Iterator[Any]:
        """Keras' steps of an epoch, those that are to be run."""
        self.epoch_number += 1
        stopped = False
        for item in steps:
            if self._stops():
                stopped = True
                break
            self.clock.begins()
            *places, iterator = item
            if self.frame.method == "predict":
                yield (*places, _Observed(iterator, self))
                self._stepped(1)
                continue
            if not compat_data.can_be_fed(iterator):
                self._blind = True
                if self.clock.over:
                    stopped, self.why = True, "its batches cannot be looked at one by one"
                    break
                yield item
                self._stepped(1)
                continue
            batch = self._taken(iterator)
            if not batch:
                self._ended()
                yield item  # there is nothing left in it, and Keras sees that
                return
            news = sum(self._novelty.of(element) for element in batch)
            self._noted(batch)
            if self.clock.over and not news and self._ran_now:
                self._left_out = True
                continue
            yield (*places, self._given(iterator, batch))
            self._stepped(len(batch))
        if stopped:
            self._cut()
        else:
            self._ended()

    def _stops(self) -> bool:
        """Whether the epoch is to end before its next step."""
        budget, ran = self.budget, self._ran_now
        if self.frame.method == "predict":
            return False
        if budget.batches is not None:
            return ran >= budget.batches
        if not self.clock.over:
            return False
        if self.epoch_number == 1:
            if self.clock.more(budget.read):
                return False
            self.why = f"its end was not reached within {budget.call + budget.read:g} s"
            return True
        return ran >= 1

    def _taken(self, iterator: Any) -> list[Any]:
        """The elements of the next step; fewer, or none, at the end of the data."""
        taken = []
        with contextlib.suppress(StopIteration, compat_data.out_of_range()):
            for _ in range(self._per_step):
                taken.append(next(iterator))  # noqa: PERF401 (what was taken before the end counts)
        return taken

    def _given(self, iterator: Any, batch: list[Any]) -> Any:
        if self._feed is None or self._feed.ended:
            with self.guard.quiet():
                # Its functions are none of the program's.
                self._feed = Feed(iterator.element_spec)
        self._feed.waiting.extend(batch)
        return self._feed.iterator

    # -- taking notes -----------------------------------------------------------------------------------------------

    def saw(self, element: Any) -> None:
        """A batch of the first epoch was looked at."""
        if self.epoch_number == 1:
            n = rows(element)
            if not self.sizes[n]:
                self.order.append(n)
            self.sizes[n] += 1
            self.count += 1
            if self.first is None or (n or 0) > (rows(self.first) or 0):
                self.first = element

    def _noted(self, batch: list[Any]) -> None:
        for element in batch:
            self.saw(element)

    def _stepped(self, batches: int) -> None:
        self.clock.stepped()
        self._ran_now += batches
        if self.epoch_number == 1:
            self.ran += batches
        self.rehearsal.stepped(self.frame)
        if self.frame.method == "fit" and not self.frame.not_finite:
            loss = compat.keras_loss(self.frame.model)
            if loss is not None and not math.isfinite(loss):
                self.frame.not_finite = True
                self.rehearsal.not_finite("the loss of fit", loss, self.epoch_number, self._ran_now)

    def _ended(self) -> None:
        if self.epoch_number == 1:
            self.complete = True
            self.why = None
        if self._left_out:
            self.rehearsal.cut = True
        else:
            self.whole_epochs += 1
        self._next()

    def _cut(self) -> None:
        self.rehearsal.cut = True
        with contextlib.suppress(Exception):
            # Keras' own end of an epoch was not reached.
            self.epochs.data_adapter.on_epoch_end()
        self._next()

    def _next(self) -> None:
        """The epoch is over: so is the training, if its time is."""
        self._ran_now, self._left_out = 0, False
        budget = self.budget
        late = budget.batches is not None or (self.clock.over and not self.clock.more(budget.read + budget.epochs))
        if self.frame.method == "fit" and late:
            self.frame.model.stop_training = True

    def write(self) -> None:
        """Say what is known by now, if that is something new."""
        if self._blind and self.why is None:
            # Keras saw the end of the data, or the call failed.
            self.complete = True
        facts: dict[str, Any] = {
            "call": self.frame.number,
            "method": self.frame.method,
            "validation": self.validation,
            "kind": self.kind,
            "sizes": [[n, self.sizes[n]] for n in self.order],
            "batches": self.count,
            "ran": self.ran,
            "complete": self.complete,
            "why": self.why,
            "adapter": compat.keras_rows(self.epochs),
        }
        if not self.validation and self.frame.method == "fit":
            facts |= {"epochs": self.epoch_number, "whole": self.whole_epochs}
        if facts != self._written:
            self._written = facts
            self.rehearsal.sink.write(schema.REHEARSAL, phase=facts)


class Feed:
    """An iterator over what is put into `waiting`, of the same spec as another one."""

    def __init__(self, spec: Any) -> None:
        self.waiting: deque[Any] = deque()
        self.ended = False

        def elements() -> Iterator[Any]:
            while self.waiting:
                yield self.waiting.popleft()
            self.ended = True

        self.iterator = compat_data.iterator_of(elements, spec)


class _Observed:
    """The batches of a `predict`, which Keras takes one by one."""

    def __init__(self, iterator: Any, phase: Phase) -> None:
        self._iterator = iterator
        self._phase = phase

    def __iter__(self) -> _Observed:
        return self

    def __next__(self) -> Any:
        element = next(self._iterator)
        self._phase.saw(element)
        return element
