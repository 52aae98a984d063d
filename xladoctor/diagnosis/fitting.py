"""Remedies that fit this failure: each names the op, the axis, the layer or the line, or is left out.

A rule's remedies are for its whole class. What a run cannot use is no advice: a GPU's memory where there is none, the
input of a Keras model where there is no model, the rest of an output that was kept.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.diagnosis.own_words import OWN_WORDS, in_own_words
from xladoctor.diagnosis.shape_remedies import sizes_agree
from xladoctor.diagnosis.surroundings import keras_backend, uses_legacy_keras
from xladoctor.model.diagnosis import Finding, Location, Remedy
from xladoctor.model.frozen import dataclass
from xladoctor.model.shapes import python_shape
from xladoctor.patterns import pattern
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.schema import schema

if TYPE_CHECKING:
    from xladoctor.recording.run import Recording

_OF_A_GPU = frozenset({"memory-growth", "launch-blocking", "no-autotune", "place-on-cpu", "install-cuda-tree"})
_OF_THE_OUTPUT = frozenset({"keep-the-output", "show-lines"})
_OF_TENSORFLOW = frozenset({"trace-shapes", "run-eagerly", "check-range"})
_GPU = pattern(r"GPU|CUDA|[Cc]u(?:DNN|dnn|BLAS|FFT)|libdevice|ptxas|nvvm|nvlink")
_PATH = pattern(r"[Nn]o such file or directory: '([^'\n]{1,300})'")
_MODULE = pattern(r"No module named '([\w.]{1,200})'")
# An op that was run by itself ends its message with its name; a function has an `__inference_...` there.
_EAGER = pattern(r"\[Op:(?!_)\w")
_NATIVE = frozenset(
    {"segfault", "aborted", "fpe", "bus-error", "native", "illegal-instruction", "killed", "terminated"}
)


@dataclass(frozen=True)
class Situation:
    """What is known of a run: None where it is not."""

    recorded: bool = False
    tensorflow: bool | None = None
    gpu: bool | None = None
    keras: bool | None = None
    watched: bool = False
    """Whether functions of the program were watched: only then does `trace` show shapes at them."""
    backend: str = ""
    """What KERAS_BACKEND asks for; empty where it is not set, or TensorFlow."""
    legacy_keras: bool = False
    doctors_own: bool = False
    """Whether the program was run by the interpreter of the environment that the doctor is in."""


def situation(evidence: Evidence) -> Situation:
    """What a recording shows; of a log alone nothing is known."""
    run = evidence.run
    if run is None or run.outcome is None or run.outcome.probes != "recorded":
        return Situation()
    devices = next((e["devices"] for e in run.of_kind(schema.FIRST_OP) if e.get("devices")), None)
    keras = bool(run.of_kind(schema.MODEL) or run.of_kind(schema.CALL))
    gpu = None if devices is None else any(d != "CPU" for d in devices)
    watched = bool(run.of_kind(schema.PLACE_FOUND))
    return Situation(
        True, _imported(run, "tensorflow"), gpu, keras, watched, keras_backend(run), uses_legacy_keras(run),
        _is_doctors_own(run),
    )  # fmt: skip


def _is_doctors_own(run: Recording) -> bool:
    started = next(iter(run.of_kind(schema.START)), {})
    return bool(started.get("prefix")) and started["prefix"] == sys.prefix


def fitted(findings: Iterable[Finding], known: Situation) -> tuple[Finding, ...]:
    """The findings with the remedies that fit them."""
    return tuple(replace(f, remedies=tuple(_remedies(f, known))) if f.remedies else f for f in findings)


def _remedies(finding: Finding, known: Situation) -> Iterator[Remedy]:
    for remedy in finding.remedies:
        if _fits(remedy, finding, known):
            made = _made(remedy, finding, known)
            if made is not None:
                says_all = made.id in OWN_WORDS and made.title != remedy.title
                yield made if says_all else _named(made, finding)


def _fits(remedy: Remedy, finding: Finding, known: Situation) -> bool:
    if remedy.id in _OF_A_GPU:
        said = any(_GPU.search(p.text) for p in finding.evidence) or "GPU" in str(finding.device)
        return said if known.gpu is None else known.gpu
    if remedy.id in _OF_THE_OUTPUT and known.recorded:
        return False
    if remedy.id in _OF_TENSORFLOW and known.tensorflow is False:
        return False
    if remedy.id == "match-data":
        return known.keras is not False
    if remedy.id == "smaller-batch":
        return known.keras is not False
    if remedy.id == "move-outside":
        return not _of_a_gradient(finding)
    if remedy.id == "run-eagerly":
        return not any(_EAGER.search(p.text) for p in finding.evidence)
    return True


def _made(remedy: Remedy, finding: Finding, known: Situation) -> Remedy | None:
    """A remedy in the words of this failure; None where there is nothing to say."""
    if remedy.id == "trace-shapes" and not known.watched:
        return sizes_agree(remedy, finding)
    if remedy.id == "fix-what-is-named":
        return _package(remedy, finding, known) or _plain(remedy, finding)
    if remedy.id == "move-outside" and finding.op:
        return replace(remedy, title=f"Move {finding.op} out of the compiled function")
    if remedy.id in ("dont-reindex", "crop-or-pad") and len(finding.dims) > 1:
        shapes = _both(finding)
        if remedy.id == "dont-reindex":
            return replace(remedy, title=f"Do not repeat or cut one side to make {shapes} agree")
        return replace(remedy, title=f"Make {shapes} agree where they are made")
    return in_own_words(remedy, finding)


def _both(finding: Finding) -> str:
    """The two sizes, or shapes, that do not agree; a list of all sizes of two shapes names neither."""
    shapes = finding.details.get("shapes")
    plain = len(finding.dims) == 2 or any(isinstance(d, list | tuple) for d in finding.dims)
    pair = finding.dims if plain or not isinstance(shapes, list | tuple) or len(shapes) != 2 else shapes
    said = [python_shape(d) for d in pair[:2]]
    return " and ".join(said) if len(set(said)) == 2 else "both sides"


def _package(remedy: Remedy, finding: Finding, known: Situation) -> Remedy | None:
    """What to do about a package that only an environment variable asked for."""
    text = " ".join(p.text for p in finding.evidence)
    module = _MODULE.search(text)
    wanted = known.backend if module is not None and module[1].partition(".")[0] == known.backend else ""
    if wanted:
        how = f"KERAS_BACKEND={wanted} asks for it: `python -m pip install {wanted}`, or set KERAS_BACKEND=tensorflow."
        return replace(remedy, title=f"Install {wanted}, or choose another backend of Keras", how=how)
    if known.legacy_keras and ("Keras cannot be imported" in text or (module and module[1] == "tf_keras")):
        how = "TF_USE_LEGACY_KERAS=1 asks for it: `python -m pip install tf_keras`, or do not set that variable."
        return replace(remedy, title="Install tf_keras, or use Keras 3", how=how)
    if known.doctors_own and module is not None and "." not in module[1]:
        title = f"Name the interpreter that has {module[1]}: --python PATH"
        how = (
            "`python` was that of the doctor here, whose environment comes first on PATH. "
            "`xladoctor scan --python PATH -- python ...` runs the program with yours."
        )
        return replace(remedy, title=title, how=how)
    return None


def _plain(remedy: Remedy, finding: Finding) -> Remedy | None:
    """What to do about an ordinary exception, by what it names."""
    kind, text = str(finding.details.get("kind")), " ".join(p.text for p in finding.evidence)
    module, path = _MODULE.search(text), _PATH.search(text)
    if module is not None:
        top, _, rest = module[1].partition(".")
        if rest:
            title = f"Correct the import of {module[1]}: this version of {top} has no such module"
            return replace(
                remedy, title=title, how=f"{top} is installed. Its release notes say what replaced the module."
            )
        how = f"`python -m pip install` the package that holds it, if {top} is not a file of your own."
        return replace(remedy, title=f"Install {top}, or correct its name", how=how)
    if path is not None:
        return replace(remedy, title=f"Make {path[1]}, or correct the path", how="The program opens exactly this path.")
    if kind in _NATIVE:
        if not finding.details.get("compiled"):
            return None
        how = "XLA had compiled a function shortly before. If the crash stays without XLA, XLA is not the cause."
        return replace(remedy, id="jit-off", title="Run once with jit_compile=False", safety="slower", how=how)
    if kind == "nan":
        how = "`tf.debugging.enable_check_numerics()` before the model is built raises at the first such value."
        return replace(remedy, title="Find the first value that is not finite", how=how)
    if finding.location is None:
        return None
    return replace(remedy, title="Start at the line that raised it", how=f"It raised {kind} there.")


def _named(remedy: Remedy, finding: Finding) -> Remedy:
    """The remedy with the op and the line, where its title names nothing of the failure."""
    where = finding.location
    names = [finding.op, finding.layer, finding.node, *(python_shape(d) for d in finding.dims)]
    if (
        remedy.result != "untested"
        or where is None
        or any(name and len(str(name)) > 1 and str(name) in remedy.title for name in names)
    ):
        return remedy
    if _line(where) in remedy.title:
        return remedy
    return replace(remedy, title=f"{remedy.title}: {_line(where)}")


def _of_a_gradient(finding: Finding) -> bool:
    return bool(re.search(r"gradient_tape|gradients/|Grad\b", f"{finding.node or ''} {finding.op or ''}"))


def _imported(run: Recording, module: str) -> bool:
    return any(e.get("module") == module for e in run.of_kind(schema.IMPORT))


def _line(where: Location) -> str:
    return where.place
