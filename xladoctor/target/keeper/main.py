"""Runs the target from its start to the end of its last output."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress

from xladoctor.target.keeper.outputs import Outputs, forget_descriptors
from xladoctor.target.keeper.plan import KILL_ALL, WRITTEN, Plan, forwarded
from xladoctor.target.keeper.processes import Family
from xladoctor.target.keeper.signals import Signals, pending
from xladoctor.target.keeper.start import start

# After a time-out: SIGABRT (the target's faulthandler prints every thread's stack), then SIGKILL.
_GRACE = 10.0
_LONG = 3600.0


class Keeper:
    """One run."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.signals = Signals(plan.detached)
        self.outputs = Outputs(plan)
        self.pid = 0
        self.status: int | None = None
        self.timed_out = False
        self.clock = time.monotonic()
        self.seconds = 0.0
        self._written = False
        # What the caller ignores, the target ignores: it interrupts nothing.
        self._numbers = frozenset(n for n in forwarded() if signal.getsignal(n) is not signal.SIG_IGN)
        self._waited = {*self._numbers, int(signal.SIGCHLD), int(signal.SIGWINCH), int(signal.SIGCONT)}
        self._family: Family | None = None

    def run(self) -> None:
        """Start the target, see it to its end, and report."""
        signal.pthread_sigmask(signal.SIG_BLOCK, self._waited)
        # A caller that ignores SIGCHLD would have the kernel forget the target's status.
        ignored = [signal.SIGCHLD] if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN else []
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        early = pending(self._numbers)
        try:
            self.pid = start(self.plan, self.outputs.descriptors, ignored)
        except OSError as error:
            self._tell(f"failed {error.errno}")
            self.outputs.remove_logs()
            return
        self._tell(f"started {self.pid}")
        self._family = Family(self.pid, b"XLADOCTOR_RUN_DIR=" + os.fsencode(self.plan.folder) + b"\0")
        self.signals.started(self.pid, early)
        self.outputs.start()
        forget_descriptors([r.user for r in self.plan.routes if r.user is not None])
        listener = threading.Thread(target=self._listen, name="control", daemon=True)
        listener.start()
        self._wait()
        self.outputs.settle()
        self._report()
        listener.join()
        if not self._written and not self.plan.detached:
            from xladoctor.target.keeper.orphan import write_down

            write_down(self)
        self.outputs.join()

    def _wait(self) -> None:
        """Until the target has ended, by itself or at the time-out."""
        end = None if self.plan.timeout is None else self.clock + self.plan.timeout
        while not self._look(_LONG if end is None else end - time.monotonic()):
            if end is not None and time.monotonic() >= end:
                self._end_target()
                break
        self.seconds = time.monotonic() - self.clock

    def _look(self, seconds: float) -> bool:
        """Take one signal, if one comes in time; whether the target has ended."""
        info = signal.sigtimedwait(self._waited, max(0.0, min(seconds, _LONG)))
        if info is not None and info.si_signo in (signal.SIGWINCH, signal.SIGCONT):
            self.outputs.window_changed()
        elif info is not None and info.si_signo in self._numbers:
            self.signals.saw(info.si_signo, info.si_pid)
        if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return False
        # A signal to the group that ended the target may still be waiting for us.
        while (info := signal.sigtimedwait(self._numbers, 0)) is not None:
            self.signals.saw(info.si_signo, info.si_pid)
        self.signals.ended()
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return True

    def _end_target(self) -> None:
        self.timed_out = True
        assert self._family is not None
        if not self.plan.detached:
            self._family.look()
        # The target alone: the stacks of its children would be printed into its own.
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, signal.SIGABRT)
        end = time.monotonic() + _GRACE
        ended = False
        while not ended and time.monotonic() < end:
            ended = self._look(end - time.monotonic())
        self._kill_all()
        while not ended:
            ended = self._look(_LONG)

    def _kill_all(self) -> None:
        """The target and its children, or what is left of them."""
        assert self._family is not None
        if not self.plan.detached:
            self._family.kill()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _listen(self) -> None:
        """What the doctor says: signals that reached it; that it wrote down how the run ended. Then it goes."""
        while data := os.read(self.plan.control, 64):
            for number in data:
                if number == WRITTEN:
                    self._written = True
                elif number == KILL_ALL:
                    self.signals.interrupted = True
                    self._kill_all()
                else:
                    self.signals.doctor_saw(number)
        if self.plan.detached and not self._written:
            self._kill_all()

    def _report(self) -> None:
        interrupted = int(self.signals.interrupted)
        self._tell(f"ended {self.status} {self.seconds:.3f} {int(self.timed_out)} {interrupted}")
        for number, (_, log) in enumerate(self.outputs.logs):
            if log is not None:
                self._tell(f"log {number} {log.size} {log.kept} {log.lost or ''}")
        self._tell("done")

    def _tell(self, line: str) -> None:
        with suppress(OSError):
            os.write(self.plan.status, line.encode("utf-8", "backslashreplace") + b"\n")


def main(words: list[str]) -> None:
    """Run what the words of the command line say."""
    plan = Plan.of(words)
    for descriptor in (plan.control, plan.status):
        os.set_inheritable(descriptor, False)
    Keeper(plan).run()
    # Nothing is left to be flushed, and the caller may wait for our end.
    os._exit(0)
