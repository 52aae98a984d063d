"""The tools that run commands: the doctor as a process of its own, in the one folder that was allowed.

What it starts ends with it: at the time limit, when the agent cancels the call, and when the agent goes away.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
from anyio.abc import Process

import xladoctor
from xladoctor.agents import answers
from xladoctor.agents.clean import lines, one_line
from xladoctor.agents.roots import Roots
from xladoctor.agents.tools import Tools
from xladoctor.errors import XladoctorError

LONGEST = 24 * 3600
_REPORT, _MESSAGES = 16_000, 2_000
_CHECKS = 600.0
"""Seconds that the doctor may take for what it does besides the command."""
_GRACE = 10.0
_MEANINGS = {
    "scan": {0: "nothing wrong was found", 1: "findings at error level", 3: "the command could not be run"},
    "preflight": {0: "go, or not checked", 1: "no-go", 3: "the command could not be started"},
    "replay": {0: "nothing failed", 1: "something failed", 3: "the subject could not be run"},
}


@dataclass(frozen=True)
class Running:
    """Bound to the folder in which commands may run."""

    root: Path

    async def scan(self, command: list[str], timeout_seconds: int = 600, layers: bool = False) -> answers.Run:
        """Run a command of TensorFlow or Keras under the doctor, record it, and diagnose it.

        command is the program and its arguments, as ["python", "train.py", "--epochs", "1"]; there is no shell. It runs
        in the folder that was allowed, and is ended after timeout_seconds. What it recorded stays in run_folder.
        With layers the shapes of each Keras layer are recorded as well, for trace.
        """
        from xladoctor.recording.run_folder import DEFAULT_FOLDER, stamped

        _check(command)
        limit = _seconds(timeout_seconds)
        folder = stamped(parent=self.root / DEFAULT_FOLDER)
        words = ["scan", "--run-dir", str(folder), "--timeout", str(limit), "--quiet"]
        words += [*(("--capture", "all") if layers else ()), "--", *command]
        made = await self._run(words, limit + _CHECKS, report=False)
        if not (folder / "run.json").exists():
            with suppress(OSError):
                folder.rmdir()
            return made
        diagnosis = await anyio.to_thread.run_sync(Tools(Roots((self.root,))).diagnose, str(folder))
        return replace(made, run_folder=str(folder), diagnosis=diagnosis)

    async def preflight(self, command: list[str], timeout_seconds: int = 600) -> answers.Run:
        """Check a study before it is started: rehearse the command on a copy of its folder.

        Says go, no-go, or what was not checked. command is the program and its arguments; there is no shell.
        timeout_seconds bounds the rehearsal.
        """
        _check(command)
        limit = _seconds(timeout_seconds)
        words = ["preflight", "--timeout", str(limit), "--format", "markdown", "--", *command]
        return await self._run(words, limit + _CHECKS)

    async def replay(
        self, run_folder: str, batch_sizes: str | None = None, parity: bool = False, timeout_seconds: int = 600
    ) -> answers.Run:
        """Run the failing call of a recorded run again: for which batch sizes it fails, and which op fails first.

        batch_sizes is as in 1,4,15:17; parity compares eager, graph and XLA execution instead.
        """
        folder = Roots((self.root,)).resolve(run_folder)
        limit = _seconds(timeout_seconds)
        words = ["replay", str(folder), "--format", "markdown", "--quiet"]
        words += [f"--batch-sizes={batch_sizes}"] if batch_sizes is not None else []
        words += ["--parity"] if parity else []
        return await self._run(words, float(limit))

    async def _run(self, words: Sequence[str], seconds: float, report: bool = True) -> answers.Run:
        with tempfile.TemporaryDirectory(prefix="xladoctor-") as temporary:
            output, messages = Path(temporary, "report.md"), Path(temporary, "messages")
            extra = ["--output", str(output)] if report else []
            with messages.open("wb") as errors:
                status = await _exit_status([words[0], *extra, *words[1:]], self.root, errors.fileno(), seconds)
            return answers.Run(
                notice=answers.NOTICE,
                exit_status=status,
                meaning=_meaning(words[0], status) if status is not None else f"ended after {seconds:g} s: the limit",
                run_folder=None,
                diagnosis=None,
                untrusted_report=lines(_read(output), _REPORT),
                # Our own file of the report is gone when this is read.
                untrusted_messages=lines(
                    _read(messages).replace(f"xladoctor: wrote {output}\n", "")[-_MESSAGES:], _MESSAGES
                ),
            )


def _meaning(command: str, status: int) -> str:
    return _MEANINGS[command].get(status, "wrong usage, or unreadable input" if status == 2 else "it failed")


async def _exit_status(words: Sequence[str], root: Path, errors: int, seconds: float) -> int | None:
    """The exit status of a doctor of our own version, or None where it had to be ended."""
    # Isolated: nothing that lies in the folder is imported by the doctor.
    parent = str(Path(xladoctor.__file__).resolve().parents[1])
    start = "import sys; sys.path.insert(0, sys.argv.pop(1)); from xladoctor.__main__ import main; sys.exit(main())"
    process = await anyio.open_process(
        [sys.executable, "-I", "-c", start, parent, *words],
        cwd=root, stdin=-3, stdout=-3, stderr=errors, start_new_session=True,
    )  # fmt: skip
    try:
        with anyio.move_on_after(seconds):
            return await process.wait()
        return None
    finally:
        if process.returncode is None:
            with anyio.CancelScope(shield=True):
                await _end(process)


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with anyio.move_on_after(_GRACE):
            await process.wait()
            return
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _check(command: Sequence[str]) -> None:
    if not command or not command[0].strip():
        raise XladoctorError("command is empty", hint='For example: ["python", "train.py"]')
    if any("\0" in word for word in command):
        raise XladoctorError(f"command holds a null character: {one_line(command, 200)}")


def _seconds(value: int) -> int:
    if not 0 < value <= LONGEST:
        raise XladoctorError(f"timeout_seconds {value}: give a number from 1 to {LONGEST}")
    return value


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
