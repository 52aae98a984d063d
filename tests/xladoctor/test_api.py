"""The doctor from Python: what it reads, and blocks of a program that it records and then leaves alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from xladoctor import api
from xladoctor.errors import XladoctorError

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = ROOT / "tests" / "patients" / "watch" / "blocks.py"
LOG = """Traceback (most recent call last):
  File "/home/ada/train.py", line 9, in <module>
    tf.reshape(x, [4, 5])
ValueError: Cannot reshape a tensor with 21 elements to shape [4,5] (20 elements) for '{{node Reshape}} = Reshape[T=DT_FLOAT, Tshape=DT_INT32](x, Reshape/shape)' with input shapes: [21], [2].
"""  # noqa: E501
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
BESIDES = {"PYTHONPATH": quick.path(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}


def python(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **BESIDES, **more}
    return subprocess.run([sys.executable, *words], cwd=cwd, env=env, capture_output=True, text=True, timeout=400)


# -- what was saved


def test_a_log_and_a_text_give_one_diagnosis_which_shows_itself(tmp_path):
    (tmp_path / "train.log").write_text(LOG)
    of_file, of_text = api.diagnose(tmp_path / "train.log"), api.diagnose(text=LOG)
    assert of_file.root.slug == of_text.root.slug == "reshape-mismatch"
    assert (of_file.source, of_text.source) == (str(tmp_path / "train.log"), "the text")
    assert "reshape-mismatch" in str(of_file) and of_file.render("json").startswith("{")
    shown = of_text._repr_mimebundle_()
    assert shown["text/plain"] == str(of_text)
    assert shown["text/html"].startswith("<iframe sandbox=") and "&lt;!doctype html&gt;" in shown["text/html"].lower()


def test_hostile_text_stays_inside_of_the_frame():
    page = api.diagnose(text=LOG.replace("train.py", 'x"></iframe><script>alert(1)</script>'))._repr_mimebundle_()
    assert page["text/html"].count("<") == 2, "only the frame itself is markup"
    assert "</script>" not in page["text/html"]


@pytest.mark.parametrize("call", [lambda: api.diagnose(), lambda: api.diagnose("a.log", text="x")])
def test_that_it_takes_files_or_a_text(call):
    with pytest.raises(TypeError):
        call()


def test_what_cannot_be_read_says_so(tmp_path):
    for path in (tmp_path / "missing.log", tmp_path):
        with pytest.raises(XladoctorError):
            api.diagnose(path)
    with pytest.raises(XladoctorError):
        api.diagnose(text="")
    with pytest.raises(XladoctorError):
        api.trace(tmp_path)


def test_that_importing_loads_next_to_nothing(tmp_path):
    code = "import sys; before = set(sys.modules); import xladoctor, xladoctor.api; print(*set(sys.modules) - before)"
    loaded = python("-c", code, cwd=tmp_path).stdout.split()
    ours = {name for name in loaded if name.startswith("xladoctor")}
    assert ours == {"xladoctor", "xladoctor.api", "xladoctor.errors", "xladoctor.model"} | {
        f"xladoctor.model.{name}" for name in ("diagnosis", "frozen", "location")
    }
    assert not {"tensorflow", "numpy", "pandas", "rich", "typer", "asyncio"} & set(loaded)


# -- blocks


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blocks")
    (folder / "train.py").write_text(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0])
    (folder / "pyproject.toml").write_text('[tool.xladoctor.places]\n"shapes:pad" = "x (B N) -> (B N)"\n')
    (folder / "shapes.py").write_text(
        "import tensorflow as tf\n\ndef pad(x):\n    return tf.pad(x, [[0, 0], [0, 1]])\n"
    )
    done = python(str(BLOCKS), str(folder), cwd=folder)
    lines = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    assert done.returncode == 0 and lines, done.stderr[-3000:]
    return json.loads(lines[-1].removeprefix("TOLD ")), folder


@pytest.mark.slow
def test_a_watch_that_begins_early_sees_everything(told):
    facts, folder = told
    assert facts["first"] == {"notes": [], "verdict": "healthy"}
    assert api.diagnose(folder / "first").verdict == "healthy"


@pytest.mark.slow
def test_the_hooks_are_there_in_the_block_and_gone_after_it(told):
    facts, _ = told
    during = {
        name.rpartition(".")[0].rpartition(".")[2] + "." + name.rpartition(".")[2]
        for name in facts["during"]["changed"]
    }
    assert {"Function.__call__", "Function.__init__", "TensorFlowTrainer.fit", "_Environ.__getitem__"} <= during
    assert {"callbacks", "meta_path", "sys.excepthook"} <= set(facts["during"]["changed"])
    assert facts["after"]["changed"] == []
    assert facts["own"] == {"watched": True, "after": False}, "a traced function has its own method again"
    assert facts["again"]["value"] == [2.0, 2.0, 2.0]


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 11), reason="a bare raise puts the frames back that were taken off")
def test_the_exception_of_the_block_goes_on_without_a_frame_of_ours(told):
    files = told[0]["after"]["files"]
    assert files[0] == str(BLOCKS)
    assert not [f for f in files if "xladoctor" in f.removeprefix(str(ROOT)) or f.startswith(str(ROOT / "probes"))]


@pytest.mark.slow
def test_a_failure_in_the_block_is_diagnosed_and_what_was_before_it_is_said(told):
    facts, folder = told
    assert facts["failed"]["slug"] == "broadcast-mismatch"
    assert facts["failed"]["place"].startswith(f"{BLOCKS}:")
    notes = " ".join(facts["failed"]["notes"])
    assert "after TensorFlow had been imported" in notes and "TF_XLA_FLAGS" in notes and "doubled (called at" in notes
    assert api.diagnose(folder / "failed").root.slug == "broadcast-mismatch"
    assert not api.diagnose(folder / "failed").problems


@pytest.mark.slow
def test_watches_do_not_nest_and_an_open_one_has_no_diagnosis(told):
    facts, _ = told
    assert facts["nested"] == {"error": "another watch is open in this process", "made": False}
    assert "still open" in facts["open"]["error"]


@pytest.mark.slow
def test_what_somebody_put_over_a_hook_stays_and_ours_below_it_records_nothing(told):
    facts, _ = told
    assert facts["foreign"]["there"] and facts["inert"] == {"grew": 0}
    assert any("os._Environ.__getitem__" in note for note in facts["foreign"]["notes"])


@pytest.mark.slow
def test_places_of_the_user_are_watched_and_their_functions_come_back(told):
    facts, folder = told
    rows = [["shapes:pad", [2, 3]], ["shapes:pad", [2, 4]]]
    assert facts["places"] == {"verdict": "broken", "rows": rows, "slugs": ["contract-violation"], "back": True}
    assert api.trace(folder / "places").verdict == "broken"


@pytest.mark.slow
def test_a_thread_that_is_in_the_middle_of_calls_when_the_block_ends_goes_on(told):
    assert told[0]["thread"] == {"values": ["2.0"], "changed": []}


@pytest.mark.slow
def test_that_the_recorders_can_be_switched_off(told):
    assert told[0]["off"] == {"why": "XLADOCTOR_PROBES=0 switches the recorders off", "made": False}


@pytest.mark.slow
def test_the_callback_records_each_call_and_is_gone_after_it(told):
    facts, _ = told
    assert facts["fit"] == {"verdict": "healthy", "hooks": False, "runs": 1}
    assert facts["said"]["by"].startswith("xladoctor: HEALTHY")
    assert facts["calls"]["of"] == [["fit", "begin", str(BLOCKS)]], "the call that was under way, at the user's line"


@pytest.mark.slow
def test_the_callback_of_a_fit_that_fails(told):
    facts, _ = told
    assert facts["fit raised"] == {"hooks": True}, "Keras says nothing: as long as the exception holds its list"
    assert facts["fit left"] == {"hooks": False}
    assert facts["fit failed"]["slug"] == "broadcast-mismatch"
    assert facts["fit failed"]["place"].startswith(f"{BLOCKS}:")
    assert facts["values"]["kept"], "what fit was given, so that a worker can run the step again"


def test_that_a_callback_needs_keras_and_does_not_import_it():
    code = "from xladoctor import api\ntry: api.KerasCallback()\nexcept api.XladoctorError as error: print(error)"
    assert python("-c", code, cwd=ROOT).stdout == "Keras is not imported\n"


@pytest.mark.slow
def test_the_page_shows_what_its_program_prints(told):
    facts, folder = told
    came = facts["docs"]["shown"].replace(f"{folder}/", "")
    shown = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
    at, words = 0, " ".join(came.split())
    for part in shown.split("...\n"):
        found = words.find(" ".join(part.split()), at)
        assert found >= at, f"{part}\n-- is not in --\n{came[:6000]}"
        at = found


PROGRAM = """from xladoctor import api
with api.watch("run") as run:
    print("runs")
print(run.report())
try:
    run.diagnosis()
except api.XladoctorError as error:
    print(error)
"""


def test_under_scan_nothing_more_is_recorded_and_the_program_runs(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = python("-m", "xladoctor", "scan", "--", sys.executable, "program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = "nothing was recorded: this program is already recorded as a whole (xladoctor scan, or preflight)"
    assert f"runs\nxladoctor: no diagnosis: {said}\n{said}\n" in done.stdout
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_made_costs_the_recording_alone(tmp_path):
    (tmp_path / "run").write_text("a file")
    done = python("-c", PROGRAM, cwd=tmp_path)
    said = "runs\nxladoctor: no diagnosis: nothing was recorded: cannot make the run folder"
    assert done.returncode == 0 and said in done.stdout
