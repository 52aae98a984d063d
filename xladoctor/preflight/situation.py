"""What the checks look at: the study, its rehearsal, and a bench for each of its steps. Everything is made when first
asked for, once, and an error in making it is told to each check that needs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xladoctor import paths
from xladoctor.diagnosis.facts import Step, steps
from xladoctor.diagnosis.fixed_batch import fixed_batches
from xladoctor.experiments.flip import TWINS
from xladoctor.experiments.overlay import Listing
from xladoctor.machine import is_room_beside
from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.model.flips import Switch
from xladoctor.model.preflight import Batches
from xladoctor.model.replay import Case
from xladoctor.preflight.batch import which
from xladoctor.preflight.copies import as_of
from xladoctor.preflight.plan import came_through, plan
from xladoctor.preflight.refused import refused_path
from xladoctor.preflight.study import Study
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.target import Stop
from xladoctor.workers.bench import Bench
from xladoctor.workers.environment import worker_environment
from xladoctor.workers.pool import Pool
from xladoctor.workers.remote import Where
from xladoctor.workers.subject import Subject, find, of_step

if TYPE_CHECKING:
    from xladoctor.cluster.opened import Cluster

Say = Callable[[str], None]

_GRACE = 50.0
"""Seconds that the program may go on after its first train and predict steps."""
_SECONDS = 240.0
"""Seconds after its first trace in which it must come to its end, or to a train and a predict step."""
_BUDGET: dict[str, float] = {}
_ROOM = 4
"""Of memory: a second rehearsal, a worker, what a step needs, and as much again."""
READ_ONLY = {"call": 0.0, "total": 0.0}
"""Run only what shows something new: the same steps are traced, in less time."""
_RETRIES = 3


class NotNow(Exception):
    """A check cannot be made, and why: it is skipped."""


class Unanswered(NotNow):
    """A check cannot be made that was to be made, and why."""


@dataclass(frozen=True)
class Twin:
    """A step that was traced once more with a switch that it reads in its other position; `bench` is None where that
    failed, and `error` says how.
    """

    switch: Switch
    bench: Bench | None
    error: str | None = None


@dataclass(frozen=True)
class Stage:
    """A step of the study that can be run by itself: its bench, and the sizes that it will meet."""

    name: str
    bench: Bench
    sizes: tuple[int, ...]
    by_row: bool | None
    others: tuple[Bench, ...] = ()
    """The same function traced anew for another size, as Keras does for a last partial batch."""
    twins: tuple[Twin, ...] = ()
    rehearsed: frozenset[int] = frozenset()
    """The sizes that the rehearsal ran this step at, and came through."""
    compiled: frozenset[int] = frozenset()
    """Those of them that the very call ran that the step is from: where the study takes XLA, they were compiled."""
    fixed_batch: int | None = None
    """The rows of a batch, where the model's own inputs say so: each row has its place then."""

    @property
    def cases(self) -> list[Case]:
        """The sizes as cases."""
        return [Case(n) for n in self.sizes]


