"""The bench: a subject, its warm workers, and what they answer.

A worker that dies, hangs or refuses is an answer like any other. Every answer goes into the journal first, so that an
interrupted replay goes on where it was.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar, cast

from xladoctor.model.replay import Case
from xladoctor.protocol import answers, codec, requests
from xladoctor.recording import mark
from xladoctor.workers.classify import gist
from xladoctor.workers.elsewhere import Elsewhere
from xladoctor.workers.environment import worker_environment
from xladoctor.workers.journal import NAME, Journal
from xladoctor.workers.pool import Kind, Pool
from xladoctor.workers.remote import Where, travels
from xladoctor.workers.subject import Subject
from xladoctor.workers.worker import WorkerDied, WorkerRefused, WorkerTimeout

TIMEOUT = 300.0
Say = Callable[[str], None]

T = TypeVar("T")


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What a worker answered. `refused`: it could not (`kind` is the name of its exception); nothing is known of the
    subject then. `crashed` and `timed-out` are results: the process ended so while it worked on the question.
    """

    state: Literal["ok", "refused", "crashed", "timed-out"]
    value: T | None = None
    """The result; None may be one, too."""
    kind: str | None = None
    message: str | None = None
    signal: str | None = None
    seconds: float = 0.0
    known: bool = False
    """It was in the journal; no worker was asked now."""

    @property
    def ok(self) -> bool:
        """Whether there is a result."""
        return self.state == "ok"

    @property
    def result(self) -> T:
        """The result of a question that was answered."""
        assert self.ok, f"there is no result: {self.why}"
        return cast(T, self.value)

    @property
    def why(self) -> str:
        """Why there is none, in a line."""
        return gist(self.message) or self.state


