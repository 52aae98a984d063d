"""`--export`: what a tracker gets, what is refused before anything runs, and that no tracker can do any harm."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.xladoctor.recordings import collapsed
from tests.xladoctor.report import hostile, samples
from tests.xladoctor.report.pages import check_page
from xladoctor import trackers
from xladoctor.cli.app import run
from xladoctor.cli.output import Output
from xladoctor.errors import PipeClosed, XladoctorError
from xladoctor.report import View
from xladoctor.trackers import Destination, _process
from xladoctor.trackers._parcel import parcel_of

ROOT = Path(__file__).resolve().parents[2]
LOG = """\
Traceback (most recent call last):
  File "/home/ada/study/train.py", line 88, in <module>
    model.fit(dataset, epochs=2)
  File "/home/ada/study/warp.py", line 182, in warp
    return tf.reshape(mask, [batch, height, width])
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Input to reshape is a tensor with 778752 values, but the requested shape has 24336 [Op:__inference_step_1]
"""
MLFLOW = """
import json, os, types
def _note(*told):
    with open(os.environ["NOTED"], "a") as file:
        file.write(json.dumps(told) + "\\n")
def set_tracking_uri(uri):
    _note("uri", uri)
def get_tracking_uri():
    return "https://ada:hunter22@tracker.example"
def start_run(run_name):
    print("a library that prints")
    _note("start", run_name, os.environ.get("MLFLOW_DISABLE_TELEMETRY"))
    return types.SimpleNamespace(info=types.SimpleNamespace(run_id="r1"))
def end_run(status):
    _note("end", status)
class MlflowClient:
    def __getattr__(self, name):
        return lambda *given: _note(name, *given)
"""
WANDB = """
import json, os, types
def _note(*told):
    with open(os.environ["NOTED"], "a") as file:
        file.write(json.dumps(told) + "\\n")
