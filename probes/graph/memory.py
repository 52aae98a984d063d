"""How much memory a step takes when it is run: the peak of this process, less what it held before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .outcome import run_plain
from .step import Step, frames_once

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def needed(step: Step) -> dict[str, Any]:
    """{"bytes", "how"} of one plain run of the step, or {"bytes": None, "note"} where the system does not tell.

    Linux keeps the peak of a process (VmHWM in /proc/self/status) and lets it be reset (`5` to /proc/self/clear_refs,
    https://docs.kernel.org/filesystems/proc.html). The step is run twice; the first run also makes the session.
    """
    with frames_once() as frames:
        told, _ = run_plain(step, frames)
        if told["outcome"] != "passed":
            return {"bytes": None, "note": (told["error"] or {}).get("message")}
        try:
            _CLEAR.write_text("5", encoding="ascii")
            before = _kib("VmRSS")
            with frames_once() as own:
                run_plain(step, own)
                peak = _kib("VmHWM")
        except (OSError, KeyError) as error:
            return {"bytes": None, "note": f"{type(error).__name__}: {error}"}
    held = sum(int(v.nbytes) for v in step.arguments.values())
    return {"bytes": max(0, peak - before) * 1024 + held, "how": "measured on this machine's processor"}


def _kib(name: str) -> int:
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        key, _, rest = line.partition(":")
        if key == name:
            return int(rest.split()[0])
    raise KeyError(name)
