"""What `survey` does, without a command line: opens the store, brings it up to date, and gives the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xladoctor.model.fleet import Fleet


def survey(
    roots: Sequence[Path],
    *,
    now: float,
    store: Path | None = None,
    since: float | None = None,
    jobs: int | None = None,
    on: str = "local",
    progress: Callable[[int, int], None] | None = None,
) -> Fleet:
    """The runs below some folders by root cause. `since` and `now` are seconds since 1970; `store` is the file in which
    what was found is kept; `on` is where logs are read (`local`, `dask:ADDRESS`, `slurm`).

    Raises:
        XladoctorError: (exit code 2) a folder cannot be read, or the store cannot be used.
    """
    from xladoctor.cluster.opened import opened
    from xladoctor.fleet import read
    from xladoctor.fleet.store import Store, default_file
    from xladoctor.fleet.surveying import survey as surveyed

    with opened(on, jobs) as cluster:
        known = Store(store or default_file(), read.rules())
        try:
            executor = None if cluster is None else (lambda: cluster.executor)
            jobs = jobs if cluster is None else cluster.slots
            return surveyed(roots, known, now=now, since=since, jobs=jobs, executor=executor, progress=progress)
        finally:
            known.close()
