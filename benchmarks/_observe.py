"""One run of a program in given surroundings, and all that it left behind."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import _launch
from benchmarks._surroundings import Fault, prepare, release, strike

GRACE = 15.0
"""Seconds that processes may go on after the one that was started ended."""
SETTLE = 0.1
NOTICE = 1.0
"""Seconds that a signal, a reader's leaving or a killed doctor have to reach the program before it goes on."""
_TIMES = re.compile(rb"(?m)^(?:[IWEF]\d{4} \d\d:\d\d:\d+\.\d+ +\d+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+)")
_ADDRESSES = re.compile(rb"\b0x[0-9a-f]{6,}")
_RANDOM = re.compile(r"(tmp|__autograph_generated_file)[a-z0-9_]{8}")


@dataclass(frozen=True)
class Observation:
    """What a caller sees of a run. `left` are the processes that did not end; the bench ended them."""

    status: int
    out: bytes
    err: bytes
    files: dict[str, str]
    survivors: tuple[str, ...]
    hangs: bool
    reached: bool
    seconds: float


def observe(program: Path, fault: Fault, cell: Path, doctor: Sequence[str] = (), timeout: float = 120) -> Observation:
    """Run the program, with the words of the doctor before it or without; the folder `cell` is made anew."""
    release(cell / "run")
    shutil.rmtree(cell, ignore_errors=True)
    for name in ("work", "meeting", "tmp", "home"):
        (cell / name).mkdir(parents=True)
    (cell / "stdin").write_text("some input\n")
    os.mkfifo(cell / "meeting" / "go")
    if doctor:
        prepare(fault, cell / "run")
    try:
        return _run([*doctor, sys.executable, str(program), "--name", "value"], fault, cell, bool(doctor), timeout)
    finally:
        release(cell / "run")


def _run(command: list[str], fault: Fault, cell: Path, doctor: bool, timeout: float) -> Observation:
    mark = uuid.uuid4().hex
    started = time.monotonic()
    launcher = [sys.executable, "-I", "-S", str(_launch.__file__), json.dumps(fault.start()), *command]
    with (cell / "stdin").open("rb") as stdin, (cell / "stdout").open("wb") as file:
        process = subprocess.Popen(
            launcher,
            cwd=cell / "work",
            env=_environment(fault, cell, mark),
            stdin=stdin,
            stdout=file if fault.stdout_file else subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    pump = Pump(process, reader_leaves=fault.reader_leaves)
    meeting = Meeting(cell / "meeting", NOTICE if fault.takes_time else 0.0)
    end_time, survivors = 0.0, {process.pid: ""}
    try:
        while survivors or pump.open:
            now = time.monotonic()
            if (end_time and now > end_time + GRACE) or now > started + timeout:
                break
            pump.turn()
            if meeting.begins(now):
                strike(fault, cell / "run", process, doctor)
                pump.strike()
            meeting.finish(now)
            if process.poll() is not None:
                end_time = end_time or now
                survivors = living(mark)
        hangs = process.poll() is None
    finally:
        end(mark, process)
    out = (cell / "stdout").read_bytes() if fault.stdout_file else pump.text["out"]
    names = tuple(sorted(survivors.values())) if not hangs else ()
    seconds = round(time.monotonic() - started, 1)
    return Observation(
        process.returncode,
        steady(out),
        steady(pump.text["err"]),
        snapshot(cell),
        names,
        hangs,
        meeting.happened,
        seconds,
    )


def steady(text: bytes) -> bytes:
    """The text without what differs from run to run: times of TensorFlow's log, addresses of objects."""
    return _ADDRESSES.sub(b"0x", _TIMES.sub(b"<time>", text))


def _environment(fault: Fault, cell: Path, mark: str) -> dict[str, str]:
    places = {"HOME": str(cell / "home"), "TMPDIR": str(cell / "tmp"), "CHAOS_MEETING": str(cell / "meeting")}
    marks = {"CHAOS_MARK": mark, "CHAOS_INSIDE": fault.inside, "PYTHONDONTWRITEBYTECODE": "1"}
    base = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "USER", "LOGNAME", "SHELL")}
    whole: dict[str, str | None] = {**base, **places, **marks, **fault.environment}
    return {name: value for name, value in whole.items() if value is not None}


