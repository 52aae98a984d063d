"""A small doctor: runs a command into a run folder as `scan` does, without what comes before and after.

As a program: `python -m tests.xladoctor.experiments.under RUN_FOLDER SECONDS LOG_SHARE COMMAND...`;
SECONDS 0: no time-out.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests import quick

ROOT = Path(__file__).resolve().parents[3]
REPORT = b"-- the report --\n"


def words(folder: Path, *command: str, timeout: float = 0, share: int = 1 << 26) -> list[str]:
    """The small doctor's command line."""
    return [sys.executable, "-m", __name__, str(folder), str(timeout), str(share), *command]


def popen(folder: Path, *command: str, timeout: float = 0, share: int = 1 << 26, **kwargs: Any) -> subprocess.Popen:
    """Start it with the signals that a terminal's shell gives: nothing ignored, a group of its own."""
    ready = kwargs.pop("preexec_fn", lambda: None)

    def defaults() -> None:
        os.setpgid(0, 0)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        ready()

    kwargs.setdefault("env", {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"})
    kwargs["env"] |= {"PYTHONPATH": quick.path(ROOT)}
    return subprocess.Popen(words(folder, *command, timeout=timeout, share=share), preexec_fn=defaults, **kwargs)


def run(folder: Path, *command: str, **kwargs: Any) -> tuple[bytes, bytes]:
    """(standard output, standard error) of a whole run."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | kwargs
    with popen(folder, *command, **streams) as process:
        out, err = process.communicate(timeout=120)
    return out or b"", err or b""


def outcome(folder: Path) -> dict[str, Any]:
    """What `run.json` says of the end."""
    return json.loads((folder / "run.json").read_text())["outcome"]


def until(condition: Callable[[], Any], seconds: float = 90.0) -> Any:
    """Wait until a condition holds; its value. The end is for what never comes: a busy machine may take a while."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)
    return value


def ended(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def main() -> None:
    """The small doctor itself."""
    from xladoctor import descriptors, target

    descriptors.fill()
    folder, timeout, share, command = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    folder.mkdir()
    file = folder / "run.json"
    file.write_text(json.dumps({"outcome": {"state": "running"}}))
    env = {**os.environ, "XLADOCTOR_RUN_DIR": str(folder)}
    done = target.run(command, env=env, folder=folder, timeout=timeout or None, log_share=share)
    try:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"outcome": asdict(done.outcome)}))
        done.written_down()
    except OSError as error:
        sys.stderr.write(f"run.json: {error.strerror}\n")
    os.write(1, REPORT)


if __name__ == "__main__":
    main()
