"""Runs the target: passes its output through, keeps a copy, forwards signals, and says how it ended.

No shell, no pseudo-terminal: bytes go through as they come. The target gets a session of its own, so that a time-out
ends all of its children, and a signal that reaches the doctor is handed on to all of them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from xladoctor.errors import XladoctorError
from xladoctor.evidence.model import ProcessOutcome

_FORWARDED = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)
# After a time-out: SIGABRT (the target's faulthandler prints every thread's stack), then SIGKILL.
_GRACE = 10.0
# Grandchildren may hold the pipes open after the target has ended.
_DRAIN = 5.0


@dataclass(frozen=True)
class Run:
    """How the target ended, its process id, and the wall-clock times."""

    outcome: ProcessOutcome
    pid: int
    started: float
    ended: float


def resolve(command: Sequence[str], env: Mapping[str, str]) -> str:
    """The program to start, or an XladoctorError (exit code 3) that says why it cannot be."""
    name = command[0]
    path = shutil.which(name, path=env.get("PATH"))
    if path is not None:
        return path
    if os.sep in name and Path(name).exists():
        raise XladoctorError(
            f"cannot run {name}: it is not an executable file",
            exit_code=3,
            hint=f"a Python script has its interpreter before it: -- python {name}" if name.endswith(".py") else None,
        )
    raise XladoctorError(
        f"cannot run {name}: no such program",
        exit_code=3,
        hint="everything after -- is the command, with its arguments as separate words",
    )


def with_python(command: Sequence[str], python: str | None) -> tuple[str, ...]:
    """The command with `--python` in the place of a bare `python` or `python3`."""
    command = tuple(command)
    if python is None:
        return command
    if not os.access(python, os.X_OK):
        raise XladoctorError(f"--python {python}: no such interpreter", exit_code=3)
    name = command[0]
    if os.sep not in name and name.startswith("python") and name[6:].replace(".", "").isdigit() | (name == "python"):
        return (python, *command[1:])
    raise XladoctorError(
        f"--python {python} says which interpreter `python` is, but the command starts with {name}",
        hint="leave --python out, or write the command as: python ...",
    )


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    folder: Path,
    timeout: float | None,
    stdout: IO[bytes],
    stderr: IO[bytes],
    cwd: Path | None = None,
    at_once: bool = False,
) -> Run:
    """Run `command`; its output goes to the two streams and to `stdout.log` and `stderr.log` in `folder`.

    A signal to the doctor is handed on; with `at_once` it kills the target and all of its children instead.

    Raises:
        XladoctorError: (exit code 3) the program could not be started.
    """
    program = resolve(command, env)
    started = time.time()
    clock = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            executable=program,
            env=dict(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
            cwd=cwd,
        )
    except OSError as error:
        raise XladoctorError(f"cannot run {command[0]}: {error.strerror or error}", exit_code=3) from error
    pumps = [
        _Pump(process.stdout, folder / "stdout.log", stdout),
        _Pump(process.stderr, folder / "stderr.log", stderr),
    ]
    interrupted: list[int] = []
    with _forwarding(process, interrupted, at_once):
        state = _wait(process, clock + timeout if timeout else None)
    deadline = time.monotonic() + _DRAIN
    for pump in pumps:
        pump.join(max(0.1, deadline - time.monotonic()))
    code = process.returncode
    killed_by = _signal_name(-code) if code < 0 else None
    outcome_state: Literal["exited", "signalled", "timed-out", "interrupted"] = "exited"
    if state == "timed-out":
        outcome_state = "timed-out"
    elif interrupted:
        outcome_state = "interrupted"
    elif code < 0:
        outcome_state = "signalled"
    outcome = ProcessOutcome(
        command=tuple(command),
        state=outcome_state,
        code=code if code >= 0 else None,
        signal=killed_by,
        seconds=round(time.monotonic() - clock, 3),
    )
    return Run(outcome, process.pid, started, time.time())


def _wait(process: subprocess.Popen[bytes], deadline: float | None) -> str:
    try:
        process.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
        return "ended"
    except subprocess.TimeoutExpired:
        pass
    # The target alone: the stacks of its children would be printed into its own.
    process.send_signal(signal.SIGABRT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    _signal_group(process.pid, signal.SIGKILL)  # the whole group, or what is left of it
    process.wait()
    return "timed-out"


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


@contextlib.contextmanager
def _forwarding(process: subprocess.Popen[bytes], seen: list[int], at_once: bool) -> Iterator[None]:
    """While the target runs, signals to the doctor go to the target's process group instead."""

    def forward(number: int, frame: Any) -> None:
        seen.append(number)
        _signal_group(process.pid, signal.SIGKILL if at_once else number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, forward) for number in _FORWARDED}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class _Pump(threading.Thread):
    """Copies one pipe to a file and to a stream; goes on copying to the file when the stream breaks."""

    def __init__(self, pipe: IO[bytes] | None, file: Path, stream: IO[bytes]) -> None:
        super().__init__(daemon=True, name=f"pump {file.name}")
        assert pipe is not None
        self._pipe, self._file, self._stream = pipe, file, stream
        self.start()

    def run(self) -> None:
        broken = False
        with self._file.open("wb") as copy, self._pipe as pipe:
            while chunk := os.read(pipe.fileno(), 1 << 16):
                copy.write(chunk)
                copy.flush()
                if broken:
                    continue
                try:
                    self._stream.write(chunk)
                    self._stream.flush()
                except (OSError, ValueError):
                    broken = True
