"""`xladoctor scan --follow`: findings as they come, and the diagnosis at the end."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from xladoctor.errors import XladoctorError
from xladoctor.report.text import line

if TYPE_CHECKING:
    from xladoctor.cli.output import Output
    from xladoctor.model.diagnosis import Diagnosis, Finding


def follow(targets: list[str], output: Output, timeout: float | None, quiet: bool) -> Diagnosis:
    """Follows one log until Ctrl-C, the time-out or the end of the stream, and returns the diagnosis.

    Raises:
        XladoctorError: there is no one log to follow.
    """
    if len(targets) != 1:
        raise XladoctorError("--follow takes one log, or - for standard input")
    if targets[0] != "-" and Path(targets[0]).is_dir():
        raise XladoctorError(f"{targets[0]} is a folder; --follow takes one log")
    from xladoctor.commands import follow as live

    ends = None if timeout is None else time.monotonic() + timeout
    with _until_interrupted() as stopped:

        def stop(seconds: float) -> bool:
            left = seconds if ends is None else min(seconds, max(ends - time.monotonic(), 0))
            return stopped.wait(left) or (ends is not None and time.monotonic() >= ends)

        following = live.follow(targets[0], stop, _tell)
        while True:
            try:
                finding = next(following)
            except StopIteration as end:
                diagnosis: Diagnosis = end.value
                return diagnosis
            if not quiet:
                _show(finding, output)


@contextmanager
def _until_interrupted() -> Iterator[threading.Event]:
    """An event that Ctrl-C or SIGTERM sets. A second Ctrl-C ends the doctor at once."""
    stopped = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        stopped.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(said: str) -> None:
    sys.stderr.write(f"xladoctor: {line(said)}\n")
    sys.stderr.flush()


def _show(finding: Finding, output: Output) -> None:
    """One finding, at once: on standard output, or on standard error where that carries the result alone."""
    from xladoctor.report.findings_live import render

    if output.to_stdout and output.format == "console":
        output.write(render(finding, output.page()))
    else:
        from xladoctor.report.page import Page

        sys.stderr.write(render(finding, Page()))
        sys.stderr.flush()
