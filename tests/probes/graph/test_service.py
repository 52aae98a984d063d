"""What a worker answers, asked in this process; the process itself is tested from the doctor's end."""

from __future__ import annotations

import json

import pytest

from probes.graph.service import Service
from probes.protocol import requests
from probes.schema import WORKER_SCHEMA


def ask(service, op, **params):
    answer = service.answer(json.dumps({"id": 7, "op": op, **params}))
    assert answer["id"] == 7
    json.dumps(answer, allow_nan=False)
    return answer["result"] if answer["ok"] else answer["error"]


def test_hello_needs_no_tensorflow():
    told = ask(Service(), "hello")
    assert told["schema"] == WORKER_SCHEMA
    assert told["tensorflow"] is None


@pytest.mark.parametrize("line", ["", "{", "[1]", '"text"', "null", '{"op": null}', '{"id": 1, "op": "no such"}'])
def test_rubbish_is_answered(line):
    answer = Service().answer(line)
    assert answer["ok"] is False
    assert answer["error"]["message"]


def test_a_question_without_its_capsule():
    assert ask(Service(), "shapes") == {"type": "BadRequest", "message": "shapes: FindShapes needs 'wanted'"}
    assert ask(Service(), "run") == {"type": "BadRequest", "message": "run needs 'capsule'"}


@pytest.mark.slow
def test_every_question_about_a_capsule(patient):
    service = Service()
    folder, uids, _ = patient("fit", broken=True, jit=True)
    capsule = str(folder)
    told = ask(service, "load", capsule=capsule)
    assert (told["python_name"], told["filled"], told["unsafe_ops"]) == ("multi_step_on_iterator", [], {})
    assert told["nodes"] > 300
    assert ask(service, "failing_op", capsule=capsule)["inner_node"] == "Reshape_1"
    (warp,) = [u for u in uids.names if u.endswith(":warp")]
    shapes = ask(service, "shapes", capsule=capsule, wanted=[{"id": "w", "graph": warp, "tensors": ["images:0"]}])
    assert len(shapes["occurrences"]["w"]) == 2
    assert ask(service, "run", capsule=capsule)["outcome"] == "failed"
    assert ask(service, "run", capsule=capsule, jit=True)["outcome"] == "failed"
    assert ask(service, "compare", capsule=capsule)["xla"]["outcome"] == "failed"
    lowered = ask(service, "lower", capsule=capsule)
    assert lowered["hlo"] is None
    assert "requested shape" in lowered["error"]["message"]
    where = ask(service, "sources", capsule=capsule, nodes=["any/layer/PartitionedCall/Reshape_1", "nowhere"])
    assert {f["frames"][-1][2] for f in where["any/layer/PartitionedCall/Reshape_1"]} == {"warp"}
    assert where["nowhere"] == []
    assert ask(service, "load", capsule=capsule, foreign=True)["name"] == told["name"]


@pytest.mark.slow
def test_only_the_last_capsules_are_kept(patient, plain):
    service = Service()
    for folder in (patient("fit", broken=True, jit=False)[0], patient("evaluate")[0], plain("chunks", fail=False)[0]):
        ask(service, "failing_op", capsule=str(folder))
    assert len(service._steps) == 2


@pytest.mark.slow
def test_a_missing_capsule(tmp_path):
    told = ask(Service(), "failing_op", capsule=str(tmp_path / "nowhere"))
    assert told["type"] == "BadCapsule"


def test_every_operation_has_somebody_who_answers_it():
    assert set(Service()._answers) == set(requests.REQUESTS.values())


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"op": "run", "capsule": "c", "batch": "4"}, "run: batch: '4' stands where"),
        ({"op": "run", "capsule": "c", "jitt": True}, "run: there is no 'jitt'"),
        ({"op": "spot", "capsule": "c"}, "spot: DescribeOp needs 'ops'"),
        ({"op": "call", "batch": 4}, "call needs 'subject'"),
    ],
)
def test_a_request_that_does_not_fit_is_refused_before_anything_is_loaded(asked, says):
    told = ask(Service(), asked.pop("op"), **asked)
    assert told["type"] == "BadRequest" and says in told["message"]


def test_an_answer_that_the_protocol_does_not_know_is_none(monkeypatch):
    service = Service()
    service._answers[requests.Hello] = lambda request: {"schema": 3}
    assert ask(service, "hello")["type"] == "Misfit"
