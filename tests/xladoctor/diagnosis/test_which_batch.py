"""What is said of a full batch is what a worker found of one."""

from __future__ import annotations

import pytest

from tests.xladoctor.diagnosis.test_again import MATMUL, failed, op
from tests.xladoctor.diagnosis.test_weigh import scanned

FULL = {"request": "failing_op", "batch": 32, "result": None}
REFUSED = {"request": "failing_op", "batch": 32, "error": "it could not be loaded"}


@pytest.mark.parametrize(
    ("rows", "answers", "says", "silent"),
    [
        (5, [op(5, [])], "The only batch has 5 rows, fewer than batch_size = 32.", "full batch"),
        (37, [FULL, op(5, [])], "batches of 32; a full batch passes.", "The only batch"),
        (37, [REFUSED, op(5, [])], "37 samples in batches of 32.", "passes"),
    ],
)
def test_a_full_batch_passes_if_one_was_run(tmp_path, rows, answers, says, silent):
    run = failed(MATMUL.format(rows=5) + " [Op:MatMul]", *answers)
    run.begin(1, rows=rows, batch=32)
    run.end(1, "7-1-step", rows=rows, batch=32, phase="failed")
    message = scanned(run, tmp_path).root.message
    assert says in message
    assert silent not in message


def test_a_call_of_one_batch_has_no_batch_size(tmp_path):
    run = failed(MATMUL.format(rows=5) + " [Op:MatMul]", op(5, []))
    run.begin(1, method="predict_on_batch", rows=5, batch=32)
    run.end(1, "7-1-step", method="predict_on_batch", rows=5, batch=32, phase="failed")
    assert "32" not in scanned(run, tmp_path).root.message