Settings, Table, Html = dict, dict, lambda text, inject: text
class init:
    dir, url, summary = "wandb/run-1/files", "https://wandb.example/run-1", {}
    def __init__(self, mode, settings, name):
        _note("mode", mode, os.environ.get("WANDB_ERROR_REPORTING"))
    def log(self, values):
        _note("log", sorted(values))
    def finish(self, exit_code):
        _note("finish", exit_code, self.summary["xladoctor/verdict"])
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Make a library of that name and text; (what it noted)."""

    def made(text: str = MLFLOW, name: str = "mlflow") -> Path:
        (tmp_path / "libraries").mkdir(exist_ok=True)
        (tmp_path / "libraries" / f"{name}.py").write_text(text)
        return tmp_path / "noted"

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "libraries"))
    monkeypatch.setenv("NOTED", str(tmp_path / "noted"))
    monkeypatch.delenv("MLFLOW_RUN_ID", raising=False)
    (tmp_path / "train.log").write_text(LOG)
    return made


def noted(file: Path) -> list[list]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_run_is_made_that_has_verdict_findings_and_page(library, capsys):
    file = library()
    assert run(["scan", "train.log", "--export", "mlflow:http://127.0.0.1:1"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("xladoctor: FAILED") and "prints" not in said.out + said.err
    assert said.err.startswith("xladoctor: logged to mlflow: run r1 at ") and "hunter22" not in said.err
    told = noted(file)
    assert told[:2] == [["uri", "http://127.0.0.1:1"], ["start", "xladoctor train.log", "true"]]
    assert told[-1] == ["end", "FAILED"]
    tags = {name: value for kind, *given in told if kind == "set_tag" for _, name, value in [given]}
    assert tags["xladoctor.verdict"] == "failed" and tags["xladoctor.class"] == "reshape-mismatch"
    assert tags["xladoctor.location"] == "/home/ada/study/warp.py:182"
    [[run_id, table, _]] = [given for kind, *given in told if kind == "log_table"]
    assert run_id == "r1" and table["code"] == ["XD301"] and len({len(column) for column in table.values()}) == 1
    [[_, page, _]] = [given for kind, *given in told if kind == "log_text"]
    check_page(page)


def test_the_run_of_the_user_is_taken_and_not_ended(library, monkeypatch, capsys):
    file = library()
    monkeypatch.setenv("MLFLOW_RUN_ID", "mine")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "false")
    assert run(["scan", "train.log", "--export", "mlflow"]) == 1
    told = noted(file)
    assert {kind for kind, *_ in told} == {"set_tag", "log_table", "log_text"}
    assert {given[0] for _, *given in told} == {"mine"}


@pytest.mark.parametrize(
    ("word", "mode", "meant", "said"),
    [
        ("wandb", None, "offline", "wandb/run-1 (to send it: wandb sync wandb/run-1)"),
        ("wandb", "online", "online", "https://wandb.example/run-1"),
        ("wandb", "disabled", "disabled", "nowhere: its mode is disabled"),
        ("wandb:online", None, "online", "https://wandb.example/run-1"),
        ("wandb:offline", "online", "offline", "wandb/run-1 (to send it: wandb sync wandb/run-1)"),
    ],
)
def test_only_the_user_takes_wandb_to_a_server(word, mode, meant, said, library, monkeypatch, capsys):
    file = library(WANDB, "wandb")
    monkeypatch.delenv("WANDB_MODE", raising=False)
    if mode:
        monkeypatch.setenv("WANDB_MODE", mode)
    assert run(["scan", "train.log", "--export", word]) == 1
    assert capsys.readouterr().err == f"xladoctor: logged to wandb: {said}\n"
    assert noted(file) == [
        ["mode", meant, "false"], ["log", ["xladoctor/findings", "xladoctor/page"]], ["finish", 1, "failed"]
    ]  # fmt: skip


@pytest.mark.parametrize("text", [MLFLOW, "raise OSError('no server')"])
def test_a_command_ends_as_it_would_have(text, library, tmp_path):
    file = library(text)
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path / 'libraries'}"}
    ours = [sys.executable, "-m", "xladoctor", "scan", "--no-replay", "--exit-code", "target", "--export", "mlflow"]
    for folder, status in (("r", 3), ("s", 0)):
        command = [*ours, "--run-dir", folder, "--", sys.executable, "-c", f"raise SystemExit({status})"]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == status and "mlflow" in done.stderr, done.stderr
        assert "xladoctor: " in done.stdout and (tmp_path / folder / "diagnosis.json").is_file()
    if text == MLFLOW:
        tags = [given[1:] for kind, *given in noted(file) if kind == "set_tag"]
        assert ["xladoctor.run_dir", "r"] in tags and ["xladoctor.exit_status", "3"] in tags
        assert ["xladoctor.verdict", "healthy"] in tags and ["xladoctor.exit_status", "0"] in tags
        assert [given for kind, *given in noted(file) if kind == "end"][-1] == ["FINISHED"]


def test_ctrl_c_ends_the_logging_alone(library, monkeypatch, capsys):
    library()

    def interrupted(to, parcel):
        raise KeyboardInterrupt

    monkeypatch.setattr(_process, "send", interrupted)
    assert run(["scan", "train.log", "--export", "mlflow"]) == 1
    assert capsys.readouterr().err == "xladoctor: interrupted; mlflow may not have the diagnosis\n"


BAD = {
    "raises": ("raise OSError('no server, token=hunter22')", "OSError: no server"),
    "refuses at import": ("raise ImportError('too old')", "ImportError: too old"),
    "ends the process": ("import sys; sys.exit(7)", "SystemExit: 7"),
    "dies": ("import os, sys; sys.stderr.write('killed\\n'); os._exit(0)", "killed"),
    "dies silently": ("import os; os.kill(os.getpid(), 9)", "without an answer"),
    "asks": ("input('login? ')", "EOFError"),
    "hangs": ("import time; time.sleep(600)", "no answer within 3 s"),
    "answers nonsense": ("import os; os.write(1, b'{}'); os._exit(1)", "{}"),
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_tracker_that_fails_is_a_warning_and_changes_nothing(text, library, monkeypatch, capsys):
    monkeypatch.setattr(_process, "SECONDS", 3.0 if "sleep" in text[0] else 60.0)
    library(text[0])
    assert run(["scan", "train.log"]) == 1
    alone = capsys.readouterr()
    assert run(["scan", "train.log", "--export", "mlflow"]) == 1
    said = capsys.readouterr()
    assert said.out == alone.out
    assert re.fullmatch(r"xladoctor: mlflow did not take the diagnosis: .*\n", said.err) and text[1] in said.err
    assert "hunter22" not in said.err


def test_what_a_library_leaves_behind_holds_nothing_up(library, capsys):
    library(MLFLOW + "import subprocess; p = subprocess.Popen(['sleep', '600']); _note('pid', p.pid)")
    assert run(["scan", "train.log", "--export", "mlflow"]) == 1
    with contextlib.suppress(ProcessLookupError):
        os.kill(noted(Path(os.environ["NOTED"]))[0][1], 9)
    assert "logged to mlflow" in capsys.readouterr().err


def test_nobody_reads_the_report_and_the_tracker_gets_it(library, monkeypatch, capsys):
    file = library()

    def gone(self, text):
        raise PipeClosed

    monkeypatch.setattr(Output, "write", gone)
    with pytest.raises(BrokenPipeError):
        run(["scan", "train.log", "--export", "mlflow"])
    assert noted(file)[-1] == ["end", "FAILED"]


WRONG = {
    "mlflo": "--export mlflo: no such tracker",
    "": "--export : no such tracker",
    "mlflow:": "--export mlflow: nothing stands behind the colon of mlflow:",
    "tensorboard": "--export tensorboard: name a log folder: --export tensorboard:LOGDIR",
    "tensorboard:train.log/x": "--export tensorboard: train.log is no folder",
    "wandb:on": "--export wandb: on is no mode; give wandb:online or wandb:offline",
    "wandb": "--export wandb needs the library wandb, which xladoctor's Python does not have",
}


@pytest.mark.parametrize("word", WRONG)
@pytest.mark.parametrize("command", [["scan", "--", sys.executable, "-c", "open('ran', 'w')"], ["report", "train.log"]])
def test_what_cannot_be_done_is_said_before_anything_runs(word, command, library, monkeypatch, tmp_path):
    (tmp_path / "wandb").mkdir()  # as wandb makes one for its runs: no library
    monkeypatch.setattr(sys, "path", [str(tmp_path), *(p for p in sys.path if not Path(p, "wandb").exists())])
    sys.path_importer_cache.clear()
    with pytest.raises(XladoctorError) as caught:
        run([command[0], "--export", word, *command[1:]])
    assert caught.value.message.replace(f"{tmp_path}/", "") == WRONG[word] and caught.value.exit_code == 2
    assert not (tmp_path / "ran").exists() and not (tmp_path / "xladoctor-runs").exists()
    assert caught.value.hint or ":" in word or word == "tensorboard"


def test_one_run_is_logged_and_not_many(library, tmp_path):
    library()
    (tmp_path / "other.log").write_text(LOG)
    with pytest.raises(XladoctorError, match="logs one run, but there are 2"):
        run(["scan", "train.log", "other.log", "--export", "mlflow"])
    with pytest.raises(XladoctorError, match="--diff cannot be combined with --export"):
        run(["report", "--diff", "a", "b", "--export", "mlflow"])


def test_a_report_is_logged_as_it_is_written(library, tmp_path, capsys):
    file = library()
    collapsed(16).write(tmp_path / "fails")
    assert run(["report", "fails", "--redact", "--export", "mlflow", "--output", "b.html"]) == 0
    told = noted(file)
    assert str(tmp_path) not in file.read_text()
    assert [given[1] for kind, *given in told if kind == "log_text"] == [(tmp_path / "b.html").read_text()]


def test_every_text_of_a_parcel_is_harmless():
    parcel = parcel_of(hostile.FULL, hostile.VIEW)
    evil = parcel_of(replace(samples.LOUD, source=hostile.EVIL, verdict=hostile.EVIL), hostile.VIEW)
    for text in (*evil.verdict.values(), evil.name, *(cell for row in evil.rows for cell in row)):
        assert not hostile.CONTROL.search(text) and len(text) <= 500
    assert len(parcel.rows) == len(hostile.FULL.findings) and {len(r) for r in parcel.rows} == {len(parcel.heads)}


def test_a_healthy_run_has_a_row_and_a_verdict():
    parcel = parcel_of(replace(samples.LOUD, findings=(), verdict="healthy"), View())
    assert parcel.verdict["verdict"] == "healthy" and "headline" not in parcel.verdict
    assert len(parcel.rows) == 1 and not parcel.failed


def test_a_new_tracker_is_one_file(tmp_path, monkeypatch):
    text = "from xladoctor.trackers import Tracker\nTRACKER = Tracker('json', lambda parcel, where: where)\n"
    (tmp_path / "zebra.py").write_text(text)
    monkeypatch.setattr(trackers, "__path__", [*trackers.__path__, str(tmp_path)])
    assert trackers.destinations(["zebra:a:b", "zebra:a:b"]) == (Destination("zebra", "a:b"),)


def test_without_the_option_no_tracker_is_loaded():
    code = (
        "import sys; from xladoctor.cli.app import run; run(['scan', '--help']); "
        "sys.exit(str([m for m in sys.modules if m.startswith('xladoctor.trackers')]))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == "[]\n"
    assert "mlflow, tensorboard, wandb" in " ".join(done.stdout.split())


# With the libraries themselves (`make test-trackers`) ---------------------------------------------------------------

PYTHON = os.environ.get("XLADOCTOR_TEST_TRACKERS", sys.executable)
"""An interpreter that has them, and what xladoctor needs."""
READ = {
    "mlflow": """
