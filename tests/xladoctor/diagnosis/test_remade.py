"""Of a failed trace, the op that a worker refuses alike is confirmed; anything else is not."""

from __future__ import annotations

import pytest

from tests.xladoctor.diagnosis.test_weigh import scanned
from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.facts import steps
from xladoctor.experiments.remake import questions
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run

SAYS = "Dimensions must be equal, but are 6 and 5 for '{{node NODE}} = MatMul[T=DT_FLOAT, transpose_a=false](INPUTS)'"
SHAPES = " with input shapes: [?,6], [5,3]."
RUN = 'in user code:\n\n    File "a.py", line 6, in step  *\n        ...\n\n    ValueError: '
MADE = SAYS.replace("NODE", "again").replace("INPUTS", "input0, input1")
FAILED = RUN + SAYS.replace("NODE", "net/MatMul").replace("INPUTS", "net/x, net/w") + SHAPES + "\n"


def failed(message: str = FAILED, **answer: object) -> Run:
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    for state in ("raised", "uncaught"):
        run.event("failure", failure=1, exception="ValueError", message=message, state=state, during="step",
                  module="builtins", capsule=None, frames=[], chain=[])  # fmt: skip
    if answer:
        run.worker.append({"capsule": "failure-7-1", "request": "remade", **answer})
    return run


def told(message: str, kind: str = "ValueError", guessed: tuple[int, ...] = ()) -> dict[str, object]:
    return {"result": {"error": {"kind": kind, "message": message}, "guessed": list(guessed)}}


@pytest.mark.parametrize(
    ("answer", "status", "basis"),
    [
        (told(MADE + SHAPES), "confirmed", "tested"),
        (told(MADE + " with input shapes: [1,6], [5,3]."), "untested", "observed"),
        (told(MADE.replace("6 and 5", "6 and 9") + SHAPES), "untested", "observed"),
        (told(MADE + SHAPES, kind="TypeError"), "untested", "observed"),
        (told(MADE + SHAPES, guessed=(0,)), "untested", "observed"),
        ({"result": {"error": None, "guessed": []}}, "untested", "observed"),
        ({"error": "WorkerDied: it is gone"}, "untested", "observed"),
        ({}, "untested", "observed"),
    ],
)
def test_an_op_that_is_refused_alike_is_confirmed(tmp_path, answer, status, basis):
    root = scanned(failed(**answer), tmp_path).root
    assert (root.slug, root.op, root.status, root.basis.kind) == ("matmul-conv-mismatch", "MatMul", status, basis)


def test_bold_letters_are_no_part_of_a_message(tmp_path):
    bold = (
        "Exception encountered when calling L.call().\n\n\x1b[1m"
        + FAILED.rpartition("Error: ")[2].strip()
        + "\x1b[0m\n"
    )
    assert scanned(failed(bold, **told(MADE + SHAPES)), tmp_path).root.status == "confirmed"


def test_sizes_that_were_not_known_are_asked_about_as_such(tmp_path):
    ((name, asked),) = questions(read_run(failed().write(tmp_path / "run"))).items()
    assert name == "failure-7-1"
    assert asked.attributes == {"T": "DT_FLOAT", "transpose_a": "false"}
    assert [i["shape"] for i in asked.inputs] == [[None, 6], [5, 3]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (" and with computed input tensors: input[1] = <2 -1>.", [2, -1]),
        (" and with input tensors computed as partial shapes: input[1] = [?,4].", [-1, 4]),
        (" and with computed input tensors: input[1] = <1 2 3...>.", None),
        (" and with computed input tensors: input[1] = <a b>.", None),
    ],
)
def test_a_value_that_is_not_all_printed_leaves_nothing_to_ask(tmp_path, values, expected):
    message = (
        f"No for '{{{{node r}}}} = Reshape[T=DT_FLOAT, Tshape=DT_INT32](x, s)' with input shapes: [6], [2]{values}"
    )
    asked = list(questions(read_run(failed(message).write(tmp_path / "run"))).values())
    assert [one.inputs[1]["value"] for one in asked] == ([] if expected is None else [expected])


def test_what_ended_the_run_is_not_taken_for_what_was_caught_before_it(tmp_path):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    for number, sizes in ((1, "4 and 3"), (2, "6 and 5")):
        run.event("failure", failure=number, exception="ValueError", message=FAILED.replace("6 and 5", sizes),
                  state="raised", during="step", module="builtins", capsule=None, frames=[], chain=[])  # fmt: skip
    run.event("failure", failure=2, exception="ValueError", state="uncaught")
    folder = run.write(tmp_path / "a")
    (folder / "stderr.log").write_text(f"Traceback (most recent call last):\nValueError: {FAILED}")
    assert [s.ended_run for s in steps(read_run(folder))] == [False, True]

    root = scan_run(folder).root
    assert (root.slug, root.level, "went on" in root.message) == ("matmul-conv-mismatch", "error", False)
