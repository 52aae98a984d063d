"""Commands under the doctor, however they end: run folders, exit codes, signals. Nothing here starts TensorFlow."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

XLADOCTOR = [sys.executable, "-m", "xladoctor"]


def scan(tmp_path: Path, *words: str, **kwargs) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*XLADOCTOR, "scan", *words], cwd=tmp_path, capture_output=True, timeout=120, **kwargs)


def scan_program(tmp_path: Path, source: str, *options: str, flags: tuple[str, ...] = ()):
    """(completed process, diagnosis) of a small program under the doctor."""
    (tmp_path / "program.py").write_text(source)
    done = scan(tmp_path, "--run-dir", "run", *options, "--", sys.executable, *flags, "program.py")
    file = tmp_path / "run" / "diagnosis.json"
    return done, json.loads(file.read_text()) if file.exists() else None


def root(diagnosis) -> tuple[str, str]:
    return diagnosis["findings"][0]["class"], diagnosis["findings"][0]["title"]


def test_a_healthy_program(tmp_path):
    done, diagnosis = scan_program(tmp_path, "import sys\nprint('out')\nprint('err', file=sys.stderr)\n")
    assert done.returncode == 0
    assert done.stdout.startswith(b"out\n")
    assert done.stderr == b"err\n"
    assert (diagnosis["verdict"], diagnosis["findings"]) == ("healthy", [])
    assert (tmp_path / "run" / "stdout.log").read_bytes() == b"out\n"


def test_the_exit_status_of_the_target_is_recorded_and_can_be_handed_on(tmp_path):
    done, diagnosis = scan_program(tmp_path, "raise SystemExit(7)", "--exit-code", "target")
    assert done.returncode == 7
    assert json.loads((tmp_path / "run" / "run.json").read_text())["outcome"]["code"] == 7
    assert root(diagnosis) == ("not-xla", "the run exited with 7")


def test_an_ordinary_exception_is_said_to_be_no_xla_failure(tmp_path):
    done, diagnosis = scan_program(tmp_path, "def f():\n    raise KeyError('boom')\nf()\n")
    assert done.returncode == 1
    finding = diagnosis["findings"][0]
    assert finding["class"] == "not-xla"
    assert finding["location"]["line"] == 2
    assert finding["location"]["file"].endswith("program.py")


def test_the_traceback_that_the_user_sees_has_no_frame_of_ours(tmp_path):
    done, _ = scan_program(tmp_path, "import threading\ndef f():\n    raise KeyError('boom')\nf()\n")
    assert b"xladoctor" not in done.stderr.partition(b"KeyError")[0]


def test_a_target_that_is_killed(tmp_path):
    done, diagnosis = scan_program(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    assert done.returncode == 1
    assert root(diagnosis) == ("not-xla", "the run was killed by SIGKILL")
    assert "out-of-memory" in diagnosis["findings"][0]["message"]


def test_a_target_that_crashes_leaves_its_python_stack(tmp_path):
    _, diagnosis = scan_program(tmp_path, "import os\ndef deep():\n    os.abort()\ndeep()\n")
    assert diagnosis["verdict"] == "failed"
    assert "in deep" in (tmp_path / "run" / "stderr.log").read_text()


def test_a_target_that_hangs_is_ended_with_all_its_children(tmp_path):
    source = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid, flush=True)\n"
        "def stuck():\n    time.sleep(600)\nstuck()\n"
    )
    done, diagnosis = scan_program(tmp_path, source, "--timeout", "10")
    assert done.returncode == 1
    assert root(diagnosis)[1].startswith("the run was stopped at the time-out")
    assert "in stuck" in (tmp_path / "run" / "stderr.log").read_text()
    child = int((tmp_path / "run" / "stdout.log").read_text())
    for _ in range(50):
        if not Path(f"/proc/{child}").exists() or "zombie" in Path(f"/proc/{child}/status").read_text():
            break
        time.sleep(0.1)
    else:
        pytest.fail("the child lives on")


def test_a_target_that_does_not_exist(tmp_path):
    done = scan(tmp_path, "--", "no-such-program", "--flag")
    assert done.returncode == 3
    assert b"no-such-program: no such program" in done.stderr
    assert not (tmp_path / "xladoctor-runs").exists()


def test_a_script_that_is_not_executable_gets_a_hint(tmp_path):
    (tmp_path / "train.py").write_text("")
    done = scan(tmp_path, "--", "./train.py")
    assert done.returncode == 3
    assert b"python ./train.py" in done.stderr


def test_binary_rubbish_passes_through_byte_for_byte(tmp_path):
    rubbish = bytes(range(256)) * 40
    done, diagnosis = scan_program(tmp_path, f"import sys\nsys.stdout.buffer.write({rubbish!r})\n", "--quiet")
    assert done.returncode == 0
    assert done.stdout.startswith(rubbish)
    assert (tmp_path / "run" / "stdout.log").read_bytes() == rubbish
    assert diagnosis["verdict"] == "healthy"


@pytest.mark.parametrize(("flag", "why"), [("-I", "isolated mode"), ("-E", "ignored"), ("-S", "no site module")])
def test_probes_that_could_not_load_are_said(tmp_path, flag, why):
    done, diagnosis = scan_program(tmp_path, "print(1)", flags=(flag,))
    assert done.returncode == 0
    assert (diagnosis["verdict"], diagnosis["findings"][0]["class"]) == ("warnings", "not-recorded")
    assert why in diagnosis["findings"][0]["message"]


def test_no_probes_is_said_too(tmp_path):
    _, diagnosis = scan_program(tmp_path, "print(1)", "--no-probes")
    assert (diagnosis["verdict"], diagnosis["findings"][0]["class"]) == ("warnings", "not-recorded")
    assert not list((tmp_path / "run").glob("events-*"))


def test_json_on_stdout_is_that_json_and_nothing_else(tmp_path):
    done, _ = scan_program(tmp_path, "print('noise')", "--format", "json")
    assert json.loads(done.stdout)["schema"] == "xladoctor.diagnosis/1"
    assert b"noise" in done.stderr


def test_signals_reach_the_target(tmp_path):
    (tmp_path / "program.py").write_text(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('got it', flush=True), sys.exit(5)))\n"
        "print('ready', flush=True)\ntime.sleep(60)\n"
    )
    command = [*XLADOCTOR, "scan", "--exit-code", "target", "--run-dir", "run", "--", sys.executable, "program.py"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert out.startswith(b"got it\n")
    assert process.returncode == 5
    assert json.loads((tmp_path / "run" / "run.json").read_text())["outcome"]["state"] == "interrupted"


def test_the_run_folder_is_never_written_into_twice(tmp_path):
    scan_program(tmp_path, "print(1)")
    before = {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()}
    done = scan(tmp_path, "--run-dir", "run", "--", sys.executable, "-c", "1")
    assert done.returncode == 2
    assert b"never written into twice" in done.stderr
    scan(tmp_path, "run")
    assert before == {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()}


def test_a_run_folder_gives_the_same_diagnosis_again_somewhere_else(tmp_path):
    _, first = scan_program(tmp_path, "def f():\n    raise KeyError('boom')\nf()\n")
    moved = tmp_path / "elsewhere" / "copy"
    moved.parent.mkdir()
    (tmp_path / "run").rename(moved)
    done = scan(tmp_path, str(moved), "--format", "json")
    again = json.loads(done.stdout)
    assert done.returncode == 1
    for part in ("verdict", "findings", "hypotheses", "settings", "shapes", "xla_paths", "notes"):
        assert again[part] == first[part], part


def test_secrets_of_the_environment_and_the_command_are_not_written(tmp_path):
    (tmp_path / "program.py").write_text("")
    env = {**os.environ, "MY_API_TOKEN": "hunter2hunter2", "PYTHON_PLAIN": "ftp://me:hunter3@example.org"}
    words = ["https://u:hunter4@example.org", "--api-key=hunter5", "--token", "hunter6", "PASSWORD=hunter7", "--n", "3"]
    scan(tmp_path, "--run-dir", "run", "--", "env", "API_KEY=hunter8", sys.executable, "program.py", *words, env=env)
    for file in (tmp_path / "run").rglob("*"):
        assert not file.is_file() or b"hunter" not in file.read_bytes(), file
    command = json.loads((tmp_path / "run" / "run.json").read_text())["command"]
    assert command[-6:] == ["--api-key=<redacted>", "--token", "<redacted>", "PASSWORD=<redacted>", "--n", "3"]
    assert oct((tmp_path / "run").stat().st_mode)[-3:] == "700", "the batch and the output are the user's alone"


def test_an_interrupted_run_ends_with_130_and_asks_no_worker(tmp_path):
    (tmp_path / "program.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    command = [*XLADOCTOR, "scan", "--run-dir", "run", "--", sys.executable, "program.py"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert (tmp_path / "run" / "diagnosis.json").exists()
    assert not (tmp_path / "run" / "worker.jsonl").exists()


@pytest.fixture
def run_folder(tmp_path):
    scan_program(tmp_path, "from collections import OrderedDict\nraise KeyError('boom')\n")
    return tmp_path / "run"


def test_a_half_written_events_file_is_said_and_the_rest_is_used(tmp_path, run_folder):
    events = next(run_folder.glob("events-*.jsonl"))
    events.write_bytes(events.read_bytes()[:-20])
    done = scan(tmp_path, "run")
    assert done.returncode == 2
    assert b"damaged line" in done.stdout + done.stderr
    assert b"KeyError" in done.stdout


@pytest.mark.parametrize("file", ["run.json", "events"])
def test_a_newer_schema_is_said_and_the_rest_is_used(tmp_path, run_folder, file):
    path = run_folder / "run.json" if file == "run.json" else next(run_folder.glob("events-*.jsonl"))
    path.write_text(path.read_text().replace("xladoctor.run/1", "xladoctor.run/2").replace("events/1", "events/2"))
    done = scan(tmp_path, "run")
    assert done.returncode == 2
    assert b"this xladoctor reads" in done.stdout + done.stderr
    assert b"KeyError" in done.stdout


def test_a_damaged_run_json(tmp_path, run_folder):
    (run_folder / "run.json").write_text("{")
    done = scan(tmp_path, "run")
    assert done.returncode == 2
    assert b"run.json is missing or damaged" in done.stdout + done.stderr
    assert b"KeyError" in done.stdout


def test_random_bytes_are_no_healthy_log(tmp_path):
    (tmp_path / "train.log").write_bytes(random.Random(3).randbytes(100_000))
    done = scan(tmp_path, "train.log")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"train.log: is binary" in done.stderr


@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.write_bytes(b""), lambda p: p.mkdir()])
def test_what_cannot_be_read_is_said_in_one_line(tmp_path, make):
    make(tmp_path / "train.log")
    done = scan(tmp_path, "train.log")
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"train.log" in done.stderr
    assert b"Traceback" not in done.stderr
