"""Work on a real dask cluster of this machine: the same answers, each once, also while workers are killed."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.xladoctor.experiments import fake
from tests.xladoctor.fleet.test_survey import HEALTHY, KILLED, write
from xladoctor.experiments.sweep import Asked, sweep
from xladoctor.fleet import surveying
from xladoctor.fleet.store import Store
from xladoctor.model.replay import Case, Outcome
from xladoctor.protocol import requests
from xladoctor.survey import batches
from xladoctor.workers import pool
from xladoctor.workers.bench import Bench

distributed = pytest.importorskip("distributed")

SIZES = tuple(range(1, 201))
FIRST_BAD = 120


class FakeProbes(distributed.WorkerPlugin):  # type: ignore[misc,unused-ignore]
    """Every process of the cluster has the worker that needs no TensorFlow."""

    name = "fake-probes"

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def setup(self, worker: object) -> None:
        pool.probes_dir = lambda: Path(self.folder)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cluster")
    (made / "probes/graph").mkdir(parents=True)
    (made / "probes/graph/worker.py").write_text(fake.WORKER)
    return made


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Any]:
    settings = {"distributed.scheduler.allowed-failures": 2, "distributed.admin.tick.limit": "60s"}
    with (
        __import__("dask").config.set(settings),
        distributed.LocalCluster(2, threads_per_worker=2, dashboard_address=None, local_directory=str(folder)) as made,
        distributed.Client(made) as client,
    ):
        client.register_plugin(FakeProbes(str(folder / "probes")))
        yield client


def bench(folder: Path, name: str, client: Any = None, **options: Any) -> Bench:
    from xladoctor.cluster.on_dask import OnDask

    folder.mkdir(exist_ok=True)
    executor = None if client is None else OnDask(client)
    return Bench(fake.subject(name, folder.parent), folder, executor=executor, **options)


def told(outcomes: tuple[Outcome, ...]) -> list[tuple[object, ...]]:
    return [(o.case.batch, o.state, o.message) for o in outcomes]


def journal(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "journal.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def test_workers_killed_at_random_during_200_tries(client: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same answer as on one machine, and each try has one answer in the journal."""
    monkeypatch.setattr(pool, "probes_dir", lambda: folder / "probes")
    asked = Asked(SIZES, exhaustive=True, by_row=True)
    with bench(folder / "local", f"fake:from.{FIRST_BAD}") as alone:
        expected = sweep(alone, asked)
    over, rng, killed = threading.Event(), random.Random(7), []

    def kill() -> None:
        while not over.wait(0.4):
            alive = [n.process.pid for n in client.cluster.workers.values() if n.process and n.process.pid]
            if alive and len(killed) < 6:
                killed.append(rng.choice(alive))
                os.kill(killed[-1], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    with bench(folder / "cluster", f"fake:from.{FIRST_BAD}", client, jobs=8) as spread:
        killer.start()
        try:
            found = sweep(spread, asked)
        finally:
            over.set()
            killer.join()
        assert killed
        assert found.complete
        assert told(found.outcomes) == told(expected.outcomes)
        assert found.rules == expected.rules
        lines = journal(folder / "cluster")
        asked_once = {json.dumps(entry["question"], sort_keys=True) for entry in lines}
        assert len(asked_once) == len(lines) >= len(SIZES)
        assert len(lines) == spread.tries
        assert len(spread.places) == 1
    with bench(folder / "cluster", f"fake:from.{FIRST_BAD}", client, jobs=8) as again:
        assert told(sweep(again, asked).outcomes) == told(expected.outcomes)
        assert again.tries == 0, "everything is in the journal"


def test_a_try_that_ends_its_process_is_an_answer_and_the_worker_of_dask_lives(client: Any, folder: Path) -> None:
    client.wait_for_workers(1, timeout=30)
    before = set(client.run(os.getpid).values())
    with bench(folder / "crash", "fake:die.8", client) as one:
        crash = one.ask(requests.Call(), Case(8))
        assert (crash.state, crash.kind) == ("crashed", "with exit code 3")
        assert one.ask(requests.Call(), Case(7)).ok
    assert set(client.run(os.getpid).values()) == before


def test_a_fleet_is_read_by_the_cluster(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xladoctor.cluster.on_dask import OnDask

    monkeypatch.setattr(surveying, "FEW", 2)
    monkeypatch.setattr(batches, "BATCH", 4)
    for number in range(20):
        write(tmp_path / f"logs/slurm-{number}.out", KILLED if number % 4 == 0 else HEALTHY)
    store = Store(tmp_path / "s.sqlite", "rules")
    found = surveying.survey([tmp_path / "logs"], store, now=1e9, jobs=4, executor=lambda: OnDask(client))
    assert (found.verdicts["failed"], found.causes[0].count, found.read) == (5, 5, 20)
    assert client.submit(sum, [1, 2]).result(timeout=30) == 3, "the client goes on"


def test_the_command(client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from xladoctor.__main__ import main

    write(tmp_path / "logs/slurm-1.out", KILLED)
    arguments = ["survey", str(tmp_path / "logs"), "--store", str(tmp_path / "s.sqlite"), "--quiet"]
    on = ["--on", f"dask:{client.scheduler.address}"]
    assert main([*arguments, *on]) == 1
    assert "process-killed" in capsys.readouterr().out
    assert main(["scan", str(tmp_path / "logs"), "--quiet", *on]) == 1
    assert "process-killed" in capsys.readouterr().out
