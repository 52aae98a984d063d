"""XD9xx: the run failed for a reason that is neither XLA nor shapes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from xladoctor.model.diagnosis import Basis, Finding, Proof, Remedy
from xladoctor.rules.base import Rule
from xladoctor.rules.matching import Hit, asked, finding, flat, is_quoted, location_around, location_of, make, pattern
from xladoctor.rules.outside import ASKED
from xladoctor.rules.outside import RULES as OUTSIDE
from xladoctor.rules.recognise.not_xla import cut, cut_message, ends_inside, recognise

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord
    from xladoctor.recording.evidence import Evidence


_chosen_before: WeakKeyDictionary[Evidence, Finding | None] = WeakKeyDictionary()


def _chosen(evidence: Evidence) -> Finding | None:
    """What no rule of XLA and shapes explains: each rule of this family asks for it."""
    if evidence not in _chosen_before:
        _chosen_before[evidence] = _choose(evidence)
    return _chosen_before[evidence]


def _choose(evidence: Evidence) -> Finding | None:
    """One finding: of what ended the run, else of the first."""
    left = [r for r in evidence.log.records if (r.level == "error" or "oss" in r.text) and not explained(r)]
    hits = [(r, rule, hit) for r in left for rule, hit in _outside(r)]
    if not hits:
        return None
    sure = evidence.log.facts.get("survived", ())
    if evidence.process is None and all(r.exception and r.where in sure for r, _, _ in hits):
        return None  # the program caught it, and its training surely went on
    errors = [h for h in hits if h[0].level == "error"]
    others = [r for r in evidence.log.records if r.level == "error" and explained(r)]
    record, rule, hit = (_that_ended(errors) or errors[:1] or hits[:1])[0]
    if evidence.log.facts.get("unfinished") and record is evidence.log.records[-1] and ends_inside(record):
        return finding(_CUT, [(record, cut_message(record))])
    found = finding(rule, [(record, hit)])
    said = flat(record.text)
    of_worker = next(
        (r for r in left if r.exception == record.exception and is_quoted(r) and said in flat(r.text)), None
    )
    if of_worker is not None:
        found = replace(found, location=location_of(of_worker) or found.location)
    if found.location is None:
        found = replace(found, location=location_around(record, evidence))
    if rule is _PLAIN:
        found = _worded(found)
    if found.details.get("kind") in ("aborted", "segfault") and not others:
        above = [r for r in evidence.log.records if r.level == "warning" and explained(r)]
        if above:
            found = replace(found, role="consequence")
    if others or (errors and not record.ended_run):
        # What ended the run is explained already; this stands beside it, or was caught by the program.
        found = replace(found, role="consequence", level="warning" if not record.ended_run else found.level)
    return found


_MESSENGERS = frozenset(
    {"CalledProcessError", "ChildFailedError", "ProcessExitedException", "BrokenProcessPool", "RayActorError"}
)
"""What a launcher raises where a child of its own failed: the child's error, where it stands above, says why."""


def _that_ended(errors: list[tuple[ErrorRecord, Rule, Hit]]) -> list[tuple[ErrorRecord, Rule, Hit]]:
    """The last error that ended the run; the one above it where that only passes on that a child failed."""
    ended = [hit for hit in errors if hit[0].ended_run]
    if len(ended) > 1 and ended[-1][0].exception in _MESSENGERS:
        return ended[-2:-1]
    return ended[-1:]


def _outside(record: ErrorRecord) -> list[tuple[Rule, Hit]]:
    """The rule outside of XLA and shapes that has a name for a record, and what it says; else `not-xla`."""
    said = asked(record)
    for rule in ASKED:
        hit = said.hit(rule.recognise) if rule.recognise else None
        if isinstance(hit, Hit):
            return [(rule, hit)]
    plain = said.hit(recognise)
    return [(_PLAIN, plain)] if plain else []


def _match(code: str, evidence: Evidence) -> Iterator[Finding]:
    """The one finding, where it is of this code."""
    found = _chosen(evidence)
    if found is not None and (found.code == code or (code == _PLAIN.code and found.code == _CUT.code)):
        yield found


_CLAIM = "Neither XLA nor shapes, as far as the log shows: "
_TITLES = {
    "killed": "the process was killed", "segfault": "the process crashed", "aborted": "the process aborted",
    "fpe": "the process crashed", "bus-error": "the process crashed", "illegal-instruction": "the process crashed",
    "terminated": "the process was asked to end", "time-limit": "the job reached its time limit",
    "cancelled": "the job was cancelled", "nan": "a value is not finite",
}  # fmt: skip


def _worded(found: Finding) -> Finding:
    """The finding in words of what happened: that no rule knows a message does not show what its cause is not."""
    kind = str(found.details.get("kind"))
    message = found.message.removeprefix(_CLAIM).removeprefix("Neither XLA nor shapes: ")
    message = message.removeprefix("Neither a message of XLA nor of shapes: ")
    title = _TITLES.get(kind) or (f"the program raised {kind}" if kind[:1].isupper() else found.title)
    if "No module named" in message and pattern(r"No module named '\w+\.").search(message):
        message = message.replace("a module is not installed", "its package has no such module", 1)
    return replace(found, title=title, message=message[:1].upper() + message[1:])


