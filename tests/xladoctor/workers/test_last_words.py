"""Which line of a dead worker says why."""

from __future__ import annotations

import pytest

from xladoctor.workers.last_words import last_words

HEALTHY = """WARNING: All log messages before absl::InitializeLog() is called are written to STDERR
I0000 00:00:1784570000.123456   12345 cpu_feature_guard.cc:227] This TensorFlow binary is optimized.
To enable the following instructions: AVX2 FMA, in other operations, rebuild TensorFlow.
2026-01-06 10:15:00.123456: W tensorflow/core/common_runtime/x.cc:1] something slow
E0000 00:00:1784570001.123456   12345 cuda_platform.cc:52] failed call to cuInit: INTERNAL: (303)
"""


def test_the_lines_of_a_healthy_process_say_nothing():
    assert last_words(HEALTHY) == last_words("") == ""


@pytest.mark.parametrize(
    "why",
    [
        "F0000 00:00:1784570002.123456   12345 literal.cc:9] Check failed: a == b (1 vs. 2)",
        "2026-01-06 10:15:00.123456: F tensorflow/core/framework/tensor.cc:1] Check failed: IsAligned()",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "Fatal Python error: Segmentation fault",
        "LLVM ERROR: out of memory",
    ],
)
def test_the_fatal_line_though_others_follow(why):
    stack = '*** Check failure stack trace: ***\n    @     0x7f12  tsl::Fatal()\n  File "a.py", line 3 in f\n'
    assert last_words(f"{HEALTHY}{why}\n{stack}{HEALTHY}") == why


def test_else_what_the_program_said_last():
    told = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nImportError: no such thing\n'
    assert last_words(told + HEALTHY) == "ImportError: no such thing"
