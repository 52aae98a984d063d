"""Flags that are refused, and settings of the runtime that are refused because it has started.

Format strings: xla/parse_flags_from_env.cc, tensorflow/compiler/jit/flags.cc, tensorflow/python/eager/context.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.matching import Hit, find, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


# Flags begin with a dash; what stands behind them may be anything.
_UNKNOWN = r"[Uu]nknown flags? in (\w{1,30}): ?((?:[-\u2010-\u2015\u2212]\S{0,300} ?){1,40})"
# tensorflow/tsl/util/command_line_flags.cc: the value stands before the flag.
_VALUE = (
    r"(?:[Cc]ould(?: not|n't)|[Cc]annot|[Cc]an't|[Uu]nable to|[Ff]ailed to) (?:interpret|parse|read) (?:the )?value"
    r"(?: of)?:? (.{0,2000}?) for flag:? [\"'`]?(-{0,2}[A-Za-z]\w{1,99})\b"
)
# Names that belong to the other variable.
_TF_FLAG, _XLA_FLAG = "tf_xla_", "xla_"


def flag_error(record: ErrorRecord, text: str) -> Hit | None:
    """A flag that the parser refuses. The process ends here."""
    found = find(text, "nknown flag", _UNKNOWN)
    if found:
        variable, flags = found[1], [f for f in found[2].split() if f][:20]
        says = (
            f"{variable} holds {'flags' if len(flags) > 1 else 'a flag'} that this build does not "
            f"know: {' '.join(flags)}."
        )
        reasons = [why for flag in flags if (why := _why(variable, flag))]
        return Hit(" ".join([says, *dict.fromkeys(reasons)]), details={"variable": variable, "flags": flags})
    found = find(
        text,
        "to read flags for environment variable",
        r"Could not open file \"(.{0,300}?)\" to read flags for environment variable \"(\w{1,30})\"",
    )
    if found:
        says = (
            f"{found[2]} does not begin with two hyphens, so TensorFlow took it for the name of a file with flags: "
            f"{found[1]}."
        )
        why = _why(found[2], found[1])
        return Hit(f"{says} {why}".strip(), details={"variable": found[2], "flags": [found[1]]})
    found = find(
        text,
        "parse",
        r"(?:Unable to parse|Failed to parse|Couldn't parse|Error parsing) (?:value .{0,80}? "
        r"for )?flag:? ?[\"'`]?(--?[\w.=-]{1,200})",
    )
    if found:
        return Hit(f"The value of {found[1]} cannot be read.", details={"flags": [found[1]]})
    found = find(text, " for flag ", _VALUE)
    if found:
        says = f"The value `{found[1].strip()[:120]}` of the flag {found[2]} cannot be read."
        return Hit(says, details={"flags": [found[2]]})
    return None


# After these TensorFlow's runtime runs, and most of `tf.config` is fixed.
_STARTED = r"(?:being )?(?:initiali[sz]|start(?:ed|up)|creat|the (?:runtime|context|program))"
_LATE = (
    rf"^(.{{1,160}}?) (?:cannot|can ?not|can't|must not|may not) be (?:modified|changed|set|configured|enabled|called) "
    rf"(?:after|once) (?:\w{{1,20}} ){{0,4}}?{_STARTED}",
    rf"^(.{{1,160}}?) must be (?:called|configured|set|enabled) (?:at (?:program|process) start|(?:at the (?:start|"
    rf"beginning)|before) (?:\w{{1,20}} ){{0,4}}?{_STARTED})",
)


def too_late(record: ErrorRecord, text: str) -> Hit | None:
    """A setting that is refused because the runtime that it controls has started."""
    if record.exception not in ("RuntimeError", "ValueError"):
        return None
    found = next((m for source in _LATE if (m := pattern(source).search(text))), None)
    if found is None:
        return None
    return Hit(
        f"{found[1]}: this was set after TensorFlow's runtime had started. The first tensor, or the first list of "
        f"logical devices, starts it.",
        level="error",
        details={"key": found[1]},
    )


def _why(variable: str, flag: str) -> str:
    if flag[:1] in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212":
        return "The dashes are typographic ones (copied from a document); type two hyphens."
    if flag.startswith("-") and not flag.startswith("--"):
        return "One hyphen is missing: flags begin with two."
    name = flag.lstrip("-")
    if variable == "XLA_FLAGS" and name.startswith(_TF_FLAG):
        return "This is a flag of TF_XLA_FLAGS."
    if variable == "TF_XLA_FLAGS" and name.startswith(_XLA_FLAG):
        return "This is a flag of XLA_FLAGS."
    if name.startswith("xla_gpu_cuda_dir"):
        return "The flag's name is --xla_gpu_cuda_data_dir."
    return ""
