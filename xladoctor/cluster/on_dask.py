"""An executor whose work runs on dask's workers. What is submitted is a function of ours by its name, and plain values.

Dask runs a task again where the worker that had it is lost, and gives one answer. Where it gives up (the task was lost
with several workers) or has lost the task itself (the scheduler was started again), the future says that the executor
is broken, as that of a pool of processes does.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import TYPE_CHECKING, Any

from xladoctor import __version__
from xladoctor.errors import XladoctorError

if TYPE_CHECKING:
    from distributed import Client

_LOST = ("KilledWorker", "CancelledError", "FutureCancelledError", "CommClosedError", "TimeoutError")
_FOREIGN = (
    "a worker has another xladoctor than {}: {}",
    "Install the same one on the workers, in the environment in which dask runs there.",
)


class LostWork(BrokenExecutor):
    """The cluster lost a task, and nothing is known of its answer."""


class OnDask(Executor):
    """Work on the workers of a client, which stays open."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a module's function on some worker."""
        given: Future[Any] = Future()
        sent = self._client.submit(fn, *args, **kwargs, pure=False)

        def done(future: Any) -> None:
            if not given.set_running_or_notify_cancel():
                return
            error = (
                LostWork("dask cancelled the task") if future.status in ("cancelled", "lost") else future.exception()
            )
            if error is not None and type(error).__name__ in _LOST:
                error = LostWork(str(error))
            if error is not None:
                given.set_exception(error)
            else:
                given.set_result(future.result())

        sent.add_done_callback(done)
        return given

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """The client is another's: nothing is closed."""


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
