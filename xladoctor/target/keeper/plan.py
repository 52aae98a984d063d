"""What the doctor asks of the keeper, as the words of its command line. Both sides use this file."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

KILL_ALL = int(signal.SIGKILL)
"""On the control pipe: end the target and its children at once. Other bytes are signals that reached the doctor."""
WRITTEN = 255
"""On the control pipe: the doctor wrote down how the run ended. The pipe closed without it: the doctor was killed."""


class Route:
    """Where one output of the target goes.

    Attributes:
        kind: `pipe` and `terminal` are copied by the keeper, `file` and `direct` are the user's own descriptors,
            `closed` is none.
        user: the descriptor that the user sees; None where only the log is wanted.
        targets: the descriptors of the target that lead there: 1, 2 or both.
        log: the name of its log in the run folder; None where none can be made.
    """

    def __init__(self, kind: str, user: int | None, targets: tuple[int, ...], log: str | None) -> None:
        self.kind, self.user, self.targets, self.log = kind, user, targets, log

    def word(self) -> str:
        """As a word of the command line."""
        user = "" if self.user is None else str(self.user)
        return f"{self.kind}:{user}:{'+'.join(map(str, self.targets))}:{self.log or ''}"

    @classmethod
    def of(cls, word: str) -> Route:
        """From a word of the command line."""
        kind, user, targets, log = word.split(":")
        return cls(kind, int(user) if user else None, tuple(int(t) for t in targets.split("+")), log or None)


class Plan:
    """What is to be run, and how.

    Attributes:
        control: the descriptor on which the doctor sends bytes.
        status: the descriptor for lines to the doctor.
        folder: the run folder.
        timeout: seconds until the target is ended; None for no bound.
        detached: the target gets a session of its own, and ends with the doctor (a rehearsal).
        share: bytes that the log of each route may take.
        mask: the signals that the doctor's caller had blocked.
        stdin: whether the target has a standard input.
        locale: whether LC_CTYPE is the user's (a Python in the C locale sets one of its own).
        routes: where the output goes.
        program: the file to execute.
        command: the target's words.
    """

    def __init__(
        self,
        *,
        control: int,
        status: int,
        folder: str,
        timeout: float | None,
        detached: bool,
        share: int,
        mask: tuple[int, ...],
        stdin: bool,
        locale: bool,
        routes: Sequence[Route],
        program: str,
        command: Sequence[str],
    ) -> None:
        self.control, self.status, self.folder = control, status, folder
        self.timeout, self.detached, self.share, self.mask = timeout, detached, share, mask
        self.stdin, self.locale = stdin, locale
        self.routes, self.program, self.command = tuple(routes), program, tuple(command)

    def words(self) -> list[str]:
        """As words of the command line."""
        return [
            str(self.control),
            str(self.status),
            self.folder,
            "" if self.timeout is None else repr(self.timeout),
            str(int(self.detached)),
            str(self.share),
            ",".join(map(str, self.mask)),
            str(int(self.stdin)),
            str(int(self.locale)),
            *(route.word() for route in self.routes),
            "--",
            self.program,
            *self.command,
        ]

    @classmethod
    def of(cls, words: Sequence[str]) -> Plan:
        """From the words of the command line."""
        at = words.index("--", 9)
        control, status, folder, timeout, detached, share, mask, stdin, locale = words[:9]
        return cls(
            control=int(control),
            status=int(status),
            folder=folder,
            timeout=float(timeout) if timeout else None,
            detached=detached == "1",
            share=int(share),
            mask=tuple(int(n) for n in mask.split(",") if n),
            stdin=stdin == "1",
            locale=locale == "1",
            routes=[Route.of(word) for word in words[9:at]],
            program=words[at + 1],
            command=words[at + 2 :],
        )


def forwarded() -> frozenset[int]:
    """The signals by which people, shells and batch systems speak to a program, and which end one that has no handler.

    Not among them: those of errors and timers of the process itself, and those of job control.
    """
    names = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGPWR", "SIGIO")
    named = {int(getattr(signal, name)) for name in names if hasattr(signal, name)}
    realtime = getattr(signal, "SIGRTMIN", None)
    return frozenset(named if realtime is None else named | set(range(int(realtime), int(signal.SIGRTMAX) + 1)))


ENDING = frozenset(int(n) for n in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM))
"""Signals that ask a program to end: a run that gets one of them was interrupted."""
