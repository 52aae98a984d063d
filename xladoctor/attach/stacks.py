"""Python stacks of other processes, by py-spy. It reads their memory and does not stop them (`--nonblocking`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from xladoctor.attach.values import Thread
from xladoctor.errors import XladoctorError
from xladoctor.extras import how_to_install
from xladoctor.logs.frames import is_user
from xladoctor.model.diagnosis import StackFrame

_SECONDS = 20
_TRIES = 3
"""A stack that changes while it is read cannot be read; one that hangs does not change."""
_MOST_FRAMES, _MOST_THREADS = 200, 500
_REFUSED = ("Permission denied", "Operation not permitted")


class NotPermitted(Exception):
    """The system does not let us read the memory of a process."""


class NoStacks(Exception):
    """Why there are no stacks of a process."""


def program() -> str:
    """The path of py-spy.

    Raises:
        XladoctorError: it is not installed.
    """
    beside = Path(sys.executable).parent / "py-spy"
    found = str(beside) if beside.is_file() else shutil.which("py-spy")
    if found is None:
        raise XladoctorError("attach needs py-spy", hint=how_to_install("attach"))
    return found


def of_process(py_spy: str, pid: int) -> tuple[Thread, ...]:
    """The threads of a process of Python.

    Raises:
        NotPermitted: ptrace is not permitted for it.
        NoStacks: it is no process of Python, or its stacks could not be read.
    """
    command = [py_spy, "dump", "--pid", str(pid), "--json", "--full-filenames", "--nonblocking"]
    why = ""
    for _ in range(_TRIES):
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False,
                stdin=subprocess.DEVNULL, env={**os.environ, "RUST_BACKTRACE": "0"},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise NoStacks(f"py-spy gave no answer in {_SECONDS} s") from None
        if done.returncode == 0:
            threads = _threads(done.stdout)
            if threads:
                return threads
        if any(words in done.stderr for words in _REFUSED):
            raise NotPermitted
        why = _reason(done.stderr)
    raise NoStacks(why or "py-spy found no thread")


def _reason(errors: str) -> str:
    """The innermost cause that py-spy prints, else its first line."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    causes = [line.partition(": ")[2] for line in lines if line[:1].isdigit() and ": " in line]
    if any("Failed to find python version" in line or "libpython" in line for line in lines):
        return "not Python"
    return causes[-1] if causes else lines[0].removeprefix("Error: ") if lines else ""


def _threads(text: str) -> tuple[Thread, ...]:
    try:
        data = json.loads(text)
        return tuple(_thread(one) for one in data[:_MOST_THREADS])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()


def _thread(data: dict[str, Any]) -> Thread:
    frames = tuple(
        StackFrame(str(f["filename"]), int(f["line"]) or None, str(f["name"]), is_user(str(f["filename"])))
        for f in data["frames"][:_MOST_FRAMES]
    )
    return Thread(str(data.get("thread_name") or ""), frames, bool(data.get("owns_gil")))


def advice(pid: int) -> str:
    """What to do where ptrace is not permitted, in one line."""
    try:
        owner = Path(f"/proc/{pid}").stat().st_uid
        scope = Path("/proc/sys/kernel/yama/ptrace_scope").read_text(encoding="ascii").strip()
    except OSError:
        owner, scope = os.getuid(), "0"
    begin = "Python stacks need ptrace, which is not permitted here"
    if owner not in (os.getuid(),) and os.getuid() != 0:
        return f"{begin}: the process belongs to another user; run attach as that user, or with sudo."
    if scope == "0" or os.getuid() == 0:
        return (
            f"{begin}: in a container, start it with --cap-add SYS_PTRACE (or run attach on the host); else use sudo."
        )
    return f"{begin} (kernel.yama.ptrace_scope is {scope}): use sudo, or once: sudo sysctl kernel.yama.ptrace_scope=0."
