"""A pseudo-terminal for the target's output, where that is a terminal.

The target keeps the user's terminal as its standard input and as `/dev/tty`: keys, job control, passwords and pagers do
not pass through us. Only what it prints does. The pseudo-terminal adds nothing to it (no output processing), has the
terminal's window size, and hands on the modes that a program sets through its standard output.
"""

from __future__ import annotations

import fcntl
import os
import select
import termios
import time
from contextlib import suppress

# Fields of the list that `termios.tcgetattr` returns.
_INPUT, _OUTPUT, _LOCAL, _CHARACTERS = 0, 1, 3, 6
# A program that never sleeps gets the next key after this many seconds.
_BUSY = 0.05
# The bytes of the longest key: an escape sequence with its modifiers.
_LONGEST_KEY = 16


class Terminal:
    """The pseudo-terminal: `master` for the keeper, `slave` for the target, `user` the terminal that is seen."""

    def __init__(self, user: int) -> None:
        self.user = user
        self.master, self.slave = os.openpty()
        modes = termios.tcgetattr(user)
        modes[_OUTPUT] &= ~termios.OPOST
        termios.tcsetattr(self.slave, termios.TCSANOW, modes)
        # Tells the target's descriptors from those that it opens by the slave's name. On a terminal it does nothing.
        fcntl.fcntl(self.slave, fcntl.F_SETFL, fcntl.fcntl(self.slave, fcntl.F_GETFL) | os.O_APPEND)
        self._name = os.ttyname(self.slave)
        self.wants_keys = False
        self._reader: int | None = None
        self._key_passed = 0.0
        self._modes = self._start = termios.tcgetattr(self.slave)
        self._size = b""
        self.resize()

    def resize(self) -> bool:
        """Take over the terminal's window size; whether it is another one."""
        with suppress(OSError):
            size = fcntl.ioctl(self.user, termios.TIOCGWINSZ, bytes(8))
            if size != self._size:
                self._size = size
                fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
                return True
        return False

    @property
    def changed(self) -> bool:
        """Whether the target has set modes that it has not taken back."""
        return self._modes != self._start

    def hand_on_modes(self) -> None:
        """Set for the user's terminal what the target has set for its output: a curses program does that."""
        with suppress(OSError, termios.error):
            modes = termios.tcgetattr(self.master)
            if modes == self._modes:
                return
            self._modes = modes
            self._reader = self._find_reader() if self.changed and not modes[_LOCAL] & termios.ICANON else None
            self.wants_keys = self._reader is not None
            if not self._in_foreground():
                return
            real = termios.tcgetattr(self.user)
            for field in (_INPUT, _LOCAL, _CHARACTERS):
                real[field] = modes[field]
            termios.tcsetattr(self.user, termios.TCSADRAIN, real)

    def takes_key(self) -> bool:
        """Whether a program waits for a key from us. What is typed before it does stays in the user's terminal: if the
        last key ended the program, the next ones are for the shell.
        """
        if not self.wants_keys:
            return False
        return self._reader_waits() or (self.wants_keys and time.monotonic() - self._key_passed > _BUSY)

    def pass_key(self) -> None:
        """Hand on a key to a program that reads them by the name of its output's terminal, as `less` does."""
        if self.wants_keys and self._in_foreground():
            key = os.read(self.user, 1)
            if key == b"\x1b" or key >= b"\x80":
                # An arrow, or a letter that is not ASCII, is one key; a program may tell Escape from it by its timing.
                poll = select.poll()
                poll.register(self.user, select.POLLIN)
                key += os.read(self.user, _LONGEST_KEY - 1) if poll.poll(0) else b""
            os.write(self.master, key)
            self._key_passed = time.monotonic()

    def _in_foreground(self) -> bool:
        return os.tcgetpgrp(self.user) == os.getpgrp()

    def _reader_waits(self) -> bool:
        """Whether the reader has taken the last key, and sleeps again. One that has ended waits for nothing."""
        with suppress(OSError):
            slave = os.open(self._name, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
            try:
                # To poll it also brings to its queue what was written to the other side.
                poll = select.poll()
                poll.register(slave, select.POLLIN)
                if poll.poll(0):
                    return False
            finally:
                os.close(slave)
        with suppress(OSError):
            with open(f"/proc/{self._reader}/stat", "rb") as file:
                state = file.read().rpartition(b")")[2].split()[0]
            if state not in (b"Z", b"X"):
                return state == b"S"
        self._reader = self._find_reader()
        self.wants_keys = self._reader is not None
        return False

    def _find_reader(self) -> int | None:
        """A process of our group that has opened the slave by its name to read from it."""
        for name in os.listdir("/proc"):
            with suppress(OSError):
                if name.isdigit() and os.getpgid(int(name)) == os.getpgrp() and self._reads(f"/proc/{name}"):
                    return int(name)
        return None

    def _reads(self, process: str) -> bool:
        for number in os.listdir(f"{process}/fd"):
            with suppress(OSError):
                if os.readlink(f"{process}/fd/{number}") != self._name:
                    continue
                with open(f"{process}/fdinfo/{number}", "rb") as file:
                    flags = int(file.read().partition(b"flags:")[2].split()[0], 8)
                if not flags & os.O_APPEND and flags & os.O_ACCMODE != os.O_WRONLY:
                    return True
        return False
