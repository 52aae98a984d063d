"""Rows that are shuffled without their labels, and what looks like it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from xladoctor.sources.shuffled import out_of_step

HEAD = "x, y = load()\n"
WRONG = {
    "in place": ("np.random.shuffle(x)\n", "x, y"),
    "a generator": ("rng.shuffle(x)\n", "x, y"),
    "a permutation": ("x = rng.permutation(x)\n", "x, y"),
    "slices afterwards": ("np.random.shuffle(x)\na = x[:80] / 255.0\nb = y[:80].astype('int32')\n", "a, b"),
    "by name": ("np.random.shuffle(x)\n", "y=y, x=x"),
    "one-hot before": ("b = keras.utils.to_categorical(y)\nnp.random.shuffle(x)\n", "x, b"),
    "each epoch": ("for n in range(3):\n    np.random.shuffle(x)\n", "x, y"),
}
RIGHT = {
    "both from one seed": (
        "np.random.seed(0)\nnp.random.shuffle(x)\nnp.random.seed(0)\nnp.random.shuffle(y)\n",
        "x, y",
    ),
    "by one order": ("order = rng.permutation(len(x))\nx, y = x[order], y[order]\n", "x, y"),
    "scikit-learn": ("x, y = shuffle(x, y)\n", "x, y"),
    "labels of the shuffled rows": ("np.random.shuffle(x)\ny = x.sum(1)\n", "x, y"),
    "labels alone, as a control": ("np.random.shuffle(y)\n", "x, y"),
    "an autoencoder": ("np.random.shuffle(x)\n", "x, x"),
    "a table of both": ("d = load()\nnp.random.shuffle(d)\na = d[:, 1:]\nb = d[:, 0]\n", "a, b"),
    "other rows": ("np.random.shuffle(z)\n", "x, y"),
    "after the fit": ("pass\n", "x, y)\nnp.random.shuffle(x"),
    "on a condition": ("if anew:\n    np.random.shuffle(x)\n", "x, y"),
    "columns": ("rng.shuffle(x, axis=1)\n", "x, y"),
    "a split": ("np.random.shuffle(x)\na, c, b, d = train_test_split(x, y)\n", "a, b"),
    "labels in the new order": ("i = rng.permutation(9)\nx = x[i]\ny = y[i]\n", "x, y"),
    "a function of its own": ("np.random.shuffle(x)\nalike(y)\n", "x, y"),
    "sorted back": ("np.random.shuffle(x)\ny = match(y, x)\n", "x, y"),
}


def found(body, given, scope):
    text = HEAD + body + f"model.fit({given})\n"
    if scope == "function":
        text = "def main():\n" + "".join(f"    {line}\n" for line in text.splitlines())
    at = next(n for n, line in enumerate(text.splitlines(), 1) if "model.fit" in line)
    told = out_of_step(ast.parse(text), at)
    return told and (text.splitlines()[told.line - 1].strip(), told.rows, told.labels)


@pytest.mark.parametrize("scope", ["module", "function"])
@pytest.mark.parametrize("name", WRONG)
def test_rows_that_leave_their_labels(name, scope):
    line, rows, _ = found(*WRONG[name], scope)
    assert ("shuffle(" in line or "permutation(" in line) and rows == "x"


@pytest.mark.parametrize("scope", ["module", "function"])
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_quiet(name, scope):
    assert found(*RIGHT[name], scope) is None


PROGRAM = """
import numpy as np
import keras

rng = np.random.default_rng(0)
x = rng.normal(size=(64, 3)).astype("float32")
y = (x.sum(1) > 0).astype("float32")[:, None]


def fit(name, rows, labels):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)], name=name)
    model.compile("sgd", "mse")
    model.fit(rows, labels, verbose=0)


def together():
    order = rng.permutation(len(x))
    fit("together", x[order], y[order])


together()
rng.shuffle(x)  # alone
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)], name="apart")
model.compile("sgd", "mse")
model.fit(x, y, verbose=0)
"""


@pytest.mark.slow
def test_a_scan_names_the_line_that_shuffles(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", "--run-dir", "run", "--", sys.executable, "train.py"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": quick.path(Path(__file__).parents[2])}, capture_output=True,
        timeout=400, check=True,
    )  # fmt: skip
    findings = json.loads((tmp_path / "run" / "diagnosis.json").read_text())["findings"]
    [told] = [f for f in findings if f["level"] != "note"]
    assert (told["class"], told["level"], told["status"]) == ("wrong-pairing", "warning", "untested")
    assert PROGRAM.splitlines()[told["location"]["line"] - 1].endswith("# alone")
