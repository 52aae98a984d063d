"""A plain `scan` of a program that XLA lets go on with wrong numbers."""

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
PROGRAM = ROOT / "tests" / "patients" / "silently_wrong.py"


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory):
    folder = tmp_path_factory.mktemp("silent")
    words = ["scan", "--check-budget", "200", "--run-dir", "run", "--", sys.executable, str(PROGRAM)]
    env = {**os.environ, "PYTHONPATH": quick.path(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", *words],
        cwd=folder, env=env, capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr[-2000:]
    return json.loads((folder / "run" / "diagnosis.json").read_text())


def test_the_wrong_function_is_found_with_op_and_line(diagnosis):
    [found] = [f for f in diagnosis["findings"] if f["level"] == "error"]
    assert (found["code"], found["class"], found["status"], found["role"], found["op"]) == (
        "XD701", "parity-divergence", "confirmed", "root", "GatherV2",
    )  # fmt: skip
    line = PROGRAM.read_text().splitlines()[found["location"]["line"] - 1]
    assert (found["location"]["function"], "tf.gather" in line) == ("beyond", True)


def test_those_that_look_like_it_agree(diagnosis):
    assert [
        (c["function"], c["result"], c["calls"]) for c in diagnosis["checked"] if c["what"] == "compiled-function"
    ] == [
        ("beyond", "diverges", 1),
        ("within", "agrees", 1),
        ("rounded", "diverges", 1),
        ("directions", "agrees", 1),
    ]


def test_what_only_rounding_sets_apart_is_a_warning(diagnosis):
    [found] = [f for f in diagnosis["findings"] if f["level"] == "warning" and f["class"] == "parity-divergence"]
    assert (found["op"], found["location"]["function"]) == ("Cast", "rounded")
    assert "differ only in their last places" in found["message"]
