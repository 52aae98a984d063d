"""How a process ends in its output: what others say of a dead process, and whether it said anything more."""

from __future__ import annotations

import re

from xladoctor.patterns import pattern

_DEATH = pattern(
    r"^\S{1,200}: line \d{1,7}:\s+\d{1,9} (?:Killed|Aborted|Terminated)\b"
    # Alone, or with what a shell puts behind it: "Killed 3 zombie workers" is a sentence of somebody's program.
    r"|^(?:Killed|Aborted|Terminated)(?:[.!]?\s*$|:? ?\d{1,3}\s*$|\s?\(|\s{2}|\s?\./|\s?python)"
    r"|^(?:\S{1,200}: line \d{1,7}:\s+\d{1,9} )?(?:Segmentation fault|Bus "
    r"error|Illegal instruction|Floating point exception)\b"
    r"|^Fatal Python error: |^terminate called |^\S{0,80}\s?Unknown flags? in |"
    r"^slurmstepd: error: |^srun: error: |^Out of memory: Killed|oom[-_]kill"
    r"|^\*{3} (?:SIG|Process received signal|Aborted at)|exited on signal \d|^\[\d{1,10}\.\d+\] Out of memory"
    r"|^Command terminated by signal|DUE TO (?:TIME LIMIT|PREEMPTION|NODE FAILURE|JOB "
    r"REQUEUE)|^/bin/\w+: .{1,200}: not found"
    r"|can't open file '|Invalid loss, terminating training|^Unable to parse flag"
)
# Whatever the pattern finds holds one of these: to look for them takes a thirtieth of the time.
_DEATH_WORDS = (
    "Killed", "Aborted", "Terminated", "Segmentation fault", "Bus error", "Illegal instruction",
    "Floating point exception", "Fatal Python error", "terminate called", "nknown flag", "slurmstepd: ", "srun: ",
    "Out of memory", "oom-kill", "oom_kill", "*** ", "signal", "DUE TO ", ": not found", "open file", "Invalid loss",
    "Unable to parse",
)  # fmt: skip
# The shell's word at the end of a line of progress that had no end.
_GLUED = pattern(r"[\d\]%.](Killed|Terminated|Aborted|Segmentation fault)(?: \(core dumped\))?$")
# An error that a program tells of in its own words, before it goes on.
_TOLD = pattern(r"(?i)\b(?:caught|trial|skip\w*|retry\w*|attempt|ignor\w*|warn\w*|expected|handled|recover\w*)\b")
# A line that speaks of a failure is no sign that the work goes on, nor is one of an allocator's statistics.
_OF_FAILURE = (
    "error", "fail", "abort", "exit", "fault", "kill", "crash", "exception", "terminat", "cancel",
)  # fmt: skip
_DUMPED = pattern(r"\bcore dumped\b")
_NO_WORK = pattern(r"^[)\]}]|^\W*$|(?i:^[A-Z]\w{4,40}: {2,40}\d{1,20}$)")
_BAR = pattern(r" {0,3}\d{1,7}/\d{1,7} [\[━]")
_STEP = pattern(r"\b(?:[Ee]poch|[Ss]tep|[Ii]ter(?:ation)?)s?\b[ :=#]{0,3}\d{1,9}\b.{0,60}(?:loss|acc)")
_TIME = re.compile(rb"\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[IW]\d{4} )")


def death(text: str) -> bool:
    """Whether a line is what a shell, a scheduler, glibc or the flag parser says of a process that died."""
    return any(map(text.__contains__, _DEATH_WORDS)) and _DEATH.search(text) is not None


def glued(text: str) -> str | None:
    """What a shell said of a dead process, where it stands behind a line of progress; or None."""
    if not text.endswith(("ed", "fault", "dumped)")):
        return None
    found = _GLUED.search(text, max(len(text) - 60, 0))
    return found[1] if found else None


def is_told(before: str) -> bool:
    """Whether the words before an exception's name say that the program deals with it."""
    return _TOLD.search(before) is not None


def is_work(text: str) -> bool:
    """Whether a line of plain output shows that its program still works: it has words, and none of a failure."""
    lower = text.lower()
    if any(map(lower.__contains__, _OF_FAILURE)) or ("core dumped" in lower and _DUMPED.search(lower)):
        return False
    return _NO_WORK.search(text) is None


def is_progress(text: str) -> bool:
    """Whether a line tells how far a training is. (tqdm draws its bar once more when an exception ends the loop.)"""
    if "%|" in text:
        return False
    if text.startswith("Epoch ") or _BAR.match(text):
        return True
    return ("loss" in text or "acc" in text) and _STEP.search(text) is not None


def is_stamped(raw: bytes) -> bool:
    """Whether a line begins with a time, as loggers write it: at once, and so in order with tracebacks. What `print`
    wrote into a file may come long after what stands below it.
    """
    return _TIME.match(raw) is not None
