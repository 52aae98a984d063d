"""Has the keeper run the target, and says how it ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import xladoctor
from xladoctor import descriptors
from xladoctor.errors import XladoctorError
from xladoctor.model.evidence import ProcessOutcome
from xladoctor.model.output_log import OutputLog
from xladoctor.target.command import resolve
from xladoctor.target.keeper.plan import KILL_ALL, WRITTEN, Plan, Route, forwarded
from xladoctor.target.routes import routes

LOG_SHARE = 1 << 26
"""Bytes that each log may take, where nothing else is said."""

_START = "import sys; sys.path.append(sys.argv[1]); from xladoctor.target.keeper.main import main; main(sys.argv[2:])"


@dataclass(frozen=True)
class Run:
    """How the target ended, its process id, and the wall-clock times."""

    outcome: ProcessOutcome
    pid: int
    started: float
    ended: float
    _control: int = field(repr=False)
    _keeper: subprocess.Popen[bytes] = field(repr=False)

    def written_down(self) -> None:
        """The caller wrote the outcome into `run.json`. Without this word the keeper does."""
        with contextlib.suppress(OSError):
            os.write(self._control, bytes([WRITTEN]))
        os.close(self._control)
        # It goes on as long as a child of the target holds its output.
        threading.Thread(target=self._keeper.wait, daemon=True).start()


class Stop:
    """Ends a detached run from another thread, as a signal to the doctor does; one that begins later ends at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: int | None = None
        self._called = False

    def __call__(self) -> None:
        """End it."""
        with self._lock:
            self._called = True
            self._tell()

    @contextlib.contextmanager
    def over(self, control: int) -> Iterator[None]:
        """A run that listens to this descriptor is under way."""
        with self._lock:
            self._control = control
            if self._called:
                self._tell()
        try:
            yield
        finally:
            with self._lock:
                self._control = None

    def _tell(self) -> None:
        if self._control is not None:
            with contextlib.suppress(OSError):
                os.write(self._control, bytes([KILL_ALL]))


@dataclass
class _Report:
    """What the keeper says, line by line."""

    pid: int | None = None
    error: int | None = None
    status: int | None = None
    seconds: float = 0.0
    timed_out: bool = False
    interrupted: bool = False
    logs: dict[int, tuple[int, int, str | None]] = field(default_factory=dict)

    def take(self, line: str) -> bool:
        """Take a line; whether it is the last."""
        what, _, rest = line.partition(" ")
        words = rest.split(" ", 3)
        if what == "started":
            self.pid = int(words[0])
        elif what == "failed":
            self.error = int(words[0])
        elif what == "ended":
            self.status, self.seconds = int(words[0]), float(words[1])
            self.timed_out, self.interrupted = words[2] == "1", words[3] == "1"
        elif what == "log":
            self.logs[int(words[0])] = (int(words[1]), int(words[2]), words[3] or None)
        return what in ("done", "failed")


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    folder: Path,
    timeout: float | None,
    stdout: int | None = 1,
    stderr: int | None = 2,
    cwd: Path | None = None,
    detached: bool = False,
    log_share: int = LOG_SHARE,
    stop: Stop | None = None,
) -> Run:
    """Run `command`. Its output goes to the two descriptors (None: nowhere), and into the logs in `folder`.

    A signal to the doctor reaches the target. `detached`: the target has a session of its own, a signal kills it and
    its children at once, and it ends with the doctor. `stop` ends it so from another thread.

    Raises:
        XladoctorError: (exit code 3) the program could not be started, or the keeper was killed.
    """
    program = resolve(command, env)
    started = time.time()
    to = routes(stdout, stderr)
    control_in, control = os.pipe()
    status, status_out = os.pipe()
    report = _Report()
    with _blocked() as mask:
        plan = Plan(
            control=control_in,
            status=status_out,
            folder=str(folder),
            timeout=timeout,
            detached=detached,
            share=log_share,
            mask=tuple(int(n) for n in mask),
            stdin=0 not in descriptors.CLOSED,
            locale="LC_CTYPE" in env and env["LC_CTYPE"] == _callers_locale(),
            routes=to,
            program=program,
            command=command,
        )
        keeper = _started(plan, env, cwd, (control, status))
        with _forwarding(control, detached), (stop or Stop()).over(control):
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            _listen(status, report)
    if report.error is not None or report.status is None:
        os.close(control)
        keeper.wait()
        raise XladoctorError(_failure(command[0], report), exit_code=3)
    for number in (stdout, stderr):
        if number is not None:
            descriptors.to_the_end(number)
    outcome = _outcome(command, report, to)
    return Run(outcome, report.pid or 0, started, time.time(), control, keeper)


