"""A key of the targets that the model does not have, and the line that writes it."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.saved import scan_run

TRAIN = """\
import rows
columns["hum"] = 1
model.fit(rows.data())
"""
KERAS = "/x/keras/src/losses/loss.py"
LOG = f"""\
Traceback (most recent call last):
  File "/w/train.py", line 3, in <module>
    model.fit(rows.data())
  File "{KERAS}", line 70, in __call__
    tree.map_structure(convert, y_true)
ValueError: Expected float32, but got hum of type 'str'.
"""


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ('def data():\n    return x, {"hum": y}\n', "/w/rows.py:2"),
        ("def data():\n    return x, dict(hum=y)\n", "/w/rows.py:2"),
        ('a = {"hum": y}\nb = {"hum": z}\n', "/w/train.py:3"),
        ("def data():\n    return x, y\n", "/w/train.py:2"),
    ],
    ids=["a dict", "a call of dict", "which of two", "only stored"],
)
def test_the_line_that_writes_the_key_is_suspected(tmp_path, monkeypatch, rows, place):
    give_sources(monkeypatch, {"/w/train.py": TRAIN, "/w/rows.py": rows})
    folder = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"}).write(tmp_path / "run")
    (folder / "stderr.log").write_text(LOG)
    root = scan_run(folder).root
    assert root is not None and (root.slug, root.details["stray"]) == ("wrong-input-key", "hum")
    assert root.location.place == place
