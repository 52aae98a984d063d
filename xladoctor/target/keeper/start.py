"""Starts the target as its caller would have: same descriptors, same signals, same group, same terminal."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from xladoctor.target.keeper.plan import Plan


def start(plan: Plan, outputs: Mapping[int, int | None], ignored: Iterable[int]) -> int:
    """Start the target and return its process id. `outputs`: {its descriptor: ours, or None for closed}.

    `ignored` are signals that the caller ignores and the keeper does not.

    Raises:
        OSError: it cannot be executed.
    """
    failure, report = os.pipe()
    environment = dict(os.environ)
    if not plan.locale:
        environment.pop("LC_CTYPE", None)
    # There is one thread yet.
    pid = os.fork()
    if pid == 0:
        try:
            _become(plan, outputs, ignored, environment)
        except OSError as error:
            os.write(report, str(error.errno or 1).encode())
        finally:
            os._exit(127)
    os.close(report)
    try:
        number = os.read(failure, 16)
    finally:
        os.close(failure)
    if number:
        os.waitpid(pid, 0)
        raise OSError(int(number), os.strerror(int(number)))
    return pid


def _become(
    plan: Plan, outputs: Mapping[int, int | None], ignored: Iterable[int], environment: Mapping[str, str]
) -> None:
    if plan.detached:
        os.setsid()
    # First copies above all that is wanted: one output may be the descriptor that another is to become.
    copies = {number: None if ours is None else _high(ours) for number, ours in outputs.items()}
    for number, ours in copies.items():
        if ours is None:
            with suppress(OSError):
                os.close(number)
        else:
            os.dup2(ours, number)
    if not plan.stdin:
        os.close(0)
    # Python ignores these two, and has a handler for the third.
    for ours in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ours, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, plan.mask)
    os.execve(plan.program, plan.command, environment)  # noqa: S606 - the user's command, without a shell


def _high(descriptor: int) -> int:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
