"""Signals while the target runs: those that reach it by themselves, and those that have to be handed on.

The target is in the process group of the doctor, as it would be without it. A signal to the group (Ctrl-C, a batch
system, `kill -- -GROUP`) reaches the target by itself; the keeper, in the same group, sees it too. One to the doctor
alone is handed on.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress

from xladoctor.target.keeper.plan import ENDING

# A signal to the group reaches the doctor and the keeper at about the same time, in any order.
_LATER, _EARLIER = 0.1, 0.5


class Signals:
    """Sees signals to the group, hands on those to the doctor alone. `target` is the process id once it runs."""

    def __init__(self, detached: bool) -> None:
        self.interrupted = False
        self._target: int | None = None
        self._detached = detached
        self._seen: dict[int, tuple[float, bool]] = {}
        self._lock = threading.Lock()

    def started(self, pid: int, pending: set[int]) -> None:
        """The target runs. `pending` are signals to the group that came before there was a target."""
        with self._lock:
            self._target = pid
        for number in pending:
            self.send(number)

    def ended(self) -> None:
        """The target is gone: its process id may be another's soon."""
        with self._lock:
            self._target = None

    def saw(self, number: int, sender: int) -> None:
        """A signal reached the keeper, from `sender` (0: the kernel)."""
        self._seen[number] = (time.monotonic(), False)
        with self._lock:
            own = self._target is not None and sender > 0 and _descends(sender, self._target)
        self._seen[number] = (time.monotonic(), own)
        if number in ENDING and not own:
            self.interrupted = True

    def doctor_saw(self, number: int) -> None:
        """A signal reached the doctor: hand it on, unless it went to the whole group."""
        arrival = time.monotonic()
        time.sleep(_LATER)
        seen, own = self._seen.get(number, (0.0, False))
        # One that waits for us was sent to the group as well: we have not had the time to take it.
        if not self._detached and (seen >= arrival - _EARLIER or number in signal.sigpending()):
            return
        if number in ENDING and not own:
            self.interrupted = True
        self.send(number)

    def send(self, number: int) -> None:
        """Send a signal to the target: to it alone, as the caller would have; to its group where that is its own."""
        with self._lock, suppress(ProcessLookupError, PermissionError):
            if self._target is not None:
                (os.killpg if self._detached else os.kill)(self._target, number)


def _descends(pid: int, ancestor: int) -> bool:
    """Whether a process is the other one or a descendant of it."""
    from xladoctor.target.keeper.processes import parent

    for _ in range(64):
        if pid == ancestor:
            return True
        pid = parent(pid)
        if pid <= 1:
            break
    return False


def pending(numbers: frozenset[int]) -> set[int]:
    """Those of the blocked signals that wait for us."""
    return {int(n) for n in signal.sigpending()} & numbers
