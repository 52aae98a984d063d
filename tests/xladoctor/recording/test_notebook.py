"""`scan study.ipynb` reads what the cells printed and raised when it was saved."""

from __future__ import annotations

import json
from typing import Any

import pytest

from xladoctor.errors import XladoctorError
from xladoctor.saved import scan_logs

RESHAPE = "Input to reshape is a tensor with 12 values, but the requested shape has 10 [Op:Reshape]"
NEW = [
    "\x1b[0;31mInvalidArgumentError\x1b[0m   Traceback (most recent call last)",
    "Cell In[7], line 1\n----> 1 fold(x)",
    "Cell In[5], line 4, in fold(x)\n      3 def fold(x):\n----> 4     return tf.reshape(x, [10])",
    "File /usr/lib/python3/site-packages/tensorflow/ops.py:153, in wrap(*args)\n--> 153 raise",
    f"e: {RESHAPE}",
]
OLD = [
    "<ipython-input-7-0a1b> in <module>\n----> 1 fold(x)",
    "<ipython-input-5-99ff> in fold(x)\n      3 def\n----> 4   return",
]


def notebook(folder, *outputs: dict[str, Any]) -> str:
    code = [{"cell_type": "code", "execution_count": n, "source": "x", "outputs": []} for n in (4, 5, 7)]
    code[-1]["outputs"] = list(outputs)
    path = folder / "study.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "#"}, *code], "nbformat": 4}))
    return str(path)


@pytest.mark.parametrize("traceback", [NEW, OLD])
def test_a_saved_exception_stands_in_its_cell(tmp_path, traceback):
    error = {"output_type": "error", "ename": "InvalidArgumentError", "evalue": RESHAPE, "traceback": traceback}
    path = notebook(tmp_path, {"output_type": "stream", "text": ["Epoch 1/1\n"]}, error)
    found = scan_logs([path])
    assert (found.source, found.root.slug, found.root.status) == (path, "reshape-mismatch", "untested")
    assert str(found.root.location) == f"{path}: cell 2, line 4 in fold"
    assert found.root.evidence[0].where.startswith(f"{path}: cell 3")


def test_a_notebook_without_outputs_and_none_at_all(tmp_path):
    with pytest.raises(XladoctorError, match="no saved output"):
        scan_logs([notebook(tmp_path)])
    (tmp_path / "odd.ipynb").write_text("[1")
    with pytest.raises(XladoctorError, match="no Jupyter notebook"):
        scan_logs([tmp_path / "odd.ipynb"])
    with pytest.raises(XladoctorError):
        scan_logs([tmp_path / "none.ipynb"])
