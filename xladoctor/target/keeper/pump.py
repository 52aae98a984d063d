"""Copies one output of the target to the user's stream and to its log."""

from __future__ import annotations

import errno
import fcntl
import os
import select
import sys
import termios
import threading
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xladoctor.target.keeper.log_file import LogFile
    from xladoctor.target.keeper.terminal import Terminal

_CHUNK = 1 << 16
# How often the terminal is looked at while the target prints, in seconds.
_LOOK = 0.2
# How often while the target has set modes of its own, and while it works on a key that it got, in milliseconds.
_MODES, _KEY = 50, 5


class Pump(threading.Thread):
    """A thread for each pipe or pseudo-terminal: a stream whose reader is slow does not hold up the other."""

    def __init__(self, source: int, user: int | None, log: LogFile, terminal: Terminal | None = None) -> None:
        super().__init__(name=f"pump {log.name}")
        self.source, self.user, self.terminal = source, user, terminal
        self.ended = False
        self.quiet_since = time.monotonic()
        self._log: LogFile | None = log
        self._lock = threading.Lock()
        self._passed = 0
        self._due = 0

    def run(self) -> None:
        """Copy until every process has closed its end, or the user's reader went away: then the target learns it."""
        with suppress(OSError):
            self._copy()
        os.close(self.source)
        self.ended = True

    def target_ended(self) -> None:
        """What the target wrote and is not yet read is due before the run can be looked at."""
        with suppress(OSError):
            waiting = int.from_bytes(fcntl.ioctl(self.source, termios.FIONREAD, bytes(4)), sys.byteorder)
            self._due = self._passed + waiting

    def settled(self, quiet: float) -> bool:
        """Whether all that the target wrote has been passed on, and nothing came for `quiet` seconds."""
        return self.ended or (self._passed >= self._due and time.monotonic() - self.quiet_since >= quiet)

    @property
    def passed_on(self) -> bool:
        """Whether all that the target itself wrote has been passed on."""
        return self.ended or self._passed >= self._due

    def finish_log(self) -> None:
        """End the log; what children of the target still write is passed on, and not logged."""
        with self._lock:
            log, self._log = self._log, None
        if log is not None:
            log.finish()

    def _copy(self) -> None:
        poll = select.poll()
        poll.register(self.source, select.POLLIN)
        if self.user is not None:
            poll.register(self.user, 0)
        looked = 0.0
        while True:
            terminal = self.terminal
            pause = None
            if terminal is not None:
                takes_key = terminal.takes_key()
                poll.modify(terminal.user, select.POLLIN if takes_key else 0)
                pause = None if not terminal.changed else _KEY if terminal.wants_keys and not takes_key else _MODES
            events = dict(poll.poll(pause))
            if terminal is not None:
                terminal.hand_on_modes()
                if time.monotonic() - looked > _LOOK:
                    looked = time.monotonic()
                    terminal.resize()
            if self.user is not None and events.get(self.user, 0) & ~select.POLLIN:
                return
            if terminal is not None and terminal.user in events:
                terminal.pass_key()
            if self.source not in events:
                continue
            try:
                data = os.read(self.source, _CHUNK)
            except OSError as error:
                if error.errno == errno.EIO:
                    return  # no process has the pseudo-terminal open any more
                raise
            if not data:
                return
            self.quiet_since = float("inf")
            if self.user is not None:
                _write(self.user, data)
            with self._lock:
                if self._log is not None:
                    self._log.write(data)
            self._passed += len(data)
            self.quiet_since = time.monotonic()


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[_write_some(descriptor, view) :]


def _write_some(descriptor: int, view: memoryview) -> int:
    try:
        return os.write(descriptor, view)
    except BlockingIOError:
        # The caller's pipe does not block; that is the caller's to decide, for all who share it.
        poll = select.poll()
        poll.register(descriptor, select.POLLOUT)
        poll.poll()
        return 0
