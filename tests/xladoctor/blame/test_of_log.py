"""`scan LOG --source DIR`: the sources of a program whose output is all that is left of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xladoctor.cli.app import run
from xladoctor.errors import XladoctorError

PROGRAM = """\
import tensorflow as tf
from sizes import WIDTH
x = tf.zeros((4, 6))
kernel = tf.zeros((WIDTH, 3))
print(tf.matmul(x, kernel))
"""
LOG = """\
Traceback (most recent call last):
  File "/home/somebody/study/train.py", line 5, in <module>
    print(tf.matmul(x, kernel))
  File "/usr/lib/python3/site-packages/tensorflow/python/util/traceback_utils.py", line 153, in error_handler
    raise e.with_traceback(filtered_tb) from None
tensorflow.python.framework.errors_impl.InvalidArgumentError: {{function_node __wrapped__MatMul}} Matrix size-\
incompatible: In[0]: [4,6], In[1]: [5,3] [Op:MatMul] name:
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A folder of sources, and the log of a run elsewhere."""
    folder = tmp_path / "here" / "study"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(PROGRAM)
    (folder / "sizes.py").write_text("WIDTH = 5\n")
    (tmp_path / "run.log").write_text(LOG)
    return folder


def root(study: Path, folder: Path) -> tuple[dict, list[str]]:
    """The root finding of the log, and the notes."""
    log, out = study.parents[1] / "run.log", study.parents[1] / "out.json"
    assert run(["scan", "--format", "json", "--output", str(out), "--source", str(folder), str(log)]) == 1
    found = json.loads(out.read_text())
    return next(f for f in found["findings"] if f["role"] == "root"), found["notes"]


@pytest.mark.parametrize("above", [False, True])
def test_the_sources_lead_to_the_line_that_made_the_size(study, above):
    found, _ = root(study, study.parent if above else study)
    places = [(Path(s["location"]["file"]).name, s["location"]["line"]) for s in found["suspects"]]
    assert {("train.py", 3), ("train.py", 4), ("sizes.py", 1)} <= set(places)
    assert found["constraint"]["relation"] == "inner"
    assert [o["size"] for o in found["constraint"]["operands"]] == [6, 5]
    assert found["raised_at"]["file"] == str(study / "train.py")


def test_a_setting_that_the_sources_read(study):
    (study / "sizes.py").write_text('import json\nWIDTH = json.load(open("net.json"))["width"]\n')
    (study / "net.json").write_text('{\n "width": 5\n}\n')
    found, _ = root(study, study)
    assert ("net.json", 2) in [(Path(s["location"]["file"]).name, s["location"]["line"]) for s in found["suspects"]]


def test_sources_of_another_state_are_not_followed(study):
    (study / "train.py").write_text("import os\n" + PROGRAM)
    found, notes = root(study, study)
    assert not found["suspects"] and any("not the one that the log prints" in note for note in notes)


def test_files_elsewhere_are_not_read(study, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "train.py").symlink_to(study / "train.py")
    found, notes = root(study, other)
    assert not found["suspects"] and any("is below" in note for note in notes)


def test_a_source_that_is_no_folder_is_wrong_usage(study):
    with pytest.raises(XladoctorError, match="is no folder"):
        run(["scan", "--source", str(study / "none"), str(study.parents[1] / "run.log")])
