"""Where the target's two outputs go, seen from what the doctor's own descriptors are."""

from __future__ import annotations

import os
import stat

from xladoctor import descriptors
from xladoctor.target.keeper.plan import Route

STDOUT_LOG, STDERR_LOG = "stdout.log", "stderr.log"
_NULL = (1, 3)


def routes(stdout: int | None, stderr: int | None) -> tuple[Route, ...]:
    """The routes of standard output and standard error to these descriptors (None: to the log only).

    Outputs that the caller sent to one place share a route, so that the order of lines is kept; their log is
    `stderr.log`. Where only we send both to one pipe, they are two.
    """
    kinds = (_kind(stdout), _kind(stderr))
    if stdout is not None and stderr is not None and _is_same(stdout, stderr, kinds):
        return (Route(kinds[1], stderr, (1, 2), STDERR_LOG),)
    return (
        Route(kinds[0], _open(stdout), (1,), _log(kinds[0], STDOUT_LOG)),
        Route(kinds[1], _open(stderr), (2,), _log(kinds[1], STDERR_LOG)),
    )


def _is_same(stdout: int, stderr: int, kinds: tuple[str, str]) -> bool:
    if kinds[0] != kinds[1] or kinds[0] in ("closed", "direct"):
        return False
    a, b = os.fstat(stdout), os.fstat(stderr)
    if kinds[0] == "terminal":
        return a.st_rdev == b.st_rdev
    if kinds[0] == "pipe" and (stdout == stderr or stat.S_ISCHR(a.st_mode)):
        return False
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)


def _kind(descriptor: int | None) -> str:
    if descriptor is None:
        return "pipe"
    if descriptor in descriptors.CLOSED:
        return "closed"
    try:
        status = os.fstat(descriptor)
    except OSError:
        return "closed"
    if stat.S_ISREG(status.st_mode):
        return "file"
    if os.isatty(descriptor):
        return "terminal"
    null = stat.S_ISCHR(status.st_mode) and (os.major(status.st_rdev), os.minor(status.st_rdev)) == _NULL
    if null or stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode):
        return "pipe"
    # A device: its errors are for the target to see, and it cannot be read back.
    return "direct"


def _open(descriptor: int | None) -> int | None:
    return None if descriptor is None or _kind(descriptor) == "closed" else descriptor


def _log(kind: str, name: str) -> str | None:
    return None if kind in ("closed", "direct") else name
