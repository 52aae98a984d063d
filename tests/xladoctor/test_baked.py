"""`trace` of a program whose shapes come from values: seen in its graph, and shown by running it again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from xladoctor.saved import scan_run, trace_run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "patients" / "values_baked_in.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("baked")
    words = ["trace", "--run-dir", "run", "--", sys.executable, str(PROGRAM)]
    env = {**os.environ, "PYTHONPATH": quick.path(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", *words],
        cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return folder / "run"


def test_the_argument_is_named_and_the_second_compilation_was_seen(run):
    found = [f for f in scan_run(run).findings if f.slug == "value-baked-in"]
    assert [(f.op, f.location.function, f.status, f.level) for f in found] == [
        ("Tile", "repeated", "confirmed", "warning")
    ]
    assert [g["name"] for g in found[0].details["from"]] == ["n"]
    line = PROGRAM.read_text().splitlines()[found[0].location.line - 1]
    assert "tf.tile(x, [n, 1])" in line
    _, same, other = found[0].details["seconds"]
    assert other > 5 * same


def test_the_table_of_shapes_tells_it_too(run):
    assert any("Tile takes its multiples" in note for note in trace_run(run).notes)