class Meeting:
    """The program says that it is in the middle of its work, waits to be struck, and is told to go on."""

    def __init__(self, folder: Path, notice: float) -> None:
        self.happened = False
        self._folder, self._notice = folder, notice
        self._since = self._go = 0.0

    def begins(self, now: float) -> bool:
        """Whether it is time to strike: once, and a moment after the program came, so that it surely waits."""
        if not self._since and (self._folder / "ready").exists():
            self._since = now
        if self.happened or not self._since or now < self._since + SETTLE:
            return False
        self.happened, self._go = True, now + self._notice
        return True

    def finish(self, now: float) -> None:
        """Let the program go on."""
        if self._go and now >= self._go:
            self._go = 0.0
            with contextlib.suppress(OSError):  # it was killed
                descriptor = os.open(self._folder / "go", os.O_WRONLY | os.O_NONBLOCK)
                os.write(descriptor, b"!")
                os.close(descriptor)


class Pump:
    """Reads both streams of a process, in one thread, until their writers are gone."""

    def __init__(self, process: subprocess.Popen[bytes], reader_leaves: bool) -> None:
        self.open = {p.fileno(): name for name, p in (("out", process.stdout), ("err", process.stderr)) if p}
        self.text = {"out": b"", "err": b""}
        self.reader_leaves = reader_leaves
        self._pipes = {p.fileno(): p for p in (process.stdout, process.stderr) if p}

    def turn(self) -> None:
        """Read what is there; wait a moment where nothing is."""
        ready, _, _ = select.select(list(self.open), [], [], 0.02)
        for descriptor in ready:
            part = os.read(descriptor, 1 << 20)
            self.text[self.open[descriptor]] += part
            if not part:
                self._close(descriptor)

    def strike(self) -> None:
        """Leave: nobody reads standard output any more."""
        for descriptor in [d for d, name in self.open.items() if name == "out" and self.reader_leaves]:
            self._close(descriptor)

    def _close(self, descriptor: int) -> None:
        del self.open[descriptor]
        self._pipes.pop(descriptor).close()


def living(mark: str) -> dict[int, str]:
    """The processes that inherited the mark, with their names."""
    entry = f"CHAOS_MARK={mark}".encode()
    names: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if entry in (folder / "environ").read_bytes():
                words = (folder / "cmdline").read_bytes().split(b"\0")
                names[int(folder.name)] = " ".join(Path(w.decode(errors="replace")).name for w in words[:3] if w)
    return names


def end(mark: str, process: subprocess.Popen[Any]) -> None:
    """End what is left of a run: only processes that carry its mark."""
    for _ in range(5):
        for pid in living(mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if process.poll() is not None and not living(mark):
            break
        time.sleep(0.1)
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()


def snapshot(cell: Path) -> dict[str, str]:
    """Every file below the working directory and the temporary folder: kind, mode and content."""
    files: dict[str, str] = {}
    for top in ("work", "tmp"):
        for path in sorted((cell / top).rglob("*")):
            name = _RANDOM.sub(r"\1*", str(path.relative_to(cell)))
            while name in files:
                name += "'"
            if not name.startswith("work/xladoctor-runs"):
                files[name] = _state(path)
    return files


def _state(path: Path) -> str:
    mode = path.lstat().st_mode
    what = str(path.readlink()) if stat.S_ISLNK(mode) else ""
    if stat.S_ISREG(mode):
        data = path.read_bytes()
        what = f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()[:12]}"
    return f"{stat.filemode(mode)} {what}".strip()