class Situation:
    """One preflight under way. Use as a context manager: it ends the workers that it made."""

    def __init__(
        self,
        study: Study,
        folder: Path,
        listing: Listing | None,
        timeout: float,
        say: Say,
        pool: Pool | None = None,
        elsewhere: Cluster | None = None,
    ) -> None:
        self.study = study
        self.folder = folder
        self.timeout = timeout
        self.say = say
        self._listing = listing
        self._open = ExitStack()
        self._given = pool
        self._elsewhere = elsewhere
        self._benches: list[Bench] = []
        self._outside: list[Path] = []
        self._beside: Future[Recording] | None = None
        self._stop = Stop()

    def __enter__(self) -> Situation:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def has(self, name: Literal["rehearsal", "plain_rehearsal", "plan"]) -> bool:
        """Whether a check has asked for this, and there is one: to look costs nothing."""
        return name in self.__dict__

    @cached_property
    def environment(self) -> dict[str, str]:
        """The environment of the study."""
        return {**os.environ, **self.study.environment}

    @property
    def cwd(self) -> Path:
        """The working directory of the study."""
        return self._listing.root if self._listing is not None else paths.here()

    @cached_property
    def rehearsal(self) -> Recording:
        """The command, run up to its first train and predict steps.

        Raises:
            NotNow: the study has no command.
            XladoctorError: it could not be started.
        """
        self.say("rehearsing the study")
        return self._rehearsed("rehearsal", flip=TWINS, capture="values")

    @cached_property
    def plain_rehearsal(self) -> Recording | None:
        """The command as it runs on this very machine, where the first rehearsal took XLA as a GPU would have it.

        XLA leaves out checks that this machine's kernels make (an index out of range, an assertion). None where both
        would be the same.
        """
        if not self._two_ways:
            return None
        return self._rehearse_plainly() if self._beside is None else self._beside.result()

    def begin_plain_rehearsal(self) -> bool:
        """Begin it beside the checks, where there is to be one and the machine has room; whether it was begun."""
        if not self._two_ways or not is_room_beside(_ROOM):
            return False
        thread = self._open.enter_context(ThreadPoolExecutor(1))
        self._open.callback(self._stop)
        self._beside = thread.submit(self._rehearse_plainly, self._stop)
        return True

    @property
    def _two_ways(self) -> bool:
        taken = any(e.get("jit_taken") for e in self.rehearsal.of_kind(schema.REHEARSAL))
        return taken and not any(e.get("accelerators") for e in self.rehearsal.of_kind(schema.XLA_PATH))

    def _rehearse_plainly(self, stop: Stop | None = None) -> Recording:
        self.say("rehearsing the study without XLA, as it runs on this machine")
        return self._rehearsed("plain", jit=None, capture="none", stop=stop)

    def _rehearsed(self, name: str, **asked: Any) -> Recording:
        """A whole rehearsal; once more where it was not let write to a folder, with that folder laid over."""
        until = {"calls": ["fit", "predict"], "grace": _GRACE, "seconds": min(_SECONDS, 0.8 * self.timeout)}
        recording = self.rehearse(name, until=until, budget=_BUDGET, **asked)
        for number in range(1, _RETRIES + 1):
            refused = refused_path(recording)
            if refused is None or refused.why is not None:
                break
            folder = refused.folder
            if folder == Path(folder.anchor) or folder in self._outside:
                break
            self._outside.append(folder)
            self.say(f"rehearsing once more: it writes to {folder}")
            recording = self.rehearse(f"{name}-{number}", until=until, budget=_BUDGET, **asked)
        return recording

    def rehearse(self, name: str, **asked: Any) -> Recording:
        """The command once more, into the folder `name`; see `xladoctor.experiments.rehearse` for what can be asked.

        Raises:
            NotNow: the study has no command.
            XladoctorError: it could not be started.
        """
        if not self.study.command or self._listing is None:
            raise NotNow("the study has no command to rehearse")
        from xladoctor.experiments.outside import named
        from xladoctor.experiments.rehearse import rehearse
        from xladoctor.target import with_python

        study = self.study
        return rehearse(
            with_python(study.command, study.python),
            listing=self._listing,
            folder=self.folder / name,
            environment=self.environment,
            outside=named(study.command[1:], [*([study.outputs] if study.outputs else ()), *map(str, self._outside)]),
            write=[Path(w).absolute() for w in study.allow_write],
            timeout=self.timeout,
            **{"jit": True if study.device == "gpu" else None, **asked},
        )

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """What the doctor makes of the rehearsal, with what workers say of it where it failed."""
        from xladoctor.experiments.analyse import ask_workers
        from xladoctor.recording.run import read_run
        from xladoctor.saved import scan_run

        folder = self.rehearsal.folder
        if not (folder / "worker.jsonl").exists():
            ask_workers(read_run(folder), self.environment, self.say)
        return scan_run(folder)

    def diagnosed(self, recording: Recording) -> tuple[Finding, ...]:
        """The findings of another rehearsal, without workers."""
        from xladoctor.saved import scan_run

        return scan_run(recording.folder).findings

    @property
    def which_batch(self) -> str | None:
        """Which batch the rehearsal failed in, where a worker could tell."""
        from xladoctor.recording.run import read_run

        # What was read before has no answers of workers.
        return which(read_run(self.rehearsal.folder)) if self.diagnosis.findings else None

    @cached_property
    def plan(self) -> tuple[Batches, ...]:
        """The batches of the study: what its file says, else what its rehearsal showed."""
        told = tuple(p.batches for p in self.study.phases)
        return told or tuple(replace(b, origin=self.own(b.origin)) for b in plan(self.rehearsal))

    def own(self, text: str) -> str:
        """`text` with the user's own files in the place of their copies that were rehearsed."""
        return as_of(self.cwd, self.folder, text)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The steps that can be run by themselves.

        Raises:
            NotNow: the program has no call of Keras.
            Unanswered: there is none that could be captured.
        """
        found = tuple(self._of_subjects() if self.study.subjects else self._of_rehearsal())
        if not found and not self.rehearsal.of_kind(schema.CALL):
            raise NotNow("the program runs its steps itself, so they ran only in the rehearsal")
        if not found:
            raise Unanswered("no step of the study could be captured to be run by itself")
        return found

    @property
    def wanted_stages(self) -> tuple[Stage, ...]:
        """The same for a question that the rehearsal does not answer.

        Raises:
            Unanswered: there is none.
        """
        try:
            return self.stages
        except NotNow as why:
            raise Unanswered(str(why)) from why

    def _of_subjects(self) -> Iterator[Stage]:
        for number, name in enumerate(self.study.subjects):
            phases = [p.batches for p in self.study.phases if p.subject == name]
            sizes = _sizes(phases)
            subject = find(None, name, python=self.study.python, environment=self.environment)
            by_row = True if phases and all(p.phase == "predict" for p in phases) else None
            yield Stage(name, self._bench(subject, f"subject-{number}"), sizes, by_row)

    def _of_rehearsal(self) -> Iterator[Stage]:
        owners: dict[str, Any] = {t["capsule"]: t.get("owner") for t in self._traces}
        seen = set()
        again = {e["repeats"] for e in self.rehearsal.of_kind(schema.REHEARSAL) if e.get("repeats")}
        # A function that was traced for several sizes is one step: as the Keras call names it.
        found = sorted(steps(self.rehearsal, every=True), key=lambda s: not _is_of_call(s))
        for number, step in enumerate(found):
            call = step.keras_call
            if call is None or step.capsule is None or call["call"] in again:
                continue
            owner = owners.get(step.capsule) or step.capsule
            if owner in seen:
                continue
            seen.add(owner)
            subject = of_step(step.capsule, step)
            own = [b for b in plan(self.rehearsal) if self._is_of(b, step)]
            rehearsed = frozenset(n for b in own if b.ran for n in b.observed)
            sizes = _sizes([b for b in self.plan if self._is_of(b, step)]) or subject.sizes
            name = f"{call['method']} of {call.get('model')}"
            bench, others = self._bench(subject, f"step-{number}"), tuple(self._siblings(step, number))
            twins = tuple(self._twins(step, number))
            compiled = came_through(self.rehearsal, call["call"])
            fixed = fixed_batches(self.rehearsal).get(str(call.get("model")))
            yield Stage(name, bench, sizes, subject.by_row or None, others, twins, rehearsed, compiled, fixed)

    @cached_property
    def _traces(self) -> list[Event]:
        traces = self.rehearsal.of_kind(schema.TRACE)
        return [t for t in traces if t.get("parent") is None and t.get("capsule")]

    def _siblings(self, step: Step, number: int) -> Iterator[Bench]:
        own = next((t for t in self._traces if t["capsule"] == step.capsule), None)
        for trace in self._traces:
            if own is not None and trace is not own and trace.get("owner") == own.get("owner"):
                subject = of_step(trace["capsule"], replace(step, capsule=trace["capsule"]))
                yield self._bench(subject, f"step-{number}-{trace['capsule']}")

    def _twins(self, step: Step, number: int) -> Iterator[Twin]:
        events = [e for e in self.rehearsal.of_kind(schema.REHEARSAL) if e.get("switch")]
        for event in (e for e in events if e.get("capsule") == step.capsule):
            store, _, key = str(event["switch"]).partition(":")
            switch = Switch(store, key, event.get("value"), event.get("other"))
            twin = event.get("twin")
            if twin is None:
                yield Twin(switch, None, event.get("error") or "its capsule could not be kept")
            else:
                bench = self._bench(of_step(twin, replace(step, capsule=twin)), f"step-{number}-{key}")
                yield Twin(switch, bench)

    @staticmethod
    def _is_of(batches: Batches, step: Step) -> bool:
        method = (step.keras_call or {}).get("method")
        if batches.model is not None and batches.model != (step.keras_call or {}).get("model"):
            return False
        phases = {"fit": ("train",), "evaluate": ("evaluate", "validation"), "predict": ("predict",)}
        return batches.phase in phases.get(str(method), ())

    def _bench(self, subject: Subject, name: str) -> Bench:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        there = self._elsewhere
        bench = Bench(
            subject,
            folder,
            timeout=self.timeout,
            jobs=1 if there is None else there.slots,
            say=self.say,
            environment=self.environment,
            pool=self._pool,
            executor=None if there is None else there.executor,
            settings=self.study.environment,
        )
        self._benches.append(bench)
        return self._open.enter_context(bench)

    @property
    def places(self) -> dict[Where, list[str]]:
        """Where a cluster ran the steps, and at which sizes; empty where all of it ran here."""
        found: dict[Where, list[str]] = {}
        for bench in self._benches:
            for where, cases in bench.places.items():
                found.setdefault(where, []).extend(cases)
        return found

    @cached_property
    def _pool(self) -> Pool:
        """Workers for all steps: TensorFlow is imported once. Those that were given are not ended."""
        if self._given is not None:
            return self._given
        pool = Pool(1, worker_environment(self.environment, self.cwd), self.cwd, self.folder)
        self._open.callback(pool.close)
        return pool


def _is_of_call(step: Step) -> bool:
    return step.capsule is not None and (step.keras_call or {}).get("capsule") == step.capsule


def _sizes(batches: list[Batches]) -> tuple[int, ...]:
    return tuple(sorted({n for b in batches for n in b.sizes}, reverse=True))
