"""An op that failed in plain code is asked about where all that it took is recorded, and confirmed if refused alike."""

from __future__ import annotations

from typing import Any

import pytest

from tests.xladoctor.diagnosis.test_weigh import scanned
from tests.xladoctor.recordings import Run
from xladoctor.experiments.remake import questions
from xladoctor.recording.run import read_run

SAYS = "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,3] [Op:MatMul] name: "
WRAPPED = "{{function_node __wrapped__MatMul_device_/job:localhost}} "
KNOWN = [("x", [2, 3]), ("w", [4, 3]), ("rows", [None, 3])]


def failed(tmp_path: Any, line: str, *answers: dict[str, Any]) -> Run:
    source = tmp_path / "study.py"
    source.write_text(f"def project(x, w, rows):\n    {line}\n")
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    tensors = [{"name": name, "shape": shape, "dtype": "float32", "tensor": None} for name, shape in KNOWN]
    frame = {"file": str(source), "line": 2, "function": "project", "user": True, "tensors": tensors}
    for state in ("raised", "uncaught"):
        run.event("failure", failure=1, exception="InvalidArgumentError", message=WRAPPED + SAYS, state=state,
                  during="program", module="tensorflow", capsule=None, frames=[frame], chain=[])  # fmt: skip
    run.worker += [{"capsule": "failure-7-1", "request": "remade", **answer} for answer in answers]
    return run


@pytest.mark.parametrize(
    ("line", "shapes"),
    [
        ("return tf.matmul(x, w)", [[2, 3], [4, 3]]),
        ("return x @ w", [[2, 3], [4, 3]]),
        ("return tf.stack([x, w])", [[2, 3], [4, 3]]),
        ("return tf.matmul(x, w, transpose_b=True)", None),
        ("return tf.matmul(x, tf.ones([4, 3]))", None),
        ("return tf.matmul(x, other)", None),
        ("return tf.matmul(rows, w)", None),
        ("return tf.matmul(x, w) + tf.matmul(w, x)", None),
        ("return (", None),
    ],
)
def test_an_op_is_asked_about_if_all_that_it_took_is_recorded(tmp_path, line, shapes):
    asked = list(questions(read_run(failed(tmp_path, line).write(tmp_path / "run"))).values())
    assert [[i["shape"] for i in one.inputs] for one in asked] == ([] if shapes is None else [shapes])


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (SAYS, "confirmed"),
        (WRAPPED.replace("__MatMul", "____MklMatMul") + SAYS, "confirmed"),
        (SAYS.replace("[4,3]", "[5,3]"), "untested"),
        (SAYS.replace("Op:MatMul", "Op:BatchMatMulV2"), "untested"),
    ],
)
def test_it_is_confirmed_in_the_same_words_alone(tmp_path, message, status):
    answer = {"result": {"error": {"kind": "InvalidArgumentError", "message": message}, "guessed": []}}
    root = scanned(failed(tmp_path, "return x @ w", answer), tmp_path).root
    assert (root.slug, root.status) == ("matmul-conv-mismatch", status)
