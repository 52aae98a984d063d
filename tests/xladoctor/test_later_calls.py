"""A plain `scan` of a compiled function of which only a later call goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(8)
series = rng.normal(size=(40, 60)).astype("float32").cumsum(axis=1)
series[13:][rng.random((27, 60)) < 0.08] = np.nan
series[:, 0] = 1.0


@tf.function(jit_compile=True)
def forecast(one):
    seen = tf.boolean_mask(one, tf.math.is_finite(one))
    first = seen[0]
    last = seen[-1]  # wrong
    return last + 0.1 * (last - first)


print(sum(float(forecast(tf.constant(one))) for one in series))
"""


def test_the_later_calls_are_compared_by_one_compilation_and_the_op_is_found(tmp_path):
    (tmp_path / "main.py").write_text(PROGRAM)
    words = ["scan", "--check-budget", "200", "--run-dir", "run", "--", sys.executable, "main.py"]
    subprocess.run(
        [sys.executable, "-m", "xladoctor", *words],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": quick.path(ROOT)}, capture_output=True, text=True, timeout=400,
        check=False,
    )  # fmt: skip
    diagnosis = json.loads((tmp_path / "run" / "diagnosis.json").read_text())
    [found] = [f for f in diagnosis["findings"] if f["level"] != "note"]
    assert (found["class"], found["status"], found["op"]) == ("parity-divergence", "confirmed", "StridedSlice")
    assert PROGRAM.splitlines()[found["location"]["line"] - 1].endswith("# wrong")
