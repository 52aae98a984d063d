"""Which failures of the bench a worker could run again."""

import json

import pytest

from benchmarks.truth import runs_again

FAILED = {"kind": "failure", "state": "raised", "capsule": "7-1-f"}


@pytest.mark.parametrize(
    ("answer", "again"),
    [
        ({"capsule": "7-1-f", "request": "failing_op", "result": None}, True),
        ({"capsule": "7-1-f", "request": "again", "error": "the worker died"}, False),
        ({"capsule": "7-2-g", "request": "failing_op", "result": None}, False),
        ({"capsule": "7-1-f", "request": "pairing", "result": {}}, False),
        ({"capsule": "failure-7-1", "request": "remade", "result": {"error": {}}}, True),
        ({"capsule": "failure-7-1", "request": "remade", "result": None}, False),
    ],
)
def test_a_worker_had_what_it_takes(tmp_path, answer, again):
    (tmp_path / "events-7.jsonl").write_text(json.dumps(FAILED) + "\n")
    (tmp_path / "worker.jsonl").write_text(json.dumps(answer) + "\n")
    assert runs_again(tmp_path) is again


def test_without_a_worker_nothing_could_be_run_again(tmp_path):
    (tmp_path / "events-7.jsonl").write_text(json.dumps(FAILED) + "\n")
    assert runs_again(tmp_path) is False
