"""A notebook as a target: the kernel is a child process, and what ends the command only quotes what failed in it."""

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
CELLS = (
    "import tensorflow as tf",
    "def fold(x):\n    return tf.reshape(x, tf.stack([tf.shape(x)[0], 7]))\n\n"
    "@tf.function\ndef step(x):\n    return fold(x * 2.0)",
    "step(tf.ones([5, 3]))",
)


def notebook() -> dict:
    cells = [
        {"cell_type": "code", "execution_count": None, "id": f"c{i}", "metadata": {}, "outputs": [], "source": text}
        for i, text in enumerate(CELLS)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def test_the_cell_that_fails_is_the_root_and_the_command_its_consequence(tmp_path):
    (tmp_path / "study.ipynb").write_text(json.dumps(notebook()), encoding="utf-8")
    execute = Path(sys.executable).with_name("jupyter-execute")
    path = os.pathsep.join([str(execute.parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", "--format", "json", "--", str(execute), "study.ipynb"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": quick.path(ROOT), "PATH": path}, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr[-2000:]
    found = json.loads(done.stdout)["findings"]
    assert [f["class"] for f in found if f["role"] == "root"] == ["reshape-mismatch"]
    place = found[0]["location"]
    assert (place["file"], place["cell"], place["line"], place["function"]) == ("study.ipynb", 2, 2, "fold")
    assert found[0]["op"] == "Reshape"
    assert "went on" not in found[0]["message"]
