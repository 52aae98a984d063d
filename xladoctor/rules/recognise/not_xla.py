"""Failures that are neither XLA nor shapes, each with the line that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.matching import Hit, flat, pattern
from xladoctor.rules.recognise.values import apart

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

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
    (
        r"Aborted|SIGABRT|terminate called|Fatal Python error: Aborted|signal 6\b",
        "aborted",
        "The process aborted. Where it said why, the reason stands above that line.",
    ),
    (r"can't open file '", "missing-file", "The program itself was not found."),
    (r"Unable to parse flag", "flag", "A command-line flag cannot be read."),
)
_LOOK_AT = "what the program does at that line of your code"
_LOOK_ABOVE = "the lines above it, with the traceback, which this text does not hold"
_NATIVE = frozenset({"segfault", "aborted", "fpe", "bus-error"})


def recognise(record: ErrorRecord, text: str) -> Hit | None:
    """Any error record that no other rule explains, which the caller has checked."""
    if record.level == "warning":
        return None
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
            return Hit(f"Neither XLA nor shapes: {says}", details={"kind": kind})
    name = record.exception
    if name:
        what = _KINDS.get(name)
        if name == "OSError" and "[Errno " not in record.text and "[WinError " not in record.text:
            what = "the program or a library raised an OSError of its own"  # the system's have a number
        first = "" if text == _CUT else _said(text)
        says = (
            f"Neither XLA nor shapes, as far as the log shows: {what or 'the program ended with an exception'}: {name}"
        )
        return Hit(
            says + (f": {first.rstrip('. …')}" if first else "") + ("…" if first.endswith("…") else "."),
            status="confirmed" if what else "untested",
            # Who interrupted it knows why: there is nothing to mend.
            remedies=() if name == "KeyboardInterrupt" else None,
            details={"kind": name} | ({"apart": values} if (values := apart(text)) is not None else {}),
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


def _said(text: str) -> str:
    """What an exception says, without what Keras puts around it, at its full length or to the end of a word."""
    inner = flat(text).split(" [[")[0].partition("Error encountered: ")
    said = (inner[2] or inner[0]).partition(" Arguments received by ")[0]
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST].rpartition(' ')[0]} …"


_LONGEST = 300
_CUT = "Traceback (most recent call last):"
# Of these the name alone does not say what went wrong.
_MANY = frozenset({"ValueError", "TypeError", "RuntimeError", "InvalidArgumentError", "InternalError", "UnknownError"})


def cut(record: ErrorRecord, text: str) -> Hit | None:
    """A traceback at the end of the log without the line that names the error."""
    if text != _CUT or not record.frames or (record.exception is not None and record.exception not in _MANY):
        return None
    deepest = record.frames[-1]
    name = f"the {record.exception}" if record.exception else "the error"
    return Hit(
        f"The log ends inside a traceback, at {deepest.location}: what {name} was about is not in it.",
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
    """The hit for a message that is cut in the middle."""
    return Hit(
        f"The log ends inside the message of {record.exception}: {flat(record.text)[:200]}",
        status="untested",
        decide=("the rest of the output: the message names the shapes or the op",),
    )
