"""The faults of the surroundings that the chaos bench makes."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks._results import PROGRAMS


@dataclass(frozen=True)
class Fault:
    """Surroundings that go wrong: from the start, or when the program meets the bench in the middle of its work.

    `run_folder` and `kills_doctor` concern the doctor alone: a plain run does not notice them. `inside` is what the
    program itself does at the meeting, `signal` is sent to the process that was started.
    """

    name: str
    ignored: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    closed: tuple[int, ...] = ()
    umask: int | None = None
    cwd_deleted: bool = False
    obeys_permissions: bool = False
    environment: Mapping[str, str | None] = field(default_factory=dict)
    stdout_file: bool = False
    reader_leaves: bool = False
    signal: int | None = None
    inside: str = ""
    run_folder: str = ""
    kills_doctor: bool = False

    def plain(self) -> Fault:
        """What a run without the doctor notices of it."""
        return replace(self, name="", run_folder="", kills_doctor=False)

    @property
    def takes_time(self) -> bool:
        """Whether what happens at the meeting reaches the program through others."""
        return self.signal is not None or self.reader_leaves or self.kills_doctor

    def start(self) -> dict[str, Any]:
        """What the launcher must do."""
        names = ("ignored", "limits", "closed", "umask", "cwd_deleted", "obeys_permissions")
        return {name: getattr(self, name) for name in names}


ODD = {
    "HOME": None,
    "LANG": "C",
    "LC_ALL": None,
    "TERM": "dumb",
    "PYTHONIOENCODING": "latin-1",
    "PYTHONPATH": str(PROGRAMS / "chaos" / "odd"),
}
FAULTS = (
    Fault("none"),
    Fault("full disk", run_folder="full"),
    Fault("file size limit", limits={"RLIMIT_FSIZE": 65536}),
    Fault("run folder deleted", run_folder="deleted"),
    Fault("run folder read-only", run_folder="read-only", obeys_permissions=True),
    Fault("stdout closed", closed=(1,)),
    Fault("stderr closed", closed=(2,)),
    Fault("stdout a file", stdout_file=True),
    Fault("reader leaves", reader_leaves=True),
    Fault("doctor killed", kills_doctor=True),
    Fault("doctor killed, stdout a file", kills_doctor=True, stdout_file=True),
    Fault("SIGTERM", signal=signal.SIGTERM),
    Fault("SIGINT", signal=signal.SIGINT),
    Fault("SIGHUP ignored", ignored=("SIGHUP",), signal=signal.SIGHUP),
    Fault("few descriptors", limits={"RLIMIT_NOFILE": 64}),
    Fault("closerange", inside="closerange"),
    Fault("cwd deleted", cwd_deleted=True),
    Fault("odd environment", environment=ODD, umask=0o027),
    Fault("fork storm", inside="fork-storm"),
)


def prepare(fault: Fault, run: Path) -> None:
    """Make the place of the run folder as the fault needs it.

    Raises:
        OSError: a small disk cannot be mounted here.
    """
    if fault.run_folder == "full":
        run.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", "size=4m", "chaos", str(run)]
        if subprocess.run(words, capture_output=True, check=False).returncode:
            raise OSError("no file system can be mounted here (needs root)")


def release(run: Path) -> None:
    """Remove the run folder, also where it is a disk of its own."""
    if run.is_mount():
        subprocess.run(["umount", "--lazy", str(run)], capture_output=True, check=False)
    shutil.rmtree(run, ignore_errors=True)


def strike(fault: Fault, run: Path, process: subprocess.Popen[bytes], doctor: bool) -> None:
    """What happens in the middle of the run."""
    if fault.run_folder == "full" and run.is_mount():
        _fill(run / "filler")
    if fault.run_folder == "deleted":
        shutil.rmtree(run, ignore_errors=True)
    if fault.run_folder == "read-only" and run.is_dir():
        for path in (*run.rglob("*"), run):
            path.chmod(path.stat().st_mode & ~0o222)
    if fault.signal is not None:
        process.send_signal(fault.signal)
    if fault.kills_doctor and doctor:
        process.kill()


def _fill(path: Path) -> None:
    for size in (65536, 1):
        with contextlib.suppress(OSError), path.open("ab", buffering=0) as file:
            while True:
                file.write(b"x" * size)
