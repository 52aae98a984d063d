"""Lists whose elements do not have one shape, of real failures of NumPy and pandas."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAD = "import numpy as np\nraw = np.zeros((50, 4))\n"
PROGRAMS = {
    # The last windows of a loop are cut short: its head is to blame.
    "loop": (
        HEAD + "xs, ys = [], []\nfor i in range(len(raw) - 8):\n    xs.append(raw[i:i + 8])\n"
        "    ys.append(raw[i + 8:i + 11, 0])\nx = np.array(xs)\ny = np.array(ys)\n",
        4, "The last 2 elements of `ys` are smaller", "`ys` has 42 elements: 40 of shape (3,) (from element 0)",
    ),
    "another-function": (
        HEAD + "def window(i):\n    return raw[i:i + 8]\n\ndef cut(n):\n    made = []\n    for i in range(n):\n"
        "        part = window(i)\n        made.append(part)\n    return n, made\n\ndef main():\n"
        "    n, xs = cut(44)\n    return np.stack(xs)\n\nmain()\n",
        8, "The last element of `xs` is smaller", "43 of shape (8, 4) (from element 0), 1 of shape (7, 4) (element 43)",
    ),
    "comprehension": (
        HEAD + "ys = [raw[i:i + 3]\n      for i in range(48 + 1)]\nnp.array(ys)\n",
        4, "The last element of `ys` is smaller", "`ys` has 49 elements",
    ),
    # Pieces: the last is smaller as it may be, and what the source says of such loops stands.
    "pieces": (
        HEAD + "out = []\nfor i in range(0, 50, 8):\n    out.append(raw[i:i + 8])\nnp.array(out)\n",
        4, None, "`out` has 7 elements: 6 of shape (8, 4) (from element 0), 1 of shape (2, 4) (element 6).",
    ),
    # Texts of any length: no loop goes on too far.
    "scattered": (
        "import numpy as np\nrows = [[1] * (n % 3 + 1) for n in range(9)]\nnp.array(rows)\n",
        3, None, "`rows` has 9 elements: 3 of shape (1,) (from element 0), 3 of shape (2,) (from element 1)",
    ),
    "columns": (
        "import pandas as pd\ntable = {'a': [1, 2], 'b': [1, 2, 3]}\npd.DataFrame(table)\n",
        3, None, "`table` has 2 elements: 1 of shape (2,) (`a`), 1 of shape (3,) (`b`).",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_elements_are_told_and_what_put_them_there(name, tmp_path):
    source, line, reason, said = PROGRAMS[name]
    (tmp_path / "train.py").write_text(source)
    command = [sys.executable, "-m", "xladoctor", "scan", "--format", "json", "--", sys.executable, "train.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    [root, *_] = json.loads(run.stdout)["findings"]
    assert root["class"] == "concat-pack-mismatch" and said in root["message"]
    assert root["location"]["line"] == line
    reasons = [s["reason"] for s in root["suspects"]]
    assert reasons[0].startswith(reason) if reason else not any("too far" in r for r in reasons)
    assert len(root["details"]["elements"]) > 1
