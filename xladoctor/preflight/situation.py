"""What the checks look at: the study, its rehearsal, and a bench for each of its steps. Everything is made when first
asked for, once, and an error in making it is told to each check that needs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from xladoctor.diagnosis.facts import Step, steps
from xladoctor.diagnosis.model import Diagnosis
from xladoctor.evidence.run import Recording
from xladoctor.evidence.schema import schema
from xladoctor.preflight.model import Batches
from xladoctor.preflight.plan import plan
from xladoctor.preflight.study import Study
from xladoctor.replay.analyse import worker_environment
from xladoctor.replay.bench import Bench
from xladoctor.replay.model import Case
from xladoctor.replay.overlay import Listing
from xladoctor.replay.pool import Pool
from xladoctor.replay.subject import Subject, find, of_step

Say = Callable[[str], None]


class NotNow(Exception):
    """A check cannot be made, and why: it is skipped."""


@dataclass(frozen=True)
class Stage:
    """A step of the study that can be run by itself: its bench, and the sizes that it will meet."""

    name: str
    bench: Bench
    sizes: tuple[int, ...]
    by_row: bool | None
    others: tuple[Bench, ...] = ()
    """The same function traced anew for another size, as Keras does for a last partial batch."""

    @property
    def cases(self) -> list[Case]:
        """The sizes as cases."""
        return [Case(n) for n in self.sizes]


class Situation:
    """One preflight under way. Use as a context manager: it ends the workers."""

    def __init__(self, study: Study, folder: Path, listing: Listing | None, timeout: float, say: Say) -> None:
        self.study = study
        self.folder = folder
        self.timeout = timeout
        self.say = say
        self._listing = listing
        self._open = ExitStack()

    def __enter__(self) -> Situation:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def has(self, name: Literal["rehearsal", "plan"]) -> bool:
        """Whether a check has asked for this, and there is one: to look costs nothing."""
        return name in self.__dict__

    @cached_property
    def environment(self) -> dict[str, str]:
        """The environment of the study."""
        return {**os.environ, **self.study.environment}

    @property
    def cwd(self) -> Path:
        """The working directory of the study."""
        return self._listing.root if self._listing is not None else Path.cwd()

    @cached_property
    def rehearsal(self) -> Recording:
        """The command, run up to its first train and predict steps.

        Raises:
            NotNow: the study has no command.
            XladoctorError: it could not be started.
        """
        if not self.study.command or self._listing is None:
            raise NotNow("the study has no command to rehearse")
        from xladoctor.replay.rehearse import rehearse
        from xladoctor.replay.target import with_python

        self.say("rehearsing the study up to its first train and predict steps")
        return rehearse(
            with_python(self.study.command, self.study.python),
            listing=self._listing,
            folder=self.folder / "rehearsal",
            environment=self.environment,
            jit=True if self.study.device == "gpu" else None,
            until={"calls": ["fit", "predict"]},
            timeout=self.timeout,
            capture="values",
        )

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """What the doctor makes of the rehearsal, with what workers say of it where it failed."""
        from xladoctor.evidence.run import read_run
        from xladoctor.replay.analyse import ask_workers
        from xladoctor.session import scan_run

        folder = self.rehearsal.folder
        if not (folder / "worker.jsonl").exists():
            ask_workers(read_run(folder), self.environment, self.say)
        return scan_run(folder)

    @cached_property
    def plan(self) -> tuple[Batches, ...]:
        """The batches of the study: what its file says, else what its rehearsal showed."""
        told = tuple(p.batches for p in self.study.phases)
        return told or plan(self.rehearsal)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The steps that can be run by themselves.

        Raises:
            NotNow: there is none.
        """
        found = tuple(self._of_subjects() if self.study.subjects else self._of_rehearsal())
        if not found:
            raise NotNow("no step of the study could be captured")
        return found

    def _of_subjects(self) -> Iterator[Stage]:
        for number, name in enumerate(self.study.subjects):
            phases = [p.batches for p in self.study.phases if p.subject == name]
            sizes = _sizes(phases)
            subject = find(None, name, python=self.study.python, environment=self.environment)
            by_row = True if phases and all(p.phase == "predict" for p in phases) else None
            yield Stage(name, self._bench(subject, f"subject-{number}"), sizes, by_row)

    def _of_rehearsal(self) -> Iterator[Stage]:
        seen = set()
        for number, step in enumerate(steps(self.rehearsal, every=True)):
            call = step.keras_call
            if call is None or step.capsule is None or step.capsule in seen:
                continue
            seen.add(step.capsule)
            subject = of_step(step.capsule, step)
            sizes = _sizes([b for b in self.plan if self._is_of(b, step)]) or subject.sizes
            name = f"{call['method']} of {call.get('model')}"
            others = tuple(self._siblings(step, number))
            yield Stage(name, self._bench(subject, f"step-{number}"), sizes, subject.by_row or None, others)

    def _siblings(self, step: Step, number: int) -> Iterator[Bench]:
        traces = [t for t in self.rehearsal.of_kind(schema.TRACE) if t.get("parent") is None and t.get("capsule")]
        own = next((t for t in traces if t["capsule"] == step.capsule), None)
        for trace in traces:
            if own is not None and trace is not own and trace.get("owner") == own.get("owner"):
                subject = of_step(trace["capsule"], replace(step, capsule=trace["capsule"]))
                yield self._bench(subject, f"step-{number}-{trace['capsule']}")

    @staticmethod
    def _is_of(batches: Batches, step: Step) -> bool:
        method = (step.keras_call or {}).get("method")
        phases = {"fit": ("train",), "evaluate": ("evaluate", "validation"), "predict": ("predict",)}
        return batches.phase in phases.get(str(method), ())

    def _bench(self, subject: Subject, name: str) -> Bench:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(
            subject, folder, timeout=self.timeout, say=self.say, environment=self.environment, pool=self._pool
        )
        return self._open.enter_context(bench)

    @cached_property
    def _pool(self) -> Pool:
        """Workers for all steps: TensorFlow is imported once."""
        pool = Pool(1, worker_environment(self.environment), self.cwd, self.folder)
        self._open.callback(pool.close)
        return pool


def _sizes(batches: list[Batches]) -> tuple[int, ...]:
    return tuple(sorted({n for b in batches for n in b.sizes}, reverse=True))