def explained(record: ErrorRecord) -> bool:
    """Whether a rule of XLA, shapes or types has a name for this record."""
    from xladoctor.rules import recognised

    rule = recognised(record)
    return rule is not None and rule.code not in _OUTSIDE


_OUTSIDE = frozenset(rule.code for rule in OUTSIDE)
_PLAIN = Rule(
    code="XD901",
    slug="not-xla",
    title="Neither XLA nor shapes",
    level="error",
    rank=90,
    what="The run failed, and nothing in its output is about XLA or shapes: a module that is not installed, a "
    "missing file, an interrupt, an error of your own code, a crash in native code.",
    why="Most runs of TensorFlow programs that fail do so for ordinary reasons. This class says so, with the line "
    "that shows it, so that nobody looks for a fault of the compiler.",
    example="ModuleNotFoundError: No module named 'tike'",
    tell_apart="Common reasons have a class of their own: `not-finite`, `disk-full`, `process-killed`, "
    "`callback-error`, `wrong-input-key`, `saved-file-unusable`, `pickling-failed`, `removed-name`. XLA can still be "
    "the cause of a segmentation fault in a compiled function: compare with `jit_compile=False`. Messages that name "
    "a cause also have classes of their own: `oom`, `flag-error`, `compile-failed`.",
    remedies=(
        Remedy(
            "fix-what-is-named",
            "Start at the line in the message, not at XLA",
            "safe",
            "Install what is missing, correct the path, or look at the values. Switching XLA off changes nothing.",
        ),
        Remedy(
            "keep-the-output",
            "If the line does not say why, keep all of the output",
            "safe",
            "`TF_CPP_MIN_LOG_LEVEL=0 python -X faulthandler train.py 2>&1 | tee log`, or "
            "`xladoctor scan -- python train.py`.",
        ),
    ),
    references=(
        "Python's exception classes",
        "keras/src/callbacks/terminate_on_nan.py",
        "tensorflow/core/kernels/check_numerics_op.cc",
    ),
)


def _match_unrecorded(evidence: Evidence) -> Iterator[Finding]:
    """A command that ran without the probes: only its output is known."""
    process = evidence.process
    if process is None or process.probes == "recorded":
        return
    yield Finding(
        code=_UNRECORDED.code,
        slug=_UNRECORDED.slug,
        level="warning",
        role="consequence",
        title="Nothing was recorded inside the run",
        message=f"Nothing was recorded inside the target: {process.probes_note or 'the probes did not load'}. "
        "What is said here rests on its output and its exit status alone.",
        evidence=(Proof("process", f"no events file; probes: {process.probes}", "run.json"),),
        status="confirmed",
        remedies=_UNRECORDED.remedies,
        basis=Basis("observed", "The probes left no events."),
    )


_UNRECORDED = Rule(
    code="XD902",
    slug="not-recorded",
    title="Nothing was recorded inside the run",
    level="warning",
    rank=99,
    what="The command ran, but without the recorder. The doctor saw only its output and its exit status, so it does "
    "not call the run healthy.",
    why="The recorder is loaded by `sitecustomize` on PYTHONPATH. `python -I`, `-E` and `-S` ignore it, and so does "
    "a program that is not Python.",
    example="xladoctor scan -- python -I train.py",
    tell_apart="`--no-probes` gives the same state on purpose. This class says nothing about the failure itself, "
    "which has a class of its own (at least `not-xla`).",
    remedies=(
        Remedy(
            "run-without-isolation",
            "Give the doctor a Python program that it can record",
            "safe",
            "Name the program itself (`xladoctor scan -- python train.py`), without -I, -E and -S. A script that "
            "starts it must pass PYTHONPATH on. A program that is not Python cannot be recorded.",
        ),
    ),
    references=("https://docs.python.org/3/library/site.html#module-sitecustomize",),
)
_CUT = make(
    cut,
    code="XD903",
    slug="log-cut",
    title="The log ends before it names the error",
    level="error",
    rank=85,
    what="The log ends with a traceback without its last line, so the name and the message of the error are missing.",
    why="Only part of the output was copied, a log was cut at a size limit, or the process was killed while it "
    "wrote. Output to a file or a pipe is buffered, so its end is then lost.",
    example='Traceback (most recent call last):\n  File "/home/ada/study/train.py", line 9, in <module>\n    fit()',
    tell_apart="A traceback with its last line has the class of its message, or `not-xla`. If a process was killed, "
    "the shell says so, not the process; that is `not-xla` too.",
    remedies=(
        Remedy(
            "get-the-rest",
            "Get the rest of the output",
            "safe",
            "`python -u train.py 2>&1 | tee log` loses nothing in buffers. Or let the doctor run it: `xladoctor scan "
            "-- python train.py`.",
        ),
    ),
    references=("Python's traceback module", "https://docs.python.org/3/using/cmdline.html#cmdoption-u"),
)
RULES = (
    replace(_PLAIN, match=partial(_match, _PLAIN.code)),
    replace(_UNRECORDED, match=_match_unrecorded),
    _CUT,
    *(replace(rule, match=partial(_match, rule.code)) for rule in OUTSIDE),
)
