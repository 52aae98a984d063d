import gzip
import json

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

MESSAGE = (
    'in user code:\n\n    File "train.py", line 6, in step  *\n        return tf.matmul(z, w)\n\n'
    "    ValueError: Dimensions must be equal, but are 6 and 5 for '{{node net/MatMul}} = MatMul[T=DT_FLOAT, "
    "transpose_a=false](net/concat, net/ones:0, ^net/check)' with input shapes: [?,6], [5,3], <unknown>."
)


def scanned(tmp_path, message=MESSAGE, **sources):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.event("failure", failure=1, state="raised", exception="ValueError", message=message, frames=[], chain=[],
              thread="MainThread", during="step", capsule=None, partial="7-1-step")  # fmt: skip
    run.event("failure", failure=1, state="uncaught", exception="ValueError")
    run.capsules["7-1-step"] = {"schema": "xladoctor.capsule/1", "complete": False, "graph": "g1", "graphs": {}}
    folder = run.write(tmp_path / "run")
    with gzip.open(folder / "capsules" / "7-1-step" / "sources.json.gz", "wt") as file:
        json.dump({"g1": sources}, file)
    (folder / "stderr.log").write_text(message + "\n")
    return scan_run(folder)


def test_the_op_that_could_not_be_made_with_what_made_its_inputs(tmp_path):
    made = {"net/concat": [["train.py", 5, "step"]], "net/ones": [["/lib/x.py", 1, "f"], ["train.py", 4, "weights"]]}
    found = scanned(tmp_path, **made)
    assert found.isolated == {
        "op": "MatMul",
        "node": "net/MatMul",
        "inputs": [
            {"tensor": "net/concat", "shape": [None, 6], "value": None},
            {"tensor": "net/ones:0", "shape": [5, 3], "value": None},
        ],
        "compilations": 0,
    }
    told = [p.text for p in found.findings[0].evidence if p.kind == "source"]
    assert told == [
        "net/concat [?,6], made at train.py:5 in step",
        "net/ones:0 [5,3], made at train.py:4 in weights",
    ]


def test_a_copy_that_autograph_made_is_no_line_of_the_user_s(tmp_path):
    copy = ["/tmp/__autograph_generated_fileab1.py", 17, "tf__step"]
    found = scanned(tmp_path, **{"net/concat": [["train.py", 5, "step"], copy], "net/ones": [copy]})
    told = [p.text for p in found.findings[0].evidence if p.kind == "source"]
    assert told == ["net/concat [?,6], made at train.py:5 in step"]


def fitted(tmp_path, made):
    """A trace that broke off below `fit`, whose traceback ends in the call of the library."""
    message = "Dimensions must be equal, but are 0 and 8 for '{{node a/truediv}} = RealDiv[T=DT_FLOAT](a/x, a/y)' with "
    message += "input shapes: [0,22], [8,22]."
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    frames = [{"file": "train.py", "line": 15, "function": "fit", "user": True},
              {"file": "/lib/site-packages/keras/t.py", "line": 125, "function": "wrapper", "user": False}]  # fmt: skip
    run.event("failure", failure=1, state="raised", exception="ValueError", message=message, frames=frames, chain=[],
              thread="MainThread", during="step", capsule=None, partial="7-1-step")  # fmt: skip
    run.event("failure", failure=1, state="uncaught", exception="ValueError")
    run.capsules["7-1-step"] = {"schema": "xladoctor.capsule/1", "complete": False, "graph": "g1", "graphs": {}}
    folder = run.write(tmp_path / "run")
    with gzip.open(folder / "capsules" / "7-1-step" / "sources.json.gz", "wt") as file:
        json.dump({"g1": {"a/x": [made[0]], "a/y": [made[1]]}}, file)
    head = 'Traceback (most recent call last):\n  File "train.py", line 15, in fit\n    net.fit(x)\n'
    (folder / "stderr.log").write_text(f"{head}ValueError: {message}\n")
    return scan_run(folder).root.location


def test_the_line_is_that_of_the_op_where_the_traceback_has_lost_it(tmp_path):
    place = fitted(tmp_path, (["ops.py", 48, "merge"], ["ops.py", 55, "merge"]))
    assert (place.file, place.line) == ("ops.py", 55)


@pytest.mark.parametrize("function", ["other", "fit"], ids=["in two functions", "in the frame itself"])
def test_inputs_that_do_not_tell_where_it_was_change_no_line(tmp_path, function):
    file = "train.py" if function == "fit" else "ops.py"
    place = fitted(tmp_path, ([file, 9, function], [file, 12, function if function == "fit" else "merge"]))
    assert (place.file, place.line) == ("train.py", 15)


@pytest.mark.parametrize("message", ["no node is named here", "for '{{node broken", "'{{node a}} = B[](c)' with"])
def test_a_message_without_a_node_isolates_nothing(tmp_path, message):
    assert scanned(tmp_path, message=f"Dimensions must be equal, but are 6 and 5 {message}").isolated is None
