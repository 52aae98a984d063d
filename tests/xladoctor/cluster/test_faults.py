"""Faults of a cluster, without TensorFlow: a scheduler that is started again, jobs that end at their walltime, a try
that ran twice, a file that another machine does not see yet.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.xladoctor.experiments import fake
from tests.xladoctor.fleet.test_survey import HEALTHY, KILLED, write
from tests.xladoctor.workers.test_remote import Here
from xladoctor.cluster.on_dask import LostWork, OnDask
from xladoctor.cluster.opened import kept
from xladoctor.errors import XladoctorError
from xladoctor.experiments.sweep import Asked, sweep
from xladoctor.fleet import read, surveying
from xladoctor.fleet.store import Store
from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.workers import remote

distributed = pytest.importorskip("distributed")

SIZES, FIRST_BAD = tuple(range(1, 61)), 40


@pytest.fixture(autouse=True)
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.setattr(remote, "_process", None)
    quick = {"distributed.deploy.lost-worker-timeout": "100ms", "distributed.comm.timeouts.connect": "2s"}
    with __import__("dask").config.set(quick):
        yield


@contextlib.contextmanager
def dask(port: int = 0) -> Iterator[Any]:
    """A scheduler and two workers, in threads of this process, that speak over the network."""
    with distributed.LocalCluster(
        2, threads_per_worker=1, processes=False, protocol="tcp://", host="127.0.0.1", scheduler_port=port,
        dashboard_address=None, silence_logs=50,
    ) as made:  # fmt: skip
        yield made


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def assert_each_once(bench: Any, found: Any, folder: Path) -> None:
    """All sizes have their answer, and the journal has one line for each try."""
    assert found.complete and [o.case.batch for o in found.outcomes if o.bad] == list(range(FIRST_BAD, SIZES[-1] + 1))
    lines = [json.loads(line) for line in (folder / "replay/journal.jsonl").read_text().splitlines()]
    asked = {json.dumps(line["question"], sort_keys=True) for line in lines}
    assert len(lines) == len(asked) == bench.tries >= len(SIZES)


def once_asked(bench: Any, tries: int, then: Any) -> threading.Thread:
    """Does something, in another thread, as soon as so many tries have an answer."""

    def look() -> None:
        while bench.tries < tries:
            time.sleep(0.005)
        then()

    made = threading.Thread(target=look)
    made.start()
    return made


def test_the_scheduler_is_started_again(tmp_path: Path) -> None:
    port, running = free_port(), contextlib.ExitStack()
    first = running.enter_context(dask(port))
    with distributed.Client(first.scheduler_address) as client, contextlib.ExitStack() as second:

        def restart() -> None:
            running.close()
            second.enter_context(dask(port))

        with fake.make_bench(f"fake:from.{FIRST_BAD}", tmp_path, executor=OnDask(client, 0.3), jobs=8) as bench:
            restarting = once_asked(bench, 15, restart)
            found = sweep(bench, Asked(SIZES, exhaustive=True, by_row=True))
            restarting.join()
            assert_each_once(bench, found, tmp_path)


def test_a_task_that_no_scheduler_knows_is_lost_and_not_waited_for() -> None:
    class Client:
        """Its scheduler went away between two messages; the new one was told nothing of this task."""

        status, asked = "running", 0

        def submit(self, fn: Any, *args: Any, **options: Any) -> Any:
            return type("Sent", (), {"key": "sum-1", "add_done_callback": lambda self, done: None})()

        def run_on_scheduler(self, asking: Any, keys: list[str]) -> list[str]:
            self.asked += 1
            return asking(keys, type("Scheduler", (), {"tasks": {}}))  # type: ignore[no-any-return]

    client = Client()
    future = OnDask(client, 0.01).submit(sum, [1, 2])  # type: ignore[arg-type]
    with pytest.raises(LostWork, match="no scheduler knows"):
        future.result(timeout=20)
    assert client.asked == 2, "once is no proof: the task may be under way to it"


def test_a_scheduler_that_is_gone_ends_the_replay_with_a_sentence(tmp_path: Path) -> None:
    with dask() as cluster:
        client = distributed.Client(cluster.scheduler_address)
        client.close()
        with (
            fake.make_bench("fake:pass", tmp_path, executor=OnDask(client)) as bench,
            pytest.raises(XladoctorError, match="lost the try of batch 4") as raised,
        ):
            bench.ask(requests.Call(), Case(4))
    assert raised.value.exit_code == 3 and "--resume" in (raised.value.hint or "")


def test_jobs_that_end_at_their_walltime_are_replaced(tmp_path: Path) -> None:
    class Jobs:
        """As dask-jobqueue counts them."""

        def scale(self, jobs: int) -> None:
            cluster.scale(jobs)

    with dask() as cluster, distributed.Client(cluster) as client:

        def end() -> None:
            for worker in list(cluster.workers.values()):
                cluster.sync(worker.close)

        with fake.make_bench(f"fake:from.{FIRST_BAD}", tmp_path, executor=OnDask(client), jobs=8) as bench:
            ending = once_asked(bench, 15, end)
            with kept(Jobs(), 2, every=0.1):
                found = sweep(bench, Asked(SIZES, exhaustive=True, by_row=True))
            ending.join()
            assert_each_once(bench, found, tmp_path)


def test_a_try_that_ran_twice_counts_once(tmp_path: Path) -> None:
    class Forgets(Here):
        """The first answer is lost after the work was done."""

        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            future = super().submit(fn, *args, **kwargs)
            if len(self.sent) == 1:
                future = type(future)()
                future.set_exception(LostWork("gone"))
            return future

    forgets = Forgets()
    with fake.make_bench("fake:from.3", tmp_path, executor=forgets) as bench:
        assert bench.ask(requests.Call(), Case(4)).result.outcome == "failed"
        assert (len(forgets.sent), bench.tries) == (2, 1)
    assert [batch for _, _, batch, _ in fake.asked(tmp_path)] == ["4", "4"], "it did run twice"
    assert len((tmp_path / "replay/journal.jsonl").read_text().splitlines()) == 1


def test_a_file_that_another_machine_does_not_see_yet_is_read_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveying, "FEW", 2)
    for number in range(12):
        write(tmp_path / f"logs/slurm-{number}.out", KILLED if number % 4 == 0 else HEALTHY)

    class Lags(Here):
        """What works elsewhere does not see every file."""

        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            with monkeypatch.context() as there:
                there.setattr(read, "stamp_of", late)
                return super().submit(fn, *args, **kwargs)

    seen = read.stamp_of

    def late(target: Any) -> Any:
        if target.name.endswith(("-4.out", "-5.out")):
            raise FileNotFoundError(2, "No such file or directory", target.name)
        return seen(target)

    store = Store(tmp_path / "s.sqlite", "rules")
    found = surveying.survey([tmp_path / "logs"], store, now=1e9, jobs=2, executor=Lags)
    assert (found.runs, found.unreadable, found.verdicts["failed"], found.verdicts["healthy"]) == (12, 0, 3, 9)
    again = surveying.survey([tmp_path / "logs"], store, now=1e9)
    assert (again.runs, again.read, again.verdicts) == (12, 0, found.verdicts)
