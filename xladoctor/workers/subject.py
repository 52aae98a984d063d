"""What the user wants to have run again: a capsule, or a callable of the user's own."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from xladoctor import paths
from xladoctor.diagnosis.facts import Step, steps
from xladoctor.errors import XladoctorError
from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.recording import files, mark, recent
from xladoctor.recording.run import Recording, read_run
from xladoctor.recording.run_folder import why_foreign
from xladoctor.recording.schema import schema
from xladoctor.workers.environment import batch_sizes, interpreter

_CALLABLE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z")
_OURS = {
    f"ptycho:{name}": f"ptycho.subjects:{name}"
    for name in ("train_step", "predict", "reassemble", "stitch", "mmd_loss")
}
"""Short names: `ptycho` of the user's interpreter, whichever checkout that is."""


@dataclass(frozen=True)
class Subject:
    """What is run, and where.

    `folder` is the capsule's, `callable` the `module:callable`; one of them is None. `sizes` are the numbers of rows
    with which the recorded call really ran (the full batch first, then the last partial one), as far as they are
    known. `step` is the recorded call, for its places. `foreign`: the capsule does not come from a run of this machine.
    """

    name: str
    kind: Literal["capsule", "callable"]
    python: str
    cwd: Path
    folder: Path | None = None
    callable: str | None = None
    step: Step | None = None
    sizes: tuple[int, ...] = ()
    rows: int | None = None
    """Rows of the whole Keras call that the capsule is from."""
    foreign: bool = False
    seal: str | None = None
    """What a worker must find the capsule to be (`mark.seal`); None of a foreign one."""
    values: bool = True
    """False: random data of the same range stand in for the kept values."""

    @property
    def by_row(self) -> bool:
        """Whether it is known that each row of the data gives a row of the result: a `predict` of Keras."""
        call = self.step.keras_call if self.step else None
        return call is not None and call.get("method") == "predict"

    @property
    def run(self) -> Path | None:
        """The run folder that the capsule is in."""
        return self.step.recording.folder if self.step else None

    def about(self, request: requests.Request[requests.A], case: Case) -> requests.Request[requests.A]:
        """The request about this subject in a case, as a worker gets it. One that names a capsule is about that one,
        which this process has just had made; a question about graphs to a callable must do so.
        """
        if isinstance(request, requests.OfSubject):
            vary = dict(case.vary)
            return replace(
                request,
                subject=self.callable or "",
                batch=case.batch,
                config={n[4:]: v for n, v in case.vary if n.startswith("cfg:")} or None,
                arguments={n[4:]: v for n, v in case.vary if n.startswith("arg:")} or None,
                dtype=vary.get("dtype"),
            )
        if not isinstance(request, requests.OfCapsule):
            return request
        own = request.capsule in ("", str(self.folder))
        return replace(
            request,
            capsule=str(self.folder) if own and self.folder is not None else request.capsule,
            batch=case.batch,
            foreign=self.folder is not None and self.foreign,
            # The seal is that of the subject's own capsule.
            seal=self.seal if own and not self.foreign else None,
            values=self.folder is None or self.values,
        )


