"""Subjects of the user's own: built, called in each way, with and without a shared trace, captured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probes.graph.service import Service

pytestmark = pytest.mark.slow
HERE = f"{__package__}.calls"


@pytest.fixture(scope="module")
def service():
    return Service()


@pytest.fixture
def ask(service):
    def request(op, name, batch=None, **parameters):
        asked = {"id": 1, "op": op, "subject": f"{HERE}:{name}", "batch": batch, **parameters}
        answer = service.answer(json.dumps(asked))
        json.dumps(answer, allow_nan=False)
        return answer["result"] if answer["ok"] else answer["error"]

    return request


def test_described(ask):
    told = ask("describe", "simple")
    assert told["parameters"] == ["scale"] and told["by_row"] is None and told["file"].endswith("calls.py")
    assert ask("describe", "itself")["by_row"] is True


@pytest.mark.parametrize(
    ("name", "says"),
    [("absent", "has no absent"), ("number", "cannot be called"), ("simple.absent", "has no simple.absent")],
)
def test_what_is_no_subject(ask, name, says):
    told = ask("describe", name)
    assert told["type"] == "NoSubject" and says in told["message"]


def test_a_module_that_is_not_there(service):
    told = service.answer(json.dumps({"id": 1, "op": "describe", "subject": "no.such:thing"}))
    assert told["error"]["type"] == "NoSubject" and "cannot import no.such" in told["error"]["message"]


@pytest.mark.parametrize("way", ["graph", "eager", "xla"])
def test_each_way(ask, way):
    told = ask("call", "simple", 4, way=way, own=True)
    assert told["outcome"] == "passed" and told["way"] == way
    assert {o["output"]: o["shape"] for o in told["outputs"]} == {"output 0": [4, 3], "output 1": []}
    assert told["run_seconds"] > 0 and told["compile_seconds"] >= 0
    assert told.get("compilations") == {"graph": 0, "eager": None, "xla": 1}[way]


def test_one_function_shares_a_trace(ask):
    told = [ask("call", "simple", n) for n in (2, 3, 5, 9)]
    assert [t["shared"] for t in told] == [False, False, True, True]  # the second opens the rows
    assert [t.get("trace_seconds") is None for t in told] == [False, False, True, True]
    assert [t["outputs"][0]["shape"][0] for t in told] == [2, 3, 5, 9]
    assert ask("call", "simple", 9, own=True)["shared"] is False


def test_another_function_each_time_does_not(ask):
    assert [ask("call", "fresh", n)["shared"] for n in (2, 3, 5)] == [False] * 3


@pytest.mark.parametrize(
    ("name", "why"),
    [("branch", "it fails (ValueError)"), ("by_shape", "does otherwise"), ("by_shape_too", "does otherwise")],
)
def test_a_function_that_does_otherwise_with_open_rows_gets_its_own_traces(ask, name, why):
    told = [ask("call", name, n) for n in (2, 3, 5)]
    assert [t["outcome"] for t in told] == ["passed"] * 3
    assert [t["outputs"][0]["shape"] for t in told] == [[2, 3], [3, 3], [5, 3]]
    assert all(why in t["note"] and t["shared"] is False for t in told[1:])


def test_failures_are_outcomes(ask):
    told = ask("call", "folds", 4)
    assert (told["outcome"], told["compilations"]) == ("passed", 1)
    told = ask("call", "folds", 3)
    assert told["outcome"] == "failed" and "reshape" in told["error"]["message"].lower()
    assert ask("call", "itself", 2)["outputs"][0]["shape"] == [2, 3]
    told = ask("call", "itself", 3)
    assert (told["stage"], told["error"]["kind"]) == ("build", "RuntimeError")
    file, _, function = told["where"][-1]
    assert file.endswith("calls.py") and function == "_fail"


def test_other_callables_and_nests(ask):
    assert [ask("call", "module", n, way=way)["outcome"] for n in (4, 5, 6) for way in ("graph", "xla")] == [
        "passed"
    ] * 6
    assert ask("call", "bound", 4)["outcome"] == "passed"
    assert ask("call", "nested", 4)["outputs"][0] == {"output": "output 0", "shape": [4, 2], "dtype": "float64"}


def test_arguments_and_precision(ask):
    assert ask("call", "simple", 4, arguments={"scale": "3"})["outcome"] == "passed"
    assert "no parameter 'size'" in ask("call", "simple", 4, arguments={"size": "3"})["message"]
    told = ask("call", "nested", 4, dtype="float32")
    assert told["outputs"][0]["dtype"] == "float32"
    assert "no such type" in ask("call", "nested", 4, dtype="float31")["message"]
    assert "cannot be varied" in ask("call", "itself", 2, dtype="float64")["message"]


def test_a_setting_that_is_not_there_is_refused(ask):
    assert "no key 'absent'" in ask("call", "simple", 4, config={"absent": "1"})["message"]


def test_captured_with_open_rows_where_the_size_fails_when_it_is_traced(ask, service, tmp_path):
    folder = tmp_path / "capsule"
    assert ask("capture", "folds", 3, folder=str(folder)) == {"capsule": str(folder), "xla": True}
    op = service.answer(json.dumps({"id": 1, "op": "failing_op", "capsule": str(folder), "batch": 3}))["result"]
    assert op["op"] == "Reshape" and op["inputs"][0]["shape"] == [3, 3]
    assert ask("capture", "raises", 3, folder=str(tmp_path / "no"))["message"].startswith("it fails when it is traced")


def test_captured(ask, service, tmp_path):
    folder = tmp_path / "capsule"
    told = ask("capture", "simple", 6, folder=str(folder))
    assert told == {"capsule": str(folder), "xla": False}
    written = json.loads((folder / "capsule.json").read_text())
    assert [i["shape"] for i in written["inputs"]] == [[6, 3], []]
    answer = service.answer(json.dumps({"id": 1, "op": "attempt", "capsule": str(folder), "batch": 6}))
    outputs = answer["result"]["outputs"]
    assert {tuple(o["shape"]) for o in outputs} == {(6, 3), ()}
    assert "makes its call itself" in ask("capture", "itself", 2, folder=str(tmp_path / "no"))["message"]
    assert not Path(tmp_path / "no").exists()


def test_a_config_that_cannot_be_imported_is_not_said_to_be_missing(monkeypatch, tmp_path):
    from probes.graph import callables

    (tmp_path / "broken_params.py").write_text("raise RuntimeError('no detector file')\n")
    (tmp_path / "empty_params.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, words in (
        ("broken_params", "cannot be imported .*no detector file"),
        ("empty_params", "has no cfg here"),
    ):
        monkeypatch.setattr(callables, "CONFIG", name)
        with pytest.raises(callables.NoSubject, match=words):
            callables.configure({"size": "1"})
