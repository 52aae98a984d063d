"""Failures other than XLA and shapes that have a class of their own: each by its message, and by the code that prints
it.

Format strings: tensorflow/core/kernels/check_numerics_op.cc, tensorflow/python/debug/lib/check_numerics_callback.py,
tensorflow/python/training/basic_session_run_hooks.py, tensorflow/python/lib/core/py_func.cc,
tensorflow/python/ops/script_ops.py,
keras/src/callbacks/terminate_on_nan.py, keras/src/models/functional.py, keras/src/trainers/compile_utils.py,
keras/src/saving, h5py's h5f, Python's pickle and importlib, libc's strerror.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.rules.matching import Hit, find, flat, pattern
from xladoctor.rules.recognise.dtypes import name_for_value
from xladoctor.rules.recognise.full import FULL, is_disk_full

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


def _hit(kind: str, says: str, *, decide: str = "", **more: object) -> Hit:
    """`decide`: what would show it, where the text is not enough."""
    details = {"kind": kind, "kind_of": "not-xla", **more}
    return Hit(says, status="untested" if decide else "confirmed", details=details, decide=(decide,) if decide else ())


def check_numerics(text: str) -> tuple[str, str] | None:
    """(tensor, value) from the message of an op of this name."""
    found = find(text, "Tensor had", r"(.{0,80}?):? Tensor had (NaN|[-+]?Inf(?: and NaN)?)\w{0,3} values")
    return (found[1].strip() or "a tensor", found[2]) if found else None


def not_finite(record: ErrorRecord, text: str) -> Hit | None:
    """A NaN or an infinity that a check, a callback or the progress bar shows."""
    checked = check_numerics(text)
    if checked is not None:
        return _hit("nan", f"`check_numerics` found {checked[1]} in {checked[0]}.")
    found = pattern(
        r"(Invalid loss, terminating training|NaN loss during training|[Mm]odel diverged with loss ?= ?NaN)"
    ).search(text)
    if found:
        return _hit("nan", f"The loss became NaN or infinite ({flat(text)[:80]}).")
    found = pattern(
        r"(?i:detected|found|contains?|has|encountered|produced|got|got an?|returned|is)\b.{0,40}?\b(NaNs?|"
        r"nan|Infinity|infinity|[Ii]nf)\b"
        r"|\b(NaN|nan|Inf)\b (?:in (?:summary|gradient|loss|tensor|output)|values? (?:in|found|encountered|"
        r"detected)|or [Ii]nf)"
        r"|(?:array|[Ii]nput) must not contain (?:infs or )?(NaNs?)|contains (?:non-finite|infinite) (values?)"
    ).search(text)
    if found and record.level == "error" and record.exception not in (None, "KeyError", "NameError", "ImportError"):
        return _hit("nan", f"A value is not finite: {flat(text)[:200].rstrip('.')}.")
    if record.exception in ("FloatingPointError", "NanLossDuringTrainingError"):
        return _hit("nan", f"Floating-point arithmetic went wrong: {flat(text)[:200].rstrip('.')}.")
    found = find(text, "oss: nan", r"\b((?:val_)?loss): nan")
    if found:
        hit = _hit("nan", f"{found[1]} became NaN.", key=found[1])
        return Hit(hit.message, level="error" if found[1] == "loss" else "warning", details=hit.details)
    return None


def disk_full(record: ErrorRecord, text: str) -> Hit | None:
    """A write that a full disk or a quota refused."""
    found = pattern(FULL).search(text) if is_disk_full(text) else None
    if not found or record.level == "warning":
        return None
    path = pattern(r"[\"']((?:/|[A-Z]:\\)[^\"'\s]{1,300})[\"']|(?<=\s)(/[\w./-]{3,300})(?=[;:])").search(text)
    where = f" while writing {path[1] or path[2]}" if path else ""
    return _hit("disk-full", f"The disk or the quota is full{where} ({found[0]}); memory is not the problem.")


_KILLS = (
    (
        r"DUE TO TIME LIMIT|exceeded (?:the )?(?:wall|time) ?(?:clock )?limit|[Ww]alltime .{0,40}exceeded|"
        r"DeadlineExceeded.{0,40}[Jj]ob",
        "time-limit",
        "The scheduler ended the job at its time limit.",
    ),
    (
        r"DUE TO PREEMPTION|[Pp]reempted\b|spot instance|\bEvicted\b|was evicted",
        "preempted",
        "The job was preempted.",
    ),
    (r"DUE TO NODE FAILURE|DUE TO JOB REQUEUE|CANCELLED AT|scancel", "cancelled", "The scheduler cancelled the job."),
    (
        r"^(?:\S{1,200}: line \d{1,7}: +\d{1,9} )?Killed\b|exit(?:ed)? (?:with )?(?:code|status) 137\b|"
        r"signal 9\b|SIGKILL|exited on signal 9",
        "killed",
        "Another process or the system killed this process (signal 9). Out-of-memory killers do so, but nothing in "
        "this log shows who did it.",
    ),
    (r"^Terminated\b|SIGTERM|signal 15\b", "terminated", "The process was asked to end (signal 15)."),
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


def killed(record: ErrorRecord, text: str) -> Hit | None:
    """A process that a scheduler, a person or the kernel ended."""
    if record.exception is not None or record.level == "warning":
        return None
    for source, kind, says in _KILLS:
        if pattern(source).search(text):
            between, decide = _KILLERS if kind == "killed" else ((), ())
            return Hit(says, details={"kind": kind, "kind_of": "not-xla"}, between=between, decide=decide)
    return None


_RUNTIME = frozenset(
    {
        "InvalidArgumentError",
        "UnknownError",
        "InternalError",
        "FailedPreconditionError",
        "NotFoundError",
        "StopIteration",
    }
)


def in_callback(record: ErrorRecord, text: str) -> Hit | None:
    """An exception of Python code that TensorFlow called: `py_function`, `map` with one, a generator."""
    if record.level == "warning":
        return None
    from xladoctor.rules.recognise.general import guess

    if guess(record, text) is not None:
        return None
    found = find(
        text,
        "`generator` yielded an element",
        r"yielded an element (of .{1,200}?) where an element (of .{1,200}?) was|"
        r"yielded an element (that .{1,300}?)\.(?: |$)",
    )
    if found:
        # One of another shape is of another class: `signature.element`.
        says = f"{found[1]}, but its signature declares one {found[2]}" if found[1] else found[3]
        said = f"The generator of a dataset yields an element {says}."
        return _hit("callback", said, exception=record.exception, generator={})
    through = any(
        pattern(r"script_ops\.py$").search(f.file) or (f.function or "") in ("generator_py_func", "generator_next_fn")
        for f in record.frames
    )
    through = through or any("PyFunc" in node or "FromGenerator" in node for node in (*record.nodes, record.op or ""))
    inner = pattern(r"(?:^|: |\}\} )([A-Z]\w{0,60}(?:Error|Exception|Interrupt)): (.{0,300})").search(text[:600])
    if inner and record.exception in _RUNTIME:
        name, says = inner[1], inner[2]
    elif through and record.exception is not None and record.exception not in _RUNTIME:
        name, says = record.exception, text[:300]
    else:
        return None
    words = says.split(" Traceback (most")[0].split(" [[")[0].rstrip(". ")
    return _hit("callback", f"Python code that TensorFlow called raised {name}: {words}.", exception=name)


def _wants(name: str, keys: list[str]) -> Hit:
    quoted = ", ".join(f'"{key}"' for key in keys) or "none"
    says = f'The model needs data for its input "{name}"; the keys of the data are {quoted}.'
    return _hit("key", says, missing=name, keys=keys)


def wrong_key(record: ErrorRecord, text: str) -> Hit | None:
    """A name in a dict of inputs, targets, losses or features that the model does not have, or the other way round."""
    name = name_for_value(record, text)
    if name is not None:
        says = (
            f"A loss got the names of a dict of targets, such as {name!r}, instead of values: the keys are not the "
            f"names of "
        )
        return replace(_hit("key", f"{says}the model's outputs.", stray=name), status="untested")
    found = (
        find(
            text,
            "Missing data for input",
            r"Missing data for input ['\"](\S{1,100}?)['\"]\. .{0,40}?with keys (\[.{0,300}?\])",
        )
        or find(
            text,
            "No data provided for",
            r"No data provided for ['\"](\S{1,100}?)['\"]\. Need data for each key in: (\[.{0,300}?\])",
        )
        or pattern(r"Unknown entries in (?:the )?(\w{1,30} dict(?:ionary)?): (\[.{0,300}?\])").search(text)
        or pattern(r"[Uu]nexpected keys? .{0,60}?(?:[Mm]odel|[Ll]ayer|output|input).{0,80}?(\[.{0,300}?\])()").search(
            text
        )
        or pattern(
            r"(?:Expected|expects?) (?:the following )?keys:? (\[.{0,300}?\]).{0,80}?(?:got|[Rr]eceived|"
            r"found):? ?(\[.{0,300}?\]|dict.{0,80})"
        ).search(text)
        or pattern(r"[Kk]eys? (?:of|in) .{0,60}?(?:do(?:es)? not|don't|must) match().{0,100}?()").search(text)
        or pattern(r"[Ff]eature (\S{1,100}) (?:is not in features dictionary|not found)()").search(text)
    )
    if found:
        missing = pattern(r"Missing data for input").match(found[0])
        if missing:
            return _wants(found[1], re.findall(r"['\"]([^'\"]{1,100})['\"]", found[2]))
        named = ", ".join(g for g in found.groups() if g)
        return _hit(
            "key", f"The keys of inputs or targets differ from the names of the model: {named or flat(text)[:200]}."
        )
    last = record.frames[-1] if record.frames else None
    in_library = last is not None and pattern(
        r"[\\/](?:tf_)?keras[\\/]|[\\/]tensorflow[\\/]python[\\/](?:keras|data|feature)"
    ).search(last.file)
    if record.exception == "KeyError" and in_library:
        return _hit(
            "key",
            f"The model, the loss or the data pipeline asks for the key {flat(text)[:100]}, which its dictionary "
            f"does not have.",
            decide="the keys of `dataset.element_spec`, beside `model.input_names` and `model.output_names`",
        )
    return None


_DAMAGED = (
    r"file signature not found|truncated file:|[Uu]nable to (?:synchronously )?(?:open|create|read|load) "
    r"(?:file|object|dataset|link|attribute|group|weights)|"
    r"[Oo]bject header message is too large|bad object header|not an sstable|bad magic number|[Nn]ot a zip "
    r"file|[Bb]ad CRC|"
    r"[Ff]ile format not supported|SavedModel file does not exist|Unable to load weights saved in HDF5|"
    r"(?:h5|hdf5|\.keras).{0,60}(?:corrupt|damaged|truncated|not (?:a )?valid)|Error parsing (?:message|"
    r"protobuf)|[Cc]orrupted (?:record|header)|"
    r"Not a TFRecord|truncated record|checkpoint .{0,80}(?:corrupt|damaged)|legacy H5 format|file not found: filepath|"
    r"layer .{0,100}could not be (?:located|deserialized)|Could not (?:locate|deserialize) (?:class|class or function)"
)


def saved_file(record: ErrorRecord, text: str) -> Hit | None:
    """A file of weights, a model or data that cannot be read or written in the expected format."""
    if record.level == "warning" or record.exception is None:
        return None
    h5 = any("h5py" in frame.file for frame in record.frames[-3:])
    decode = "object has no attribute 'decode'" in text and any(
        "saving" in f.file or "hdf5" in f.file or "load" in (f.function or "") for f in record.frames
    )
    found = pattern(_DAMAGED).search(text)
    if not (found or h5 or decode) or pattern(r"No such file or directory").search(text):
        return None
    why = " (Keras 2.3 with h5py 3 reads text as str)" if decode else ""
    return _hit(
        "saved-file",
        f"A saved file cannot be used: {flat(text)[:240].rstrip('.')}{why}.",
        decide="" if found or decode else "what `ls -l` and `file` say about that file",
    )


def pickling(record: ErrorRecord, text: str) -> Hit | None:
    """What cannot be pickled, or a pickle that cannot be read."""
    if record.level == "warning" or record.exception is None:
        return None
    at = any(
        pattern(r"[\\/](?:pickle|copyreg|cloudpickle|dill|reduction)\w{0,10}\.py$").search(frame.file)
        for frame in record.frames[-3:]
    )
    found = pattern(
        r"(?:[Cc]annot|[Cc]an't|[Cc]ould not|[Uu]nable to) (?:un)?pickle\b|pickle data was truncated|"
        r"allow_pickle ?= ?False|"
        r"invalid load key|unsupported pickle protocol|not (?:be )?pickl"
    ).search(text)
    if (
        found
        or record.exception in ("PicklingError", "UnpicklingError")
        or (at and record.exception in ("EOFError", "AttributeError", "TypeError"))
    ):
        return _hit(
            "pickle",
            f"A Python object cannot be pickled or read back: {record.exception}: {flat(text)[:200].rstrip('.')}.",
        )
    return None


_GONE = (
    r"(?:(?:tensorflow|tf)\.(?:python\.|"
    r"compat\.v[12]\.)?)?(?:_?api\.v2\.)?(?:tf_)?keras(?:\._?tf_keras\.keras|\.api(?:\._v2)?\.keras|\.src)?"
)
_TF1 = (
    r"contrib|Session|placeholder|get_default_graph|global_variables_initializer|ConfigProto|GPUOptions|set_random_seed|app|flags|"
    r"variable_scope|get_variable|layers|truncated_normal|random_normal|reset_default_graph|InteractiveSession|logging|log|gfile|"
    r"to_float|to_int32|summary\.FileWriter|placeholder_with_default|train\.\w{1,40}|AUTO_REUSE|python_io|assign|Dimension"
)


def removed(record: ErrorRecord, text: str) -> Hit | None:
    """A name of Keras or TensorFlow that a newer version has removed or moved."""
    if record.exception not in ("ImportError", "ModuleNotFoundError", "AttributeError"):
        return None
    found = (
        pattern(rf"No module named ['\"](({_GONE})\.[\w.]{{1,100}})['\"]").search(text)
        or pattern(r"No module named ['\"](tensorflow\.(contrib|python|examples|compat)\b[\w.]{0,100})['\"]").search(
            text
        )
        or pattern(
            rf"cannot import name ['\"](\w{{1,80}})['\"] from ['\"]({_GONE}(?:\.[\w.]{{1,100}})?|"
            rf"tensorflow(?:\.python[\w.]{{0,100}})?)['\"]"
        ).search(text)
        or pattern(rf"module ['\"]({_GONE}(?:\.[\w.]{{1,100}})?)['\"] has no attribute ['\"](\w{{1,80}})['\"]").search(
            text
        )
        or pattern(rf"module ['\"](tensorflow)['\"] has no attribute ['\"]({_TF1})['\"]").search(text)
        or pattern(r"[`'\"]?([\w.]{1,100})[`'\"]? is (not available) with Keras 3").search(text)
    )
    if not found:
        return None
    first, *rest = (group for group in found.groups() if group)
    gone = first
    if "cannot import" in found[0]:
        gone = f"{rest[0]}.{first}"
    elif "has no attribute" in found[0]:
        gone = f"{first}.{rest[0]}"
    return _hit(
        "removed",
        f"This version of Keras or TensorFlow lacks a name that the program uses: {flat(text)[:200].rstrip('.')}.",
        gone=gone,
    )
