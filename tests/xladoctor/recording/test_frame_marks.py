"""What stands below a frame or a startup line in a log: the marks of the one, and nothing of the other."""

from __future__ import annotations

import io

import pytest

from xladoctor.logs import read_log

STARTUP = "2026-01-06 10:15:00.1: E external/xla/cuda_driver.cc:152] failed call to cuInit: INTERNAL: CUDA error"
MISMATCH = "step failed: Incompatible shapes: [2,3] vs. [2,4]"


def records(text):
    return read_log(io.BytesIO(text.encode()), name="log").records


def test_the_marks_of_a_traceback_are_kept_with_its_code():
    (record,) = records(
        "Traceback (most recent call last):\n"
        '  File "/a/train.py", line 9, in <module>\n    f(1)\n'
        '  File "/a/train.py", line 5, in f\n    return a + b\n           ~~^~~\n'
        "ValueError: no\n"
    )
    assert [(f.code, f.marks) for f in record.frames] == [("f(1)", None), ("return a + b", "       ~~^~~")]


@pytest.mark.parametrize("between", ["", "training with 8 samples\n"])
def test_what_a_program_prints_after_a_startup_line_is_no_part_of_it(between):
    found = records(f"{STARTUP}\n{between}{MISMATCH}\n")
    (error,) = [record for record in found if "Incompatible" in record.text]
    assert "cuInit" not in error.text and error.level == "error"
