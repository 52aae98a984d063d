"""A look at a running program, for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from xladoctor.attach.values import Look, Process, Recorded, Thread
from xladoctor.model.diagnosis import Location, StackFrame
from xladoctor.report.page import Page
from xladoctor.report.text import clip, line

_COMMAND = 100
_DOCTOR = ("/xladoctor/__main__.py", "/xladoctor/target/keeper/main.py")
_FRAMES = 12
"""Frames of a thread without `--verbose`; the user's own are always shown."""


def as_console(look: Look, page: Page, verbose: bool) -> str:
    """The processes with their stacks, what was recorded, and what could not be looked at."""
    if look.recorded is not None:
        _recorded(look.recorded, page)
    others = [process for process in look.processes if not _is_doctor(process)]
    for process in look.processes:
        # Whoever gives the doctor's pid asks about the program; where that has ended, about the doctor.
        _process(process, page, verbose, stacks=verbose or not others or process in others)
    for problem in look.problems:
        page.para(problem, indent=0, hang=2, style="bold yellow")
    return page.text()


def _recorded(recorded: Recorded, page: Page) -> None:
    page.parts((f"recorded in {line(recorded.folder)}", "bold"))
    for one in recorded.compiling:
        where = _at(one.location)
        page.para(
            f"XLA may be compiling {line(one.function)}{where}: it was traced {ago(one.seconds)}, after all others, "
            "and no end of its first call was recorded.",
            indent=2, hang=2, style="bold",
        )  # fmt: skip
    for call in recorded.calls:
        state = "" if call.ended else ", has not ended"
        page.para(f"{line(call.what)}{_at(call.location)}, {ago(call.seconds)}{state}", indent=2, hang=2)
    page.para(f"The last event was recorded {ago(recorded.quiet)}.", indent=2)


def _is_doctor(process: Process) -> bool:
    """Whether a process is a command of ours or its keeper, by the outermost frames of its main thread."""
    main = next((thread for thread in process.threads if thread.name == "MainThread"), None)
    return main is not None and any(frame.file.endswith(_DOCTOR) for frame in main.frames[-3:])


def _process(process: Process, page: Page, verbose: bool, stacks: bool) -> None:
    command = clip(line(shlex.join(process.command)) or "?", _COMMAND)
    page.parts((f"process {process.pid}", "bold"), (f"  {command}", ""))
    page.parts((f"{line(process.state)}, {process.busy:g} processors busy", "dim"), indent=2)
    if not stacks:
        page.parts(("the doctor itself (--verbose)", "dim"), indent=2)
        return
    if process.why_no_stacks is not None:
        page.para(f"no Python stacks: {line(process.why_no_stacks)}", indent=2)
    # Workers of a pool wait in the same line: one stack says it for all.
    for frames, threads in groupby(sorted(process.threads, key=_main_first), key=lambda thread: thread.frames):
        _threads(list(threads), frames, page, verbose)


def _main_first(thread: Thread) -> tuple[bool, str, str]:
    return thread.name != "MainThread", repr(thread.frames), thread.name


def _threads(threads: Sequence[Thread], frames: Sequence[StackFrame], page: Page, verbose: bool) -> None:
    names = [line(thread.name) or "unnamed" for thread in threads]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    lock = ", holds Python's lock" if any(thread.holds_lock for thread in threads) else ""
    page.parts((f"thread{'' if len(names) == 1 else 's'} {shown}", "bold"), (lock, "dim"), indent=2)
    left_out = 0
    for number, frame in enumerate(frames):
        if not verbose and number >= _FRAMES and not frame.user:
            left_out += 1
            continue
        where = f"{line(frame.file)}:{frame.line}" if frame.line else line(frame.file)
        page.parts((f"{where} in {line(frame.function)}", "" if frame.user else "dim"), indent=4)
    if left_out:
        page.parts((f"{left_out} frames of libraries (--verbose)", "dim"), indent=4)


def _at(location: Location | None) -> str:
    if location is None:
        return ""
    name = Path(location.file).name
    return f" at {line(name)}:{location.line}" if location.line else f" in {line(name)}"


def ago(seconds: float) -> str:
    """`3 s ago`, `5 min ago`, `2 h ago`."""
    if seconds < 120:
        return f"{seconds:.0f} s ago"
    return f"{seconds / 60:.0f} min ago" if seconds < 7200 else f"{seconds / 3600:.0f} h ago"
