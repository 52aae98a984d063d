"""The doctor's end of a worker: answers, refusals, deaths, silence; and one real worker."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.xladoctor.experiments.under import ended, until
from xladoctor.workers.worker import Worker, WorkerDied, WorkerRefused, WorkerTimeout

PROBES = Path(__file__).parents[3] / "probes"

# Stands in for probes/graph/worker.py: it does what the op says.
FAKE = """
import json, os, signal, subprocess, sys, time
print("started", os.getpid(), file=sys.stderr, flush=True)
print("no JSON at all", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    op = request["op"]
    if op == "die":
        print("the last words", file=sys.stderr, flush=True)
        os._exit(3)
    if op == "abort":
        os.kill(os.getpid(), signal.SIGABRT)
    if op == "sleep":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        print(json.dumps({"id": -1, "ok": True, "result": None}), flush=True)
        open(request["file"], "w").write(str(child.pid))
        time.sleep(60)
    if op == "environment":
        result = {k: os.environ.get(k) for k in request["names"]}
    elif op == "refuse":
        print(json.dumps({"id": request["id"], "ok": False, "error": {"type": "Refused", "message": "op WriteFile"}}))
        sys.stdout.flush()
        continue
    elif op == "large":
        result = "x" * 3_000_000
    else:
        result = {"argv": sys.argv[1:], "cwd": os.getcwd(), **request}
    print(json.dumps({"id": request["id"], "ok": True, "result": result}), flush=True)
"""


@pytest.fixture
def fake(tmp_path):
    folder = tmp_path / "fake probes" / "graph"
    folder.mkdir(parents=True)
    (folder / "worker.py").write_text(FAKE)
    (tmp_path / "cwd").mkdir()

    def make(env=None, cwd=tmp_path / "cwd", **options):
        return Worker(
            sys.executable,
            folder.parent,
            os.environ if env is None else env,
            cwd,
            tmp_path / "logs" / "worker.log",
            **options,
        )

    return make


def test_request_and_answer(fake, tmp_path):
    with fake(memory=1 << 40, cpu=500) as worker:
        assert worker.started == 0
        told = worker.request("anything", capsule="a b; c", wanted=[{"id": 1}])
        assert told["capsule"] == "a b; c"
        assert told["wanted"] == [{"id": 1}]
        assert told["cwd"] == str(tmp_path / "cwd")
        assert told["argv"] == ["--memory", str(1 << 40), "--cpu", "500"]
        assert worker.request("again")["op"] == "again"
        assert len(worker.request("large")) == 3_000_000
        assert worker.started == 1
    assert "started" in (tmp_path / "logs" / "worker.log").read_text()


def test_refusal(fake):
    with fake() as worker, pytest.raises(WorkerRefused, match="Refused: op WriteFile") as caught:
        worker.request("refuse")
    assert (caught.value.type, caught.value.message) == ("Refused", "op WriteFile")


def test_death_is_a_result_and_a_new_one_takes_over(fake):
    with fake() as worker:
        with pytest.raises(WorkerDied, match="exit code 3: the last words") as caught:
            worker.request("die")
        assert (caught.value.exit, caught.value.signal) == (3, None)
        assert caught.value.tail.splitlines()[-1] == "the last words"
        with pytest.raises(WorkerDied, match="SIGABRT") as caught:
            worker.request("abort")
        assert (caught.value.exit, caught.value.signal) == (None, "SIGABRT")
        assert "last words" not in caught.value.tail  # of this process, not of the one before
        assert worker.request("still there")["id"] == 3
        assert worker.started == 3


def test_death_between_questions(fake):
    with fake() as worker:
        worker.request("one")
        pid = worker._process.pid
        os.kill(pid, signal.SIGKILL)
        until(lambda: ended(pid))
        assert worker.request("two")["op"] == "two"
        assert worker.started == 2


def test_timeout_kills_the_whole_group(fake, tmp_path):
    pid_file = tmp_path / "child"
    with fake() as worker:
        worker.request("warm up")
        pid = worker._process.pid
        start = time.monotonic()
        with pytest.raises(WorkerTimeout, match=r"no answer to 'sleep' within 3 s"):
            worker.request("sleep", timeout=3, file=str(pid_file))
        assert time.monotonic() - start < 30, "it would sleep for 60 s"
        child = int(pid_file.read_text())
        until(lambda: ended(pid) and ended(child))
        assert worker.request("after")["op"] == "after"


def test_closing_leaves_nothing_behind(fake):
    with fake() as worker:
        worker.request("one")
        pid = worker._process.pid
    assert ended(pid)
    worker.close()  # once more does no harm


def test_the_recorder_stays_out_of_a_worker(fake, tmp_path):
    bootstrap = tmp_path / "fake probes" / "bootstrap"
    env = {
        **os.environ,
        "PYTHONPATH": f"{bootstrap}{os.pathsep}/somewhere/else",
        "XLADOCTOR_RUN_DIR": "/runs/1",
    }
    with fake(env) as worker:
        told = worker.request("environment", names=["PYTHONPATH", "XLADOCTOR_RUN_DIR", "XLADOCTOR_PROBES"])
    assert told == {"PYTHONPATH": "/somewhere/else", "XLADOCTOR_RUN_DIR": None, "XLADOCTOR_PROBES": "0"}


def test_an_interpreter_that_is_none(tmp_path):
    worker = Worker("/no/such/python", PROBES, {}, tmp_path, tmp_path / "log")
    with worker, pytest.raises(WorkerDied, match="No such file"):
        worker.request("hello")


def test_the_real_worker_says_hello_without_tensorflow(tmp_path):
    with Worker(sys.executable, PROBES, os.environ, tmp_path, tmp_path / "log") as worker:
        told = worker.request("hello", timeout=30)
        assert told["schema"] == "xladoctor.worker/1"
        assert told["pid"] != os.getpid()
        with pytest.raises(WorkerRefused, match="BadRequest: unknown op 'nonsense'"):
            worker.request("nonsense", timeout=30)


def test_limits_hold(tmp_path):
    """A worker that may use 200 MB cannot import TensorFlow: it dies or says so, and the doctor lives on."""
    with Worker(sys.executable, PROBES, os.environ, tmp_path, tmp_path / "log", memory=200 << 20) as worker:
        assert worker.request("hello", timeout=30)["tensorflow"] is None
        with pytest.raises((WorkerDied, WorkerRefused)):
            worker.request("hello", timeout=60, tensorflow=True)


@pytest.mark.slow
def test_the_modules_of_the_worker_hide_none_of_the_target(tmp_path):
    """In `probes/graph` there are modules called `load`, `step`, `shapes`: the target's own must win."""
    (tmp_path / "load.py").write_text("NAME = 'the target'\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with Worker(sys.executable, PROBES, env, tmp_path, tmp_path / "log") as worker:
        assert worker.request("hello", timeout=120, tensorflow=True)["tensorflow"]


def test_a_worker_without_a_folder_stands_in_an_empty_one_of_ours(fake, tmp_path, monkeypatch):
    """What lies in the current folder, or in one that PYTHONPATH names from there, is not on its path."""
    monkeypatch.chdir(tmp_path)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(("", ".", "cwd", "/absolute")), "PYTHONUSERBASE": "here"}
    with fake(env, cwd=None) as worker:
        told = worker.request("environment", names=["PYTHONPATH", "PYTHONSAFEPATH", "PYTHONUSERBASE"])
        assert told == {"PYTHONPATH": "/absolute", "PYTHONSAFEPATH": "1", "PYTHONUSERBASE": None}
        where = Path(worker.request("x")["cwd"])
        assert list(where.iterdir()) == [] and tmp_path not in where.parents
    assert not where.exists()


def test_for_a_callable_of_the_users_relative_entries_are_meant_from_its_folder(fake, tmp_path):
    with fake({**os.environ, "PYTHONPATH": "src"}) as worker:
        told = worker.request("environment", names=["PYTHONPATH", "PYTHONSAFEPATH"])
    assert told["PYTHONPATH"] == str(tmp_path / "cwd" / "src")


def test_the_real_worker_imports_nothing_from_where_the_doctor_stands(tmp_path, monkeypatch):
    evil = "open(__file__ + '.ran', 'w')\n"
    for name in ("numpy", "json", "sitecustomize", "usercustomize", "argparse"):
        (tmp_path / f"{name}.py").write_text(evil)
    monkeypatch.chdir(tmp_path)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(("", "."))}
    with Worker(sys.executable, PROBES, env, None, tmp_path / "logs" / "log") as worker:
        assert worker.request("hello", timeout=60)["tensorflow"] is None
    assert list(tmp_path.glob("*.ran")) == []


def test_a_log_that_is_a_link_is_not_written_through(tmp_path):
    (tmp_path / "log").symlink_to(tmp_path / "other")
    worker = Worker(sys.executable, PROBES, os.environ, None, tmp_path / "log")
    with worker, pytest.raises((WorkerDied, OSError)):
        worker.request("hello", timeout=30)
    assert not (tmp_path / "other").exists()
