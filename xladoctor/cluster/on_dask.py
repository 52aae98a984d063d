"""An executor whose work runs on dask's workers. What is submitted is a function of ours by its name, and plain values.

Dask runs a task again where the worker that had it is lost, and gives one answer. Where it gives up (the task was lost
with several workers) or has lost the task itself (the scheduler was started again), the future says that the executor
is broken, as that of a pool of processes does.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import TYPE_CHECKING, Any

from xladoctor import __version__
from xladoctor.errors import XladoctorError

if TYPE_CHECKING:
    from distributed import Client

_LOST = (
    "KilledWorker", "CancelledError", "FutureCancelledError", "CommClosedError", "TimeoutError", "ClosedClientError",
)  # fmt: skip
_LOOK = 10.0
_FOREIGN = (
    "a worker has another xladoctor than {}: {}",
    "Install the same one on the workers, in the environment in which dask runs there.",
)


class LostWork(BrokenExecutor):
    """The cluster lost a task, and nothing is known of its answer."""


class OnDask(Executor):
    """Work on the workers of a client, which stays open.

    A task that is sent in the moment in which a scheduler goes away can be known to nobody afterwards, and its future
    would wait for ever. So every `look` seconds the scheduler is asked which of the open tasks it knows.
    """

    def __init__(self, client: Client, look: float = _LOOK) -> None:
        self._client, self._look = client, look
        self._open: dict[str, Future[Any]] = {}
        self._lock = threading.Lock()
        self._looking = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a module's function on some worker."""
        given: Future[Any] = Future()
        try:
            sent = self._client.submit(fn, *args, **kwargs, pure=False)
        except Exception as error:
            if type(error).__name__ not in _LOST:
                raise
            given.set_exception(LostWork(f"dask takes no more work: {error}"))
            return given
        with self._lock:
            self._open[sent.key] = given
            if not self._looking:
                self._looking = True
                threading.Thread(target=self._watch, name="xladoctor-dask", daemon=True).start()

        sent.add_done_callback(lambda future: self._end(future.key, *_answer(future)))
        return given

    def _end(self, key: str, error: BaseException | None, result: Any = None) -> None:
        """Give the answer of a task, once."""
        with self._lock:
            given = self._open.pop(key, None)
        if given is None or not given.set_running_or_notify_cancel():
            return
        if error is not None:
            given.set_exception(error)
        else:
            given.set_result(result)

    def _watch(self) -> None:
        """End what no scheduler knows, two looks in a row, for as long as anything is open."""
        suspects: set[str] = set()
        while True:
            time.sleep(self._look)
            with self._lock:
                keys = list(self._open)
                if not keys:
                    self._looking = False
                    return
            status, missing = self._client.status, list[str]()
            if status == "closed":
                missing = keys
            elif status == "running":
                # A scheduler that goes away just now is asked again.
                with contextlib.suppress(Exception):
                    missing = self._client.run_on_scheduler(unknown, keys)
            for key in suspects.intersection(missing):
                self._end(key, LostWork("no scheduler knows the task"))
            suspects = set(missing)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """The client is another's: nothing is closed."""


def _answer(future: Any) -> tuple[BaseException | None, Any]:
    """The error of a task of dask, or its result: that can be lost, too, before it is here."""
    try:
        error = LostWork("dask cancelled the task") if future.status in ("cancelled", "lost") else future.exception()
        result = future.result() if error is None else None
    except BaseException as raised:
        error, result = raised, None
    if error is not None and type(error).__name__ in _LOST:
        error = LostWork(str(error))
    return error, result


def unknown(keys: list[str], dask_scheduler: Any = None) -> list[str]:
    """The tasks that a scheduler does not know; it calls this."""
    return [key for key in keys if key not in dask_scheduler.tasks]


def checked(client: Client, seconds: float = 60.0) -> None:
    """See that the workers have this doctor.

    Raises:
        XladoctorError: there is no worker in time, or they have another one, or none.
    """
    from xladoctor.workers import remote

    try:
        client.wait_for_workers(1, timeout=seconds)
    except Exception as error:
        raise XladoctorError(
            f"no worker of the cluster was there within {seconds:g} s", exit_code=3, hint="dask worker ADDRESS"
        ) from error
    try:
        version = client.submit(remote.about, pure=False).result()
    except ImportError as error:
        raise XladoctorError(_FOREIGN[0].format(__version__, error), exit_code=3, hint=_FOREIGN[1]) from error
    if version != __version__:
        raise XladoctorError(_FOREIGN[0].format(__version__, version), exit_code=3, hint=_FOREIGN[1])
