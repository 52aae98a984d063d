"""A pseudo-terminal for the target's output, where that is a terminal.

The target keeps the user's terminal as its standard input and as `/dev/tty`: keys, job control, passwords and pagers do
not pass through us. Only what it prints does. The pseudo-terminal adds nothing to it (no output processing), has the
terminal's window size, and hands on the modes that a program sets through its standard output.
"""

from __future__ import annotations

import fcntl
import os
import termios
from contextlib import suppress

# Fields of the list that `termios.tcgetattr` returns.
_INPUT, _OUTPUT, _LOCAL, _CHARACTERS = 0, 1, 3, 6


class Terminal:
    """The pseudo-terminal: `master` for the keeper, `slave` for the target, `user` the terminal that is seen."""

    def __init__(self, user: int) -> None:
        self.user = user
        self.master, self.slave = os.openpty()
        modes = termios.tcgetattr(user)
        modes[_OUTPUT] &= ~termios.OPOST
        termios.tcsetattr(self.slave, termios.TCSANOW, modes)
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
            if os.tcgetpgrp(self.user) != os.getpgrp():
                return
            real = termios.tcgetattr(self.user)
            for field in (_INPUT, _LOCAL, _CHARACTERS):
                real[field] = modes[field]
            termios.tcsetattr(self.user, termios.TCSADRAIN, real)
