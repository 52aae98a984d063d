"""Warm workers, one kind for each environment: taken, used by one thread at a time, and given back."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from xladoctor.recording.schema import probes_dir
from xladoctor.workers.worker import Worker


@dataclass(frozen=True)
class Kind:
    """What a worker process must be started with. `config` is set once in a process, before anything is built."""

    python: str
    environment: tuple[tuple[str, str], ...] = ()
    config: tuple[tuple[str, str], ...] = ()


class Pool:
    """At most `size` idle workers are kept; which kind was used longest ago is ended first."""

    def __init__(
        self, size: int, environment: Mapping[str, str], cwd: Path | None, folder: Path, memory: int | None = None
    ) -> None:
        self._size = size
        self._environment = dict(environment)
        self._cwd = cwd
        self._folder = folder
        self._memory = memory
        self._idle: list[tuple[Kind, Worker]] = []
        self._busy: list[Worker] = []
        self._lock = threading.Lock()
        self._count = 0
        self._closed = False

    @contextmanager
    def worker(self, kind: Kind) -> Iterator[Worker]:
        """A worker of this kind: a warm one if there is one."""
        worker = self._take(kind)
        try:
            yield worker
        except BaseException:
            # Interrupted: what it would still answer is about a question that nobody waits for.
            worker.kill()
            raise
        finally:
            self._give(kind, worker)

    def stop(self) -> None:
        """Kill every worker that is at work; their questions end at once."""
        with self._lock:
            self._closed = True
            busy = list(self._busy)
        for worker in busy:
            worker.kill()

    def close(self) -> None:
        """End every idle worker."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, worker in idle:
            worker.close()

    def _take(self, kind: Kind) -> Worker:
        with self._lock:
            for index in reversed(range(len(self._idle))):
                if self._idle[index][0] == kind:
                    worker = self._idle.pop(index)[1]
                    break
            else:
                self._count += 1
                worker = Worker(
                    kind.python,
                    probes_dir(),
                    env={**self._environment, **dict(kind.environment)},
                    cwd=self._cwd,
                    log=self._folder / f"worker-{self._count}.log",
                    memory=self._memory,
                )
            self._busy.append(worker)
        return worker

    def _give(self, kind: Kind, worker: Worker) -> None:
        with self._lock:
            self._busy.remove(worker)
            ended = [worker] if self._closed else []
            if not ended:
                self._idle.append((kind, worker))
                while len(self._idle) > self._size:
                    ended.append(self._idle.pop(0)[1])
        for one in ended:
            one.close()