import json, sys, mlflow
client = mlflow.MlflowClient()
[run] = client.search_runs(["0"])
page = mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/xladoctor/diagnosis.html")
table = mlflow.load_table("xladoctor/findings.json", run_ids=[run.info.run_id])
tags = {k.partition(".")[2]: v for k, v in run.data.tags.items() if k.startswith("xladoctor.")}
assert run.info.status == "FAILED", run.info
print(json.dumps([tags["verdict"], list(table["code"]), page]))
""",
    "wandb": """
import glob, json, re
files = "wandb/offline-run-*/files/media"
[table], [page] = (glob.glob(f"{files}/{kind}/**/*.*", recursive=True) for kind in ("table", "html"))
[run] = glob.glob("wandb/offline-run-*/*.wandb")
verdict = re.search(rb'xladoctor/verdict.{0,10}?"(\\w+)"', open(run, "rb").read(), re.DOTALL)
told = json.load(open(table))
codes = [row[told["columns"].index("code")] for row in told["data"]]
print(json.dumps([verdict[1].decode(), codes, open(page).read()]))
""",
    "tensorboard": """
import json, glob
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
[folder] = glob.glob("logs/*")
read = EventAccumulator(folder)
read.Reload()
texts = {tag: read.Tensors(tag)[0].tensor_proto.string_val[0].decode() for tag in read.Tags()["tensors"]}
for tag in texts:
    assert read.SummaryMetadata(tag).plugin_data.plugin_name == "text"
