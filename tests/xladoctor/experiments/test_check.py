"""Which functions are compared after a run, for how long, and what is said of those that could not be."""

from __future__ import annotations

import pytest

from tests.xladoctor.answered import whole
from tests.xladoctor.recordings import Run
from xladoctor.experiments import check
from xladoctor.experiments.check import MAX_FUNCTIONS, budget, has_time, to_check
from xladoctor.protocol import answers
from xladoctor.recording.run import read_run
from xladoctor.workers import worker as workers
from xladoctor.workers.worker import WorkerDied, WorkerTimeout


def recording(tmp_path, names=("f", "g", "f"), **run):
    made = Run(**run)
    for n, name in enumerate(names):
        made.trace(f"7-{n}-{name}", name, f"g{n}", xla=True)
        made.event("first-call", capsule=f"7-{n}-{name}", kept=True, why=None, bytes=4)
    return read_run(made.write(tmp_path / "run"))


class Worker:
    """Answers, or raises what is on its list."""

    def __init__(self, *results):
        self.results = list(results)
        self.asked = []

    ask = workers.Worker.ask

    def request(self, op, *, timeout=None, **params):
        if op == "hello":
            return whole(answers.Hello, {})
        self.asked.append(params)
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


@pytest.mark.parametrize(
    ("seconds", "asked", "expected"),
    [(None, None, 5.0), (10, None, 5.0), (200, None, 10.0), (10_000, None, 30.0), (10_000, 2.0, 2.0)],
)
def test_the_budget(seconds, asked, expected):
    assert budget(seconds, asked) == expected


@pytest.mark.parametrize(
    ("end", "expected"), [(None, True), ("1000", False), ("1119", False), ("1400", True), ("?", True)]
)
def test_near_the_end_of_a_job_nothing_is_checked(end, expected):
    environment = {} if end is None else {"SLURM_JOB_END_TIME": end}
    assert has_time(environment, now=lambda: 1000.0) == expected


@pytest.mark.parametrize(
    ("seconds", "slowdown", "expected"), [(5.0, 1.0, 5.0), (5.0, 3.0, 15.0), (20.0, 4.0, 30.0), (40.0, 9.0, 40.0)]
)
def test_where_others_use_the_machine_the_same_work_takes_longer(seconds, slowdown, expected):
    worker = Worker()
    worker.slowdown = slowdown
    assert check.stretched(worker, seconds) == expected


def test_each_function_before_any_is_taken_twice(tmp_path):
    assert to_check(recording(tmp_path, ("f", "f", "g"))) == ["7-0-f", "7-2-g", "7-1-f"]


def test_a_run_that_was_ended_is_not_checked(tmp_path):
    outcome = {"state": "signalled", "signal": "SIGTERM", "probes": "recorded"}
    assert to_check(recording(tmp_path, outcome=outcome)) == []


def test_a_run_that_its_program_ended_is_checked(tmp_path):
    """It may have met a wrong result of a call that raised nothing."""
    outcome = {"state": "exited", "code": 1, "probes": "recorded"}
    assert len(to_check(recording(tmp_path, outcome=outcome))) == 3


def test_what_takes_too_long_is_not_checked(tmp_path):
    run = recording(tmp_path)
    times = iter([0.0, 1.0, 4.0, 6.0])
    worker = Worker({"result": "agrees"}, WorkerTimeout("agreement", 1.0))
    told = list(check.answers(worker, run, to_check(run), 5.0, lambda: next(times)))
    assert [a.told["result"] for a in told] == ["agrees", "not-checked", "not-checked"]
    assert all("--check-budget" in a.told["why"] for a in told[1:])
    assert len(worker.asked) == 2


def test_a_worker_that_dies_is_asked_once_more_for_less(tmp_path):
    run = recording(tmp_path, ("f",))
    worker = Worker(WorkerDied(None, "SIGABRT", ""), {"result": "diverges"})
    assert [a.told["result"] for a in check.answers(worker, run, to_check(run), 60.0)] == ["diverges"]
    assert [bool(p.get("whole")) for p in worker.asked] == [False, True]
    worker = Worker(*[WorkerDied(None, "SIGABRT", "")] * 2)
    [answer] = check.answers(worker, run, to_check(run), 60.0)
    assert "SIGABRT" in answer.told["why"]


def test_only_so_many_are_checked(tmp_path):
    names = [f"f{n}" for n in range(MAX_FUNCTIONS + 1)]
    run = recording(tmp_path, names)
    told = list(check.answers(Worker(*[{"result": "agrees"}] * MAX_FUNCTIONS), run, to_check(run), 60.0))
    assert [a.told["result"] for a in told].count("agrees") == MAX_FUNCTIONS
    assert len(told) == len(names)


def test_later_calls_come_after_all_first_ones(tmp_path):
    made = Run()
    for n, name in enumerate("fgh"):
        made.trace(f"7-{n}-{name}", name, f"g{n}", xla=True)
        made.event("first-call", capsule=f"7-{n}-{name}", kept=True, why=None, bytes=4)
        made.event("later-call", capsule=f"7-{n}-{name}", call=2, bytes=4)
    run = read_run(made.write(tmp_path / "run"))
    diverges = {"result": "diverges", "calls": 1, "call": 2}
    worker = Worker(
        {"result": "agrees"},
        {"result": "diverges"},
        {"result": "agrees"},
        diverges,
        {"result": "not-checked", "calls": 0},
    )
    told = list(check.answers(worker, run, to_check(run), 8.0, lambda: 0.0))
    assert [(a.capsule, a.later) for a in told] == [
        ("7-0-f", False), ("7-1-g", False), ("7-2-h", False), ("7-0-f", True),
    ]  # fmt: skip
    assert [p.get("later") for p in worker.asked] == [None, None, None, 4.0, 8.0]
