"""Whose stack is whose: the exception, the call that failed, who traced it first, where the size arose."""

from __future__ import annotations

from tests.xladoctor.recordings import PID, collapsed
from xladoctor.diagnosis.engine import diagnose
from xladoctor.logs import read_log
from xladoctor.model.diagnosis import StackFrame
from xladoctor.recording.evidence import Evidence
from xladoctor.saved import scan_run

FIT = "/lib/python3.11/site-packages/keras/src/trainer.py"
LOG = f"""Traceback (most recent call last):
  File "/home/ada/train.py", line 9, in main
    model.fit(x, y)
  File "{FIT}", line 399, in fit
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Detected at node Reshape_1 defined at (most recent call last):
  File "/home/ada/ops.py", line 3, in shift

Input to reshape is a tensor with 80 values, but the requested shape has 5
\t [[{{{{node Reshape_1}}}}]] [Op:__inference_one_step_1]
"""


def test_of_a_log(tmp_path):
    (tmp_path / "train.log").write_text(LOG)
    found = diagnose(Evidence(source="train.log", log=read_log([tmp_path / "train.log"]))).stacks
    assert [(s.what, s.of) for s in found] == [("exception", "InvalidArgumentError"), ("definition", "Reshape_1")]
    assert [(f.line, f.user) for f in found[0].frames] == [(9, True), (399, False)]
    assert found[1].frames[-1].file == "/home/ada/ops.py" and "first" in found[1].note


def failure_of(run):
    return next(e for e in run.events if e["kind"] == "failure")


def test_of_a_run(tmp_path):
    run = collapsed(16)
    frames = [
        {"file": "/home/ada/train.py", "line": 9, "function": "main", "user": True, "tensors": []},
        {"file": FIT, "line": 399, "function": "fit", "user": False},
    ]
    capsule = next(iter(run.capsules))
    failure = failure_of(run)
    failure["frames"], failure["exception"] = frames, "InvalidArgumentError"
    sources = [["/home/ada/train.py", 7, "build"], ["/home/ada/ops.py", 3, "shift"]]
    calls = [[["/home/ada/train.py", 9, "main"], ["/home/ada/layer.py", 5, "call"]]]
    op = {"op": "Reshape", "node": "a/Reshape_1", "inner_node": "Reshape_1", "sources": sources, "call_sources": calls,
          "inputs": [], "message": "m", "kind": "InvalidArgumentError"}  # fmt: skip
    run.worker.append({"capsule": capsule, "request": "failing_op", "batch": 16, "result": op})
    found = {s.what: s for s in scan_run(run.write(tmp_path / "run")).stacks}
    assert found["exception"].where == f"events-{PID}.jsonl:{failure['seq']}"
    assert found["exception"].frames == (
        StackFrame("/home/ada/train.py", 9, "main"),
        StackFrame(FIT, 399, "fit", False),
    )
    assert [f.file for f in found["call"].frames] == ["/home/ada/train.py", "/home/ada/layer.py"]
    assert found["call"].of == "Reshape Reshape_1" and found["call"].note is None
    assert found["definition"].frames[0].function == "build" and "traced the function first" in found["definition"].note


def test_an_op_outside_of_any_call_is_no_first_trace(tmp_path):
    run = collapsed(16)
    capsule = next(iter(run.capsules))
    op = {"op": "Reshape", "node": "Reshape", "sources": [["/home/ada/ops.py", 3, "shift"]], "inputs": []}
    run.worker.append({"capsule": capsule, "request": "failing_op", "batch": 16, "result": op})
    (stack,) = scan_run(run.write(tmp_path / "run")).stacks
    assert (stack.what, stack.of, stack.note) == ("definition", "Reshape", None)