verdict = [row.split(" | ")[1].rstrip(" |") for row in texts["xladoctor/verdict"].splitlines() if "verdict" in row]
codes = [row.split(" | ")[0].lstrip("| ") for row in texts["xladoctor/findings"].splitlines()[2:]]
print(json.dumps([verdict[0], codes, open(f"{folder}/diagnosis.html").read()]))
""",
}


@pytest.fixture
def proxy():
    """An address that a library would use to reach any server, and who came."""
    came: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(5)
                    came.append(connection.recv(200))

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}", came
    server.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", READ)
def test_with_the_library_itself(name, tmp_path, proxy):
    """What was logged is read back by the library. It reached for no server, and TensorFlow was not loaded."""
    found = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is None)"
    if subprocess.run([PYTHON, "-c", found], cwd=tmp_path, check=False).returncode:
        pytest.skip(f"{PYTHON} has no {name}; make test-trackers installs it")
    address, came = proxy
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MLFLOW_", "WANDB_"))}
    env = {
        **kept, "PYTHONPATH": f"{tmp_path / 'poison'}{os.pathsep}{ROOT}", "HOME": str(tmp_path),
        "HTTP_PROXY": address, "HTTPS_PROXY": address, "http_proxy": address, "https_proxy": address, "NO_PROXY": "",
    }  # fmt: skip
    (tmp_path / "poison" / "tensorflow").mkdir(parents=True)
    poison = f"open({str(tmp_path / 'loaded')!r}, 'w').close()\nraise ImportError('this is not to be loaded')\n"
    (tmp_path / "poison" / "tensorflow" / "__init__.py").write_text(poison)
    (tmp_path / "train.log").write_text(LOG)
    word = f"{name}:logs" if name == "tensorboard" else name
    scan = [PYTHON, "-m", "xladoctor", "scan", "train.log", "--export", word]
    done = subprocess.run(scan, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 1 and f"xladoctor: logged to {name}: " in done.stderr, done.stderr
    assert not (tmp_path / "loaded").exists() and came == []
    read = subprocess.run(
        [PYTHON, "-c", READ[name]], cwd=tmp_path, env={**kept, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert read.returncode == 0, read.stderr
    verdict, codes, page = json.loads(read.stdout.splitlines()[-1])
    assert (verdict, codes) == ("failed", ["XD301"])
    check_page(page)
