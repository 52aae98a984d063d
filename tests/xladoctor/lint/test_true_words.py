"""What lint says of writes, notebooks and other frameworks is true."""

from __future__ import annotations

import json

from xladoctor.lint.engine import lint
from xladoctor.lint.settings import Settings
from xladoctor.model.diagnosis import Finding

PARAMS = """
cfg = {"N": 64}

def set(key, value):
    cfg[key] = value
    if cfg["N"] > 512:
        raise ValueError(key)

def get(key):
    cfg.setdefault(key, None)
    return cfg[key]
"""


def findings(folder, **texts: str) -> list[Finding]:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return list(lint([str(folder)], Settings()).diagnosis.findings)


def test_a_write_at_import_is_no_read(tmp_path):
    found = findings(tmp_path, params=PARAMS, study="import params\nparams.set('N', 32)\nN = params.get('N')\n")
    assert [(f.code, f.location.line) for f in found if f.location.file.endswith("study.py")] == [("XD802", 3)]


def test_code_of_pytorch_is_no_keras(tmp_path):
    torch = "# like keras\nimport torch\nmodel = torch.nn.Linear(3, 4)\nmodel.compile(jit_compile=True)\n"
    assert findings(tmp_path, net=torch) == []
    assert [f.code for f in findings(tmp_path, net=torch.replace("import torch", "import torch, keras"))] == ["XD810"]


def test_lines_of_a_notebook_are_those_of_its_cells(tmp_path):
    cells = ["import params\nimport tensorflow as tf\nN = params.cfg['N']\n", "x = tf.ensure_shape(y, [32, 3])",
             "z = 1\nd = data.batch(32)"]  # fmt: skip
    book = {"cells": [{"cell_type": "code", "source": [c]} for c in cells], "nbformat": 4}
    (tmp_path / "a.ipynb").write_text(json.dumps(book))
    (found,) = [f for f in findings(tmp_path, params=PARAMS) if f.location.file.endswith("ipynb")]
    assert (found.code, found.details["cell"], found.details["cell_line"]) == ("XD809", 3, 2)
    assert "in cell 2, line 1 fixes 32" in found.message
