"""Runs a function in a process of its own, with bounds on its time, its memory and what it gives.

A template is a program: a sandbox keeps it from files and attributes, but not from `"x" * 10**10` or a loop without
end.
"""

from __future__ import annotations

import json
import os
import resource
import selectors
import signal
import time
from collections.abc import Callable

from xladoctor.errors import XladoctorError

SECONDS = 20
MEMORY = 1 << 30
LARGEST = 64 << 20


def text_of(make: Callable[[], str], name: str, seconds: int = SECONDS, memory: int = MEMORY) -> str:
    """What `make` returns, or the XladoctorError that it raises.

    Raises:
        XladoctorError: (exit code 2) also where it takes longer, more memory, or gives more than 64 MiB; `name` says
            what does.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _child(make, reading, writing, seconds, memory)
    os.close(writing)
    try:
        # Processor time is bounded in the process; the wall clock only ends what sleeps.
        data = _all(reading, time.monotonic() + 20 * seconds)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if data is None:
        raise XladoctorError(f"{name}: it did not end, or gave more than {LARGEST >> 20} MiB")
    try:
        answer = json.loads(data)
    except ValueError:
        ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        why = (
            f"it took more than {seconds} s"
            if ended == signal.SIGXCPU
            else "it ended without a result (out of memory?)"
        )
        raise XladoctorError(f"{name}: {why}") from None
    if "error" in answer:
        raise XladoctorError(answer["error"], hint=answer["hint"])
    return str(answer["text"])


def _child(make: Callable[[], str], reading: int, writing: int, seconds: int, memory: int) -> None:
    """Never returns: whatever happens, this process ends here and writes nothing but its answer."""
    try:
        os.close(reading)
        used = int(time.process_time()) + 1
        # With the default handler the signal ends the process; the hard limit stays above it.
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        _bound(resource.RLIMIT_CPU, used + seconds)
        _bound(resource.RLIMIT_AS, _size() + memory)
        _bound(resource.RLIMIT_CORE, 0)
        try:
            answer: dict[str, str | None] = {"text": make()}
        except XladoctorError as error:
            answer = {"error": error.message, "hint": error.hint}
        except MemoryError:
            answer = {"error": "it takes more memory than it may", "hint": None}
        data = json.dumps(answer).encode()
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _all(reading: int, deadline: float) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        while True:
            wait = deadline - time.monotonic()
            if wait <= 0 or not selector.select(wait):
                return None
            part = os.read(reading, 1 << 20)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
            if size > LARGEST:
                return None


def _bound(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _size() -> int:
    """The address space of this process in bytes, where the system tells."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 4 << 30
