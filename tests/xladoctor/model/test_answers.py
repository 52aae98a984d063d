"""Answers of workers, as `worker.jsonl` keeps them, and what a capsule says of itself."""

import json

import pytest

from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.capsule import Capsule
from xladoctor.recording.contents import answer_of, capsule_of

NO_ROWS = {"result": "no-rows"}
ANSWERS = [
    WorkerAnswer("7-1-f", "failing_op", batch=4),
    WorkerAnswer("7-1-f", "pairing", NO_ROWS),
    WorkerAnswer("7-1-f", "agreement", {"result": "agrees", "calls": 2}, later=True),
    WorkerAnswer("7-1-f", "shapes", error="WorkerDied: SIGABRT", batch=3),
    WorkerAnswer("7-1-f", "optimizers", why="WorkerTimeout: 9 s"),
    WorkerAnswer("7-1-f", "birth", asked={"graph": "g1", "axis": 0}),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda a: a.request)
def test_an_answer_is_read_as_it_was_written(answer):
    assert answer_of(json.loads(json.dumps(answer.to_json()))) == answer


def test_that_there_is_nothing_is_written_and_is_no_missing_answer():
    nothing = WorkerAnswer("7-1-f", "failing_op")
    assert nothing.is_nothing and nothing.to_json() == {"capsule": "7-1-f", "request": "failing_op", "result": None}
    assert not WorkerAnswer("7-1-f", "failing_op", error="it died").is_nothing
    assert answer_of({"capsule": "7-1-f", "request": "failing_op"}) is None


@pytest.mark.parametrize(
    "wrong", [{"capsule": "../x"}, {"batch": "4"}, {"later": "yes"}, {"error": 3}, {"result": {"op": 1}}, {"asked": []}]
)
def test_what_has_another_type_is_no_answer(wrong):
    line = {"capsule": "7-1-f", "request": "failing_op", "result": None}
    assert answer_of(line) is not None and answer_of({**line, **wrong}) is None


def test_what_is_said_of_an_answer_without_an_object():
    assert WorkerAnswer("7-1-f", "baked", [{"op": "Reshape"}]).told == {}
    assert WorkerAnswer("7-1-f", "pairing", NO_ROWS).told == NO_ROWS


def test_a_capsule_without_what_has_another_type_than_it_should():
    told = {"graphs": {"g1": ["f"]}, "xla": True, "complete": False}
    assert capsule_of(told, {"data": "exact"}) == Capsule({"g1": ["f"]}, True, False, True, "exact")
    assert capsule_of({**told, "graphs": ["g1"], "xla": None}, {"data": 3}) == Capsule(complete=False)
    assert capsule_of({}, {}) == Capsule(known=False)