def find(
    target: str | None,
    name: str | None,
    *,
    python: str | None = None,
    values: bool = True,
    cwd: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Subject:
    """The subject that a run folder, a capsule folder or `module:callable` names.

    Raises:
        XladoctorError: it names none, or it cannot be run here (and why).
    """
    here = cwd or paths.here()
    if python is not None and not os.access(python, os.X_OK):
        raise XladoctorError(f"--python {python}: no such interpreter", exit_code=3)
    if name is not None:
        if target is not None:
            raise XladoctorError(f"give either {target} or --subject {name}, not both")
        return _callable(name, python, here, environment)
    if target is None:
        raise XladoctorError(
            "there is nothing to replay",
            hint="Name a run folder, a capsule in it, or --subject module:callable.",
        )
    target = recent.named(target)
    folder = Path(target)
    if folder.is_dir() and files.is_file(folder, "capsule.json"):
        return _capsule(folder, python, values)
    if folder.is_dir() and files.is_run_folder(folder):
        return _of_run(folder, python, values)
    if not folder.exists() and _CALLABLE.match(target):
        hint = f"For a callable: xladoctor replay --subject {target}"
        raise XladoctorError(f"there is no folder {target}", hint=hint)
    if not folder.exists():
        raise XladoctorError(f"there is no folder {target}")
    raise XladoctorError(
        f"{target} is neither a run folder nor a capsule",
        hint="A run folder is what xladoctor scan -- CMD leaves behind; its capsules are in capsules/.",
    )


def _callable(name: str, python: str | None, here: Path, environment: Mapping[str, str]) -> Subject:
    meant = _OURS.get(name, name)
    if not _CALLABLE.match(meant):
        raise XladoctorError(
            f"--subject {name}: a subject is named module:callable",
            hint=f"Such as mypackage.steps:train_step; our own are {', '.join(_OURS)}.",
        )
    return Subject(name, "callable", python or any_interpreter(environment), here, callable=meant)


def _capsule(folder: Path, python: str | None, values: bool) -> Subject:
    """The capsule of this folder; with what the run around it knows, if there is one."""
    run = folder.resolve().parent.parent
    if folder.resolve().parent.name == "capsules" and files.is_run_folder(run):
        recording = read_run(run)
        step = next((s for s in steps(recording, every=True) if s.capsule == folder.name), None)
        if step is not None:
            return of_step(str(folder), step, python, values)
    _complete(folder, "capsule.json")
    return Subject(
        str(folder),
        "capsule",
        python or any_interpreter(os.environ),
        folder.resolve(),
        folder=folder.resolve(),
        foreign=True,
        values=values,
    )


def _of_run(folder: Path, python: str | None, values: bool) -> Subject:
    """The capsule of the run's root failure, else of its silent call, else of its first call."""
    recording = read_run(folder)
    found = steps(recording)
    ranked = sorted(
        (s for s in found if s.capsule and _is_complete(folder, f"capsules/{s.capsule}/capsule.json")),
        key=lambda s: (s.why != "failed", not s.ended_run),
    )
    if not ranked:
        ranked = [s for s in _traced(recording, folder) if s.capsule in _divergent(recording)]
    if not ranked:
        ranked = [s for s in steps(recording, every=True) if s.capsule and s.why == "well"]
    if not ranked:
        ranked = _traced(recording, folder)
    if not ranked:
        traced = any(recording.of_kind(schema.TRACE))
        why = "it failed before any function was traced to its end" if found else "no function was traced in it"
        why = "functions were traced in it, and of none is a whole capsule kept" if traced else why
        raise XladoctorError(
            f"{folder} holds no capsule that can be run: {why}",
            hint="Name your own callable: xladoctor replay --subject module:callable",
        )
    return of_step(str(folder), ranked[0], python, values)


def of_step(name: str, step: Step, python: str | None = None, values: bool = True) -> Subject:
    """The capsule of a recorded call, with what its run knows.

    Raises:
        XladoctorError: the capsule cannot be run.
    """
    recording: Recording = step.recording
    assert step.capsule is not None
    _complete(recording.folder, f"capsules/{step.capsule}/capsule.json")
    folder = (recording.folder / "capsules" / step.capsule).resolve()
    # Of a stranger's run folder nothing is started that it names.
    known = mark.listed(recording.folder) if why_foreign(recording) is None else None
    sealed = mark.seal(recording.folder, step.capsule, known) if known is not None else None
    own = interpreter(recording) if known is not None else None
    call = step.keras_call or {}
    return Subject(
        name,
        "capsule",
        python or own or any_interpreter(os.environ),
        folder,
        folder=folder,
        step=step,
        sizes=tuple(n for n in batch_sizes(step) if n),
        rows=call.get("rows_in"),
        foreign=sealed is None,
        seal=sealed,
        values=values,
    )


def _traced(recording: Recording, folder: Path) -> list[Step]:
    """The functions that the program traced itself and that ended well, in which nothing is watched: those of which
    values of a call were kept come first, then what XLA compiled, then the rest, tf.data's functions among them.
    """
    compiled = {
        t.get("capsule"): bool(t.get("xla")) for t in recording.of_kind(schema.TRACE) if t.get("parent") is None
    }
    kept = [c for c in compiled if c and _is_complete(folder, f"capsules/{c}/capsule.json")]
    values = {e["capsule"] for e in recording.of_kind(schema.FIRST_CALL) if e["kept"]}
    kept.sort(key=lambda c: (c not in values, not compiled[c]))
    return [Step(recording, "well", str(c)) for c in kept]


def _divergent(recording: Recording) -> set[str]:
    """The capsules of which a worker said, after the run, that XLA gives something else."""
    return {a.capsule for a in recording.answers("agreement") if a.told.get("result") == "diverges"}


def _is_complete(folder: Path, name: str) -> bool:
    try:
        return bool(_json(folder, name).get("complete", True))
    except XladoctorError:
        return False


def _complete(folder: Path, name: str) -> None:
    told = _json(folder, name)
    if told.get("schema") != schema.CAPSULE_SCHEMA:
        raise XladoctorError(
            f"{folder / name} has schema {told.get('schema')!r:.80}; this xladoctor reads {schema.CAPSULE_SCHEMA!r}"
        )
    if not told.get("complete", True):
        raise XladoctorError(
            f"{(folder / name).parent} is what there was of a graph when its trace failed: it cannot be run",
            hint="Name your own callable: xladoctor replay --subject module:callable",
        )


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        return files.read_table(folder, name)
    except files.Unusable as error:
        raise XladoctorError(f"{folder}: {error.message}") from error
    except OSError as error:
        raise XladoctorError(f"{folder / name} cannot be read: {error.strerror or error}") from error


def any_interpreter(environment: Mapping[str, str]) -> str:
    """An interpreter with TensorFlow: the doctor's own if it has it, else the `python` of the user's PATH."""
    if find_spec("tensorflow") is not None:
        return sys.executable
    return shutil.which("python", path=environment.get("PATH")) or sys.executable
