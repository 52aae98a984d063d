"""The target's outputs while it runs: pumps for pipes and terminals, the user's own file read back afterwards."""

from __future__ import annotations

import os
import signal
import stat
import time
from contextlib import suppress

from xladoctor.target.keeper.log_file import LogFile, copy_region
from xladoctor.target.keeper.pump import Pump
from xladoctor.target.keeper.terminal import Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from xladoctor.target.keeper.plan import Plan, Route

# After the target's end its children may still print: they are listened to until it is quiet, but not for long.
_QUIET, _LONG = 0.5, 5.0
_TICK = 0.005


class Outputs:
    """All routes of a run. `descriptors` are those that the target gets, by its own numbers."""

    def __init__(self, plan: Plan) -> None:
        self.descriptors: dict[int, int | None] = {}
        self.logs: list[tuple[Route, LogFile | None]] = []
        self._pumps: list[Pump] = []
        self._terminals: list[Terminal] = []
        self._files: list[tuple[_Reader, LogFile]] = []
        self._ours: list[int] = []
        for route in plan.routes:
            log = LogFile(plan.folder, route.log, plan.share) if route.log else None
            self.logs.append((route, log))
            self.descriptors.update(dict.fromkeys(route.targets, self._connect(route, log)))

    def _connect(self, route: Route, log: LogFile | None) -> int | None:
        if log is None or route.kind in ("closed", "direct"):
            return route.user
        if route.kind == "file":
            assert route.user is not None
            self._files.append((_Reader(route.user), log))
            return route.user
        if route.kind == "terminal":
            assert route.user is not None
            terminal = Terminal(route.user)
            self._terminals.append(terminal)
            self._pumps.append(Pump(terminal.master, route.user, log, terminal))
            self._ours.append(terminal.slave)
            return terminal.slave
        source, ours = os.pipe()
        self._pumps.append(Pump(source, route.user, log))
        self._ours.append(ours)
        return ours

    def start(self) -> None:
        """Copy. The target has its descriptors; ours would keep the pipes open."""
        for descriptor in self._ours:
            os.close(descriptor)
        for pump in self._pumps:
            pump.start()

    def window_changed(self) -> None:
        """Hand on the terminal's size; the target may have asked for it before we knew."""
        sizes = [terminal.resize() for terminal in self._terminals]
        if any(sizes):
            with suppress(OSError):
                os.killpg(0, signal.SIGWINCH)

    def settle(self) -> None:
        """Wait until what the target wrote has been passed on, and finish the logs."""
        for pump in self._pumps:
            pump.target_ended()
        end = time.monotonic() + _LONG
        while not all(pump.settled(_QUIET) for pump in self._pumps):
            if time.monotonic() > end and all(pump.passed_on for pump in self._pumps):
                break
            time.sleep(_TICK)
        for pump in self._pumps:
            pump.finish_log()
        for reader, log in self._files:
            reader.log_to(log)
            log.finish()

    def remove_logs(self) -> None:
        """Leave no empty logs of a target that could not be started."""
        for _, log in self.logs:
            if log is not None:
                log.remove()

    def join(self) -> None:
        """Wait until nobody holds an output of the target any more."""
        for pump in self._pumps:
            pump.join()


class _Reader:
    """A regular file that the target writes to by itself, to be read back from where it stood."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        size = os.fstat(descriptor).st_size
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        appends = bool(_flags(descriptor) & os.O_APPEND)
        self._start = size if appends else at
        self._inside = not appends and at < size

    def log_to(self, log: LogFile) -> None:
        try:
            # The user's descriptor can only be written to. This opens the same file, also one without a name.
            source = os.open(f"/proc/self/fd/{self._descriptor}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            log.lost = f"the file cannot be read back: {error.strerror or error}"
            return
        try:
            size = os.fstat(source).st_size
            end = os.lseek(self._descriptor, 0, os.SEEK_CUR) if self._inside else size
            # One that was emptied meanwhile has only what came afterwards.
            copy_region(source, self._start if self._start <= end else 0, end, log)
        except OSError as error:
            log.lost = log.lost or error.strerror or str(error)
        finally:
            os.close(source)


def _flags(descriptor: int) -> int:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_GETFL)


def forget_descriptors(kept: Sequence[int]) -> None:
    """Close what the target inherited through us and we have no use for: others may wait for its end."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    known = {0, *kept}
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        with suppress(OSError):
            if number not in known and os.get_inheritable(number) and not stat.S_ISDIR(os.fstat(number).st_mode):
                os.close(number)
