"""A file that is missing, and the line that writes its name."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.saved import scan_run

TRAIN = """\
import tables
wanted = "embedding.npz"
table = tables.read(wanted)
"""
TABLES = """\
from pathlib import Path
def read(name):
    return np.load(Path(__file__).parent / "data" / name)
"""
LOG = """\
Traceback (most recent call last):
  File "/w/train.py", line 3, in <module>
    table = tables.read(wanted)
  File "/w/tables.py", line 3, in read
    return np.load(Path(__file__).parent / "data" / name)
FileNotFoundError: [Errno 2] No such file or directory: '/w/data/embedding.npz'
"""


@pytest.mark.parametrize(
    ("train", "place"),
    [
        (TRAIN, "/w/train.py:2"),
        (TRAIN.replace("embedding", "data/embedding"), "/w/train.py:2"),
        (TRAIN.replace("embedding", "ding"), "/w/tables.py:3"),
        (TRAIN + 'other = "embedding.npz"\n', "/w/tables.py:3"),
    ],
    ids=["its name", "its last parts", "another file", "which of two"],
)
def test_the_line_that_writes_its_name_is_suspected(tmp_path, monkeypatch, train, place):
    give_sources(monkeypatch, {"/w/train.py": train, "/w/tables.py": TABLES})
    folder = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"}).write(tmp_path / "run")
    (folder / "stderr.log").write_text(LOG)
    root = scan_run(folder).root
    assert root is not None and (root.slug, root.details["kind"]) == ("not-xla", "FileNotFoundError")
    assert root.location.place == place