class Bench:
    """Asks workers about a subject. Use as a context manager; `ask` may be called from several threads.

    `tries` counts the questions that a worker got (not those that the journal answered), `compilations` what their
    results call so. `timeout` is in seconds, for each question. `settings` are the variables that the user named for
    this subject: of the environment, they alone travel to where an `executor` works.
    """

    def __init__(
        self,
        subject: Subject,
        folder: Path,
        *,
        timeout: float = TIMEOUT,
        jobs: int = 1,
        say: Say = lambda text: None,
        memory: int | None = None,
        environment: Mapping[str, str] = os.environ,
        pool: Pool | None = None,
        executor: Executor | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.subject = subject
        self.folder = folder
        self.jobs = jobs
        self.timeout = timeout
        self.say = say
        self.tries = 0
        self.compilations = 0
        self._stopped = False
        self._lock = threading.Lock()
        self._capturing = threading.Lock()
        self._journal = Journal(folder / NAME)
        self.resumed = self._journal.kept
        # Several benches may share workers, whoever made the pool ends it.
        self._own = pool is None
        # A capsule needs nothing of the folder that it lies in, which may be a stranger's.
        cwd = subject.cwd if subject.kind == "callable" else None
        self._elsewhere = None if executor is None else Elsewhere(executor, cwd, memory, settings)
        self._pool = pool or Pool(jobs + 2, worker_environment(environment, cwd), cwd, folder, memory)

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._own:
            self._pool.close()
        self._journal.close()

    def ask(self, request: requests.Request[T], case: Case, *, timeout: float | None = None) -> Answer[T]:
        """The answer of a worker to a question about the subject in this case.

        The environment, the interpreter and the configuration of `case.vary` decide which worker is asked. Questions
        about graphs are asked of a capsule: of a callable it is captured first, at this size, unless the request names
        one. The batch and what else is known of the subject are put into the request here.
        """
        if isinstance(request, requests.OfCapsule) and not request.capsule and self.subject.folder is None:
            captured = self.capture(case)
            if not captured.ok:
                return _without_result(captured)
            request = replace(request, capsule=captured.result.capsule)
        return self._ask(self.subject.about(request, case), case, timeout)

    def capture(self, case: Case) -> Answer[answers.Captured]:
        """A callable as a capsule at this size. Of a capsule: itself."""
        if self.subject.folder is not None:
            return Answer("ok", answers.Captured(str(self.subject.folder), False), known=True)
        name = f"{(self.subject.callable or '').replace(':', '.')}-{case.batch}-{digest(case)}"
        folder = self.folder / "capsules" / name
        way: requests.Way = "xla" if dict(case.vary).get("jit") == "on" else "graph"
        request = self.subject.about(requests.Capture(folder=str(folder), way=way), case)
        with self._capturing:
            answer = self._ask(request, case, None)
            if answer.ok and not (folder / "capsule.json").is_file():
                answer = self._ask(request, case, None, again=True)
        return answer

    def open_folder(self, case: Case, again: bool = False) -> Path:
        """Where a callable is kept as a capsule that takes any number of rows; `again`: of one that was built twice."""
        return self.folder / "capsules" / f"{'again' if again else 'open'}-{case.batch}-{digest(case)}"

    def stop(self) -> None:
        """End all questions at once; those who asked get a KeyboardInterrupt, and the journal keeps what is known."""
        self._stopped = True
        self._pool.stop()

    def _ask(self, request: requests.Request[T], case: Case, timeout: float | None, again: bool = False) -> Answer[T]:
        asked = request.to_json()
        question = {"op": asked.pop("op"), "case": asdict(case), "request": asked}
        known = None if again else self._journal.get(question)
        if known is not None:
            return _typed(request, Answer(**{_NAMES.get(k, k): v for k, v in known.items()}, known=True))
        started = time.monotonic()
        answer = self._answered(request, case, timeout or self.timeout)
        if self._stopped:
            # The worker was killed by us: its death says nothing.
            raise KeyboardInterrupt
        answer = replace(answer, seconds=round(time.monotonic() - started, 3))
        with self._lock:
            self.tries += 1
            if isinstance(answer.value, dict):
                self.compilations += int(answer.value.get("compilations") or 0)
        self._journal.keep(question, {f: getattr(answer, _NAMES.get(f, f)) for f in _FIELDS})
        return _typed(request, answer)

    @property
    def places(self) -> dict[Where, list[str]]:
        """Where the cluster answered, and which cases; of this machine nothing is said."""
        return {} if self._elsewhere is None else self._elsewhere.places

    def _answered(self, request: requests.Request[Any], case: Case, timeout: float) -> Answer[Any]:
        kind, elsewhere = _kind(self.subject, case), self._elsewhere
        if elsewhere is None or not travels(request.to_json()):
            return self._from_worker(request, kind, timeout)
        told = elsewhere.ask(request.to_json(), kind, case, timeout, lambda: self._stopped)
        return Answer(**told)

    def _from_worker(self, request: requests.Request[Any], kind: Kind, timeout: float) -> Answer[Any]:
        """The answer with its result as JSON has it."""
        asked = request.to_json()
        with self._pool.worker(kind) as worker:
            if self._stopped:
                raise KeyboardInterrupt
            try:
                return Answer("ok", worker.request(asked.pop("op"), timeout=timeout, **asked))
            except WorkerRefused as error:
                return Answer("refused", kind=error.type, message=error.message)
            except WorkerTimeout as error:
                return Answer("timed-out", message=str(error))
            except WorkerDied as error:
                how = f"by {error.signal}" if error.signal else f"with exit code {error.exit}"
                return Answer("crashed", kind=how, message=f"{error}\n{error.tail}", signal=error.signal)


_FIELDS = ("state", "result", "kind", "message", "signal", "seconds")
"""What the journal keeps of an answer."""
_NAMES = {"result": "value"}


def _typed(request: requests.Request[T], answer: Answer[Any]) -> Answer[T]:
    """The answer with its result as the protocol says; one that is none of it says nothing of the subject."""
    if not answer.ok:
        return answer
    try:
        return replace(answer, value=request.answer(answer.value))
    except codec.Misfit as error:
        why = f"the answer to {request.OP!r} cannot be read: {error}"
        return replace(answer, state="refused", value=None, kind="Misfit", message=why)


def _without_result(answer: Answer[Any]) -> Answer[Any]:
    """An answer that has none, in the place of another one."""
    return replace(answer, value=None)


def _kind(subject: Subject, case: Case) -> Kind:
    """The worker that a case needs. Configuration is global in a process: another value needs another process."""
    vary = dict(case.vary)
    return Kind(
        vary.get("python", subject.python),
        tuple((n[4:], v) for n, v in case.vary if n.startswith("env:")),
        tuple((n[4:], v) for n, v in case.vary if n.startswith("cfg:")),
    )


def digest(case: Case) -> str:
    """A short name for a case, the same in every process; made with the user's key: no value can be guessed from it."""
    return (mark.make(repr(case)) or hashlib.sha256(repr(case).encode()).hexdigest())[:8]
