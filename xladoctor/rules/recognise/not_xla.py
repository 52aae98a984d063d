"""Failures that are neither XLA nor shapes, each with the line that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.matching import Hit, find, flat, pattern

if TYPE_CHECKING:
    from xladoctor.evidence.model import ErrorRecord

_KINDS = {
    "ImportError": "an import failed",
    "ModuleNotFoundError": "a module is not installed",
    "FileNotFoundError": "a file is missing",
    "PermissionError": "a file may not be read or written",
    "IsADirectoryError": "a path is a folder",
    "NotADirectoryError": "a path is no folder",
    "NotFoundError": "a file or resource is missing",
    "KeyboardInterrupt": "it was interrupted",
    "SystemExit": "the program ended itself",
    "KeyError": "a key is missing",
    "AttributeError": "an attribute is missing",
    "NameError": "a name is not defined",
    "SyntaxError": "the source cannot be parsed",
    "IndentationError": "the source cannot be parsed",
    "ConnectionError": "a connection failed",
    "TimeoutError": "something took too long",
    "AssertionError": "an assertion of the program does not hold",
    "OSError": "the system refused a call",
    "JSONDecodeError": "a file is not valid JSON",
    "YAMLError": "a file is not valid YAML",
    "CalledProcessError": "a child process failed",
    "RecursionError": "a recursion has no end",
    "ZeroDivisionError": "a division by zero",
    "UnicodeDecodeError": "a file has another encoding",
    "BrokenPipeError": "the reader of a pipe went away",
    "DataLossError": "a data file is damaged",
    "BadZipFile": "a data file is damaged",
}
_DEATHS = (
    (
        r"^(?:\S{1,200}: line \d{1,7}: +\d{1,9} )?Killed\b|exit(?:ed)? (?:with )?(?:code|"
        r"status) 137\b|signal 9\b|SIGKILL",
        "killed",
        "The process was killed from outside (signal 9). Out-of-memory killers end processes "
        "so; nothing in this log shows who did it.",
    ),
    (
        r"Segmentation fault|SIGSEGV|signal 11\b|exit code 139",
        "segfault",
        "The process crashed in native code (segmentation fault).",
    ),
    (r"Floating point exception|SIGFPE", "fpe", "The process crashed in native code (division by zero)."),
    (
        r"Illegal instruction|SIGILL",
        "illegal-instruction",
        "This build of TensorFlow uses instructions that the processor does not have.",
    ),
    (
        r"Bus error|SIGBUS",
        "bus-error",
        "The process crashed on a memory access (often a full /dev/shm or a truncated mapped file).",
    ),
    (r"DUE TO TIME LIMIT", "time-limit", "The scheduler ended the job at its time limit."),
    (
        r"DUE TO PREEMPTION|DUE TO NODE FAILURE|DUE TO JOB REQUEUE|CANCELLED AT",
        "cancelled",
        "The scheduler cancelled the job.",
    ),
    (r"^Terminated\b|SIGTERM|signal 15\b", "terminated", "The process was asked to end (signal 15)."),
    (
        r"Aborted|SIGABRT|terminate called|Fatal Python error: Aborted|signal 6\b",
        "aborted",
        "The process aborted; the reason stands above, if anywhere.",
    ),
    (r"can't open file '", "missing-file", "The program itself was not found."),
    (r"Unable to parse flag", "flag", "A command-line flag cannot be read."),
)
_KILLERS = (
    (
        "the system's out-of-memory killer",
        "a limit of the scheduler or the container",
        "a person or a script (kill -9)",
    ),
    (
        "`dmesg -T | grep -i 'killed process'` on that machine",
        "the scheduler's record, for Slurm `sacct -j JOB --format=State,ExitCode,MaxRSS`",
    ),
)
_LOOK_AT = "what the program does at that line of your code"
_LOOK_ABOVE = "the lines above it, with the traceback, which this text does not hold"
_NATIVE = frozenset({"segfault", "aborted", "fpe", "bus-error"})


def recognise(record: ErrorRecord, text: str) -> Hit | None:
    """Any error record that no other rule explains; the caller has made sure of that."""
    nan = _nan(record, text)
    if nan or record.level == "warning":
        return nan
    for source, kind, says in _DEATHS if record.exception is None else ():
        if pattern(source).search(text):
            if kind in _NATIVE and any("Compiled cluster using XLA" in line for line in record.before):
                says += " XLA had compiled a function shortly before: jit_compile=False shows whether that matters."
                return Hit(
                    f"Neither a message of XLA nor of shapes: {says}",
                    status="untested",
                    details={"kind": kind, "compiled": True},
                    between=("code that XLA compiled", "another native library"),
                    decide=("the same run with `jit_compile=False`", "the same run with `python -X faulthandler`"),
                )
            between, decide = _KILLERS if kind == "killed" else ((), ())
            return Hit(f"Neither XLA nor shapes: {says}", details={"kind": kind}, between=between, decide=decide)
    name = record.exception
    if name:
        what = _KINDS.get(name)
        first = flat(text).split(" [[")[0][:300]
        says = (
            f"Neither XLA nor shapes, as far as the log shows: {what or 'the program ended with an exception'}: {name}"
        )
        return Hit(
            says + (f": {first.rstrip('.')}" if first else "") + ".",
            status="confirmed" if what else "untested",
            # Who interrupted it knows why: there is nothing to mend.
            remedies=() if name == "KeyboardInterrupt" else None,
            details={"kind": name},
            decide=() if what else (_LOOK_AT if record.user_frame else _LOOK_ABOVE,),
        )
    if pattern(
        r"^Check failed|srun: error|slurmstepd|exited on signal|Command terminated|Fatal Python error|\*\*\* "
    ).search(text):
        return Hit(
            f"Neither XLA nor shapes, as far as the log shows: {flat(text)[:200]}",
            status="untested",
            details={"kind": "native"},
            decide=(_LOOK_ABOVE,),
        )
    return None


def _nan(record: ErrorRecord, text: str) -> Hit | None:
    found = find(text, "Tensor had", r"(.{0,80}?):? Tensor had (NaN|Inf|[-+]?Inf and NaN)\w{0,3} values")
    if found:
        return Hit(
            f"Neither XLA nor shapes: `check_numerics` found {found[2]} in {found[1] or 'a tensor'}.",
            details={"kind": "nan"},
        )
    if "Invalid loss, terminating training" in text:
        return Hit(
            f"Neither XLA nor shapes: the loss became NaN or infinite ({flat(text)[:80]}).", details={"kind": "nan"}
        )
    found = find(text, "oss: nan", r"\b((?:val_)?loss): nan")
    if found:
        return Hit(
            f"Neither XLA nor shapes: {found[1]} became NaN.",
            level="error" if found[1] == "loss" else "warning",
            details={"kind": "nan", "key": found[1]},
        )
    return None


def cut(record: ErrorRecord, text: str) -> Hit | None:
    """A traceback at the end of the log without the line that names the error."""
    if record.exception is not None or text != "Traceback (most recent call last):" or not record.frames:
        return None
    deepest = record.frames[-1]
    return Hit(
        f"The log ends inside of a traceback, at {deepest.location}: what the error was is not in it.",
        status="untested",
        decide=("the rest of the output: the last line of the traceback",),
    )


_RUNTIME = ("InvalidArgumentError", "InternalError", "UnimplementedError", "UnknownError", "FailedPreconditionError")


def ends_inside(record: ErrorRecord) -> bool:
    """Whether a message of an eagerly run op lacks the end that every one of them has: it begins with the op
    (`{{function_node __wrapped__Op_device_..}}`) and ends with `[Op:Op]` (tensorflow/python/eager/execute.py).
    """
    return record.exception in _RUNTIME and record.op is not None and not record.nodes and "[Op:" not in record.text


def cut_message(record: ErrorRecord) -> Hit:
    """What can be said of a message that is cut in the middle."""
    return Hit(
        f"The log ends inside of the message of {record.exception}: {flat(record.text)[:200]}",
        status="untested",
        decide=("the rest of the output: the message names the shapes or the op",),
    )
