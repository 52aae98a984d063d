"""The doctor's end of a worker: a process in the target's interpreter that answers questions about capsules.

A worker that dies is a result, not an accident: the exceptions here say how it ended. No shell, no
TensorFlow.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from xladoctor.protocol import codec, requests
from xladoctor.recording import files
from xladoctor.workers.last_words import last_words

_TAIL = 4000
_GRACE = 5.0
_LONGEST = 512 << 20
"""Bytes of one answer."""


_FROM_HERE = ("PYTHONHOME", "PYTHONUSERBASE")


class WorkerError(Exception):
    """Base of what can go wrong with a worker."""


class WorkerDied(WorkerError):
    """The process ended before it answered: a crash, a limit, or an interpreter that cannot run the
    worker.
    """

    def __init__(self, exit: int | None, signal: str | None, tail: str, since: str | None = None) -> None:
        how = f"by {signal}" if signal else f"with exit code {exit}"
        last = last_words(tail if since is None else since)
        super().__init__(f"the worker ended {how}" + (f": {last}" if last else ""))
        self.exit = exit
        self.signal = signal
        self.tail = tail
        """The end of its standard error; of `since`, what it wrote after it was asked, comes the line that says why."""


class WorkerTimeout(WorkerError):
    """No answer in time; the process was killed."""

    def __init__(self, op: str, seconds: float) -> None:
        super().__init__(f"no answer to {op!r} within {seconds:g} s; the worker was killed")
        self.op = op
        self.seconds = seconds


class WorkerRefused(WorkerError):
    """The worker answered that it could not: `type` is the name of its exception."""

    def __init__(self, type: str, message: str) -> None:
        super().__init__(f"{type}: {message}")
        self.type = type
        self.message = message


class Worker:
    """Starts the process with the first request, and ends it (and its process group) with the `with` block.

    `env` is the whole environment of the process; what would start a recorder in it is taken out. After
    `WorkerDied` or `WorkerTimeout` the next request starts a new process.

    `cwd` is where a callable of the user's lives. Without it (for capsules, which may be a stranger's) the process
    works in an empty folder of ours, imports nothing from where it stands, and of PYTHONPATH only absolute entries
    hold: a `numpy.py` beside a capsule, or in the folder in which the doctor was started, is never run.
    """

    def __init__(
        self,
        python: Path | str,
        probes_dir: Path,
        env: Mapping[str, str],
        cwd: Path | None,
        log: Path,
        *,
        memory: int | None = None,
        cpu: int | None = None,
    ) -> None:
        self._command = [str(python), str(probes_dir / "graph" / "worker.py")]
        if memory is not None:
            self._command += ["--memory", str(memory)]
        if cpu is not None:
            self._command += ["--cpu", str(cpu)]
        self._env = _without_recorder(env, probes_dir, cwd)
        self._cwd = cwd
        self._empty: tempfile.TemporaryDirectory[str] | None = None
        self._log = log
        self._log_start = self._asked = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""
        self._number = 0
        self.started = 0
        """How many processes this worker has used so far."""
        self._waited = 0.0
        """Seconds that the present process was waited for."""

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            # Nobody waits for what it is at.
            self.kill()
        self.close()

    def ask(self, request: requests.Request[requests.A], *, timeout: float | None = None) -> requests.A:
        """The answer to one question; raises WorkerDied, WorkerTimeout or WorkerRefused."""
        fields = request.to_json()
        result = self.request(fields.pop("op"), timeout=timeout, **fields)
        try:
            return request.answer(result)
        except codec.Misfit as error:
            raise WorkerRefused("Misfit", f"the answer to {request.OP!r} cannot be read: {error}") from error

    def request(self, op: str, *, timeout: float | None = None, **params: Any) -> Any:
        """The result of one question as JSON has it; raises WorkerDied, WorkerTimeout or WorkerRefused."""
        running = self._process
        process = self._running()
        self._asked = self._log_start
        if process is running:
            with contextlib.suppress(OSError):
                self._asked = self._log.stat().st_size
        self._number += 1
        line = json.dumps({"id": self._number, "op": op, **params}).encode() + b"\n"
        asked = time.monotonic()
        deadline = None if timeout is None else asked + timeout
        try:
            assert process.stdin is not None
            process.stdin.write(line)
            process.stdin.flush()
        except OSError as error:
            raise self._death() from error
        while True:
            answer = self._answer(op, timeout, deadline)
            if answer.get("id") != self._number:
                continue
            self._waited += time.monotonic() - asked
            if answer.get("ok"):
                return answer.get("result")
            told = answer.get("error") or {}
            raise WorkerRefused(str(told.get("type", "Error")), str(told.get("message", "")))

    def close(self) -> None:
        """End the process: its input ends, then, if that is not enough, its group is killed."""
        process, self._process = self._process, None
        empty, self._empty = self._empty, None
        try:
            self._end(process)
        finally:
            if empty is not None:
                empty.cleanup()

    @staticmethod
    def _end(process: subprocess.Popen[bytes] | None) -> None:
        if process is None:
            return
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        _kill_group(process)
        if process.stdout is not None:
            process.stdout.close()

    def kill(self) -> None:
        """End the process at once, also while another thread waits for its answer (which then gets `WorkerDied`)."""
        process = self._process
        if process is not None:
            _kill_group(process)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self._buffer = b""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        if self._cwd is None:
            self._empty = tempfile.TemporaryDirectory(prefix="xladoctor-worker-", ignore_cleanup_errors=True)
        with open(self._log, "ab", opener=files.no_link) as log:
            self._log_start = log.tell()
            try:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env=self._env,
                    cwd=self._cwd or (self._empty.name if self._empty is not None else None),
                    start_new_session=True,
                )
            except OSError as error:
                raise WorkerDied(None, None, f"{self._command[0]}: {error}") from error
        self.started += 1
        self._waited = 0.0
        return self._process

    @property
    def slowdown(self) -> float:
        """How many seconds pass while the process has a processor for one: 1 where nobody else wants it, and where the
        system does not say.
        """
        used = None if self._process is None else _processor_seconds(self._process.pid)
        return max(1.0, self._waited / used) if used else 1.0

    def _answer(self, op: str, timeout: float | None, deadline: float | None) -> dict[str, Any]:
        """The next line of the process as JSON; lines that are none are skipped."""
        process = self._process
        assert process is not None and process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                line, newline, rest = self._buffer.partition(b"\n")
                if newline:
                    self._buffer = rest
                    try:
                        found = files.parsed(line, 2 * files.MOST_VALUES)
                    except ValueError:
                        continue
                    if isinstance(found, dict):
                        return found
                    continue
                wait = None if deadline is None else deadline - time.monotonic()
                if (wait is not None and wait <= 0) or not selector.select(wait):
                    _kill_group(process)
                    self._process = None
                    process.stdout.close()
                    raise WorkerTimeout(op, timeout or 0.0)
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise self._death()
                self._buffer += chunk
                if len(self._buffer) > _LONGEST:
                    # A capsule that took hold of its worker must not fill our memory.
                    _kill_group(process)
                    raise self._death()

    def _death(self) -> WorkerDied:
        process, self._process = self._process, None
        assert process is not None
        try:
            code = process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            _kill_group(process)
            code = process.wait()
        _kill_group(process)
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        log = b""
        with contextlib.suppress(OSError):
            log = self._log.read_bytes()
        tail, since = (log[at:][-_TAIL:].decode(errors="replace") for at in (self._log_start, self._asked))
        return WorkerDied(code if code >= 0 else None, _signal_name(code) if code < 0 else None, tail, since)


def _processor_seconds(pid: int) -> float | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the process and of everything that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)


def _signal_name(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def python_path(entries: str, base: Path | None) -> str:
    """PYTHONPATH with absolute entries alone: relative ones are meant from `base`; without it they are left out."""
    kept = []
    for entry in entries.split(os.pathsep):
        if entry and Path(entry).is_absolute():
            kept.append(entry)
        elif entry and base is not None:
            kept.append(str(base / entry))
    return os.pathsep.join(kept)


def _without_recorder(env: Mapping[str, str], probes_dir: Path, cwd: Path | None) -> dict[str, str]:
    """The environment without our own way into a target: a worker is not to be recorded."""
    clean = {k: v for k, v in env.items() if not k.startswith("XLADOCTOR_")}
    clean["XLADOCTOR_PROBES"] = "0"
    bootstrap = (probes_dir / "bootstrap").resolve()
    if "PYTHONPATH" in clean:
        absolute = python_path(clean["PYTHONPATH"], cwd)
        entries = [e for e in absolute.split(os.pathsep) if e and Path(e).resolve() != bootstrap]
        clean["PYTHONPATH"] = os.pathsep.join(entries)
        if not entries:
            del clean["PYTHONPATH"]
    if cwd is None:
        clean["PYTHONSAFEPATH"] = "1"
        for name in _FROM_HERE:
            # Meant from a folder in which the process does not stand.
            if not Path(clean.get(name, "/")).is_absolute():
                del clean[name]
    return clean