def _started(plan: Plan, env: Mapping[str, str], cwd: Path | None, ours: tuple[int, int]) -> subprocess.Popen[bytes]:
    root = Path(xladoctor.__file__).parents[1]
    inherited = (plan.control, plan.status)
    for descriptor in inherited:
        os.set_inheritable(descriptor, True)
    try:
        return subprocess.Popen(
            # -B: on a full disk Python would leave half a cache file behind.
            [sys.executable, "-I", "-S", "-B", "-c", _START, str(root), *plan.words()],
            env=dict(env),
            cwd=cwd,
            # The caller may have opened descriptors for the target.
            close_fds=False,
        )
    except OSError as error:
        for descriptor in ours:
            os.close(descriptor)
        raise XladoctorError(f"cannot run {plan.command[0]}: {error.strerror or error}", exit_code=3) from error
    finally:
        for descriptor in inherited:
            os.close(descriptor)


def _failure(name: str, report: _Report) -> str:
    """Why there is no outcome. Where only the keeper is gone, the target is waited for."""
    if report.error is not None:
        return f"cannot run {name}: {os.strerror(report.error)}"
    if report.pid is None:
        return f"cannot run {name}: the process that was to start it has ended"
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(report.pid)  # it is no child of ours
        select.select([descriptor], [], [])
        os.close(descriptor)
    return f"the process that runs {name} was killed: how the run ended is not known"


def _listen(status: int, report: _Report) -> None:
    with os.fdopen(status, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if report.take(line.rstrip("\n")):
                return


def _outcome(command: Sequence[str], report: _Report, to: Sequence[Route]) -> ProcessOutcome:
    code = report.status
    assert code is not None
    state: Literal["exited", "signalled", "timed-out", "interrupted"] = "exited"
    if report.timed_out:
        state = "timed-out"
    elif report.interrupted:
        state = "interrupted"
    elif code < 0:
        state = "signalled"
    return ProcessOutcome(
        command=tuple(command),
        state=state,
        code=code if code >= 0 else None,
        signal=_signal_name(-code) if code < 0 else None,
        seconds=round(report.seconds, 3),
        output=tuple(_output(route, report.logs.get(number)) for number, route in enumerate(to)),
    )


def _output(route: Route, log: tuple[int, int, str | None] | None) -> OutputLog:
    size, kept, lost = log or (None, 0, None)
    streams = tuple("stdout" if number == 1 else "stderr" for number in route.targets)
    return OutputLog(streams, route.kind, route.log, size, kept, lost)


@contextlib.contextmanager
def _blocked() -> Iterator[set[int | signal.Signals]]:
    """Hold signals back until somebody is there to hand them on. Ignored ones stay ignored."""
    numbers = [n for n in forwarded() if signal.getsignal(n) is not signal.SIG_IGN]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield mask
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextlib.contextmanager
def _forwarding(control: int, at_once: bool) -> Iterator[None]:
    """While the target runs, the keeper hears of signals to the doctor."""

    def forward(number: int, frame: Any) -> None:
        with contextlib.suppress(OSError):
            os.write(control, bytes([KILL_ALL if at_once else number]))

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}
    for number in forwarded():
        handler = signal.getsignal(number)
        if handler is not None and handler is not signal.SIG_IGN:
            before[number] = signal.signal(number, forward)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _callers_locale() -> str | None:
    """LC_CTYPE as the caller set it. A Python that starts in the C locale sets one of its own, for its children too."""
    try:
        environment = Path("/proc/self/environ").read_bytes().split(b"\0")
    except OSError:
        return os.environ.get("LC_CTYPE")
    values = [os.fsdecode(e[9:]) for e in environment if e.startswith(b"LC_CTYPE=")]
    return values[0] if values else None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
