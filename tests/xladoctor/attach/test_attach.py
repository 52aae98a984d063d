"""`xladoctor attach` at programs that really hang; nothing of them ends or stops."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.xladoctor.recordings import PID, Run
from xladoctor.__main__ import main
from xladoctor.attach import recorded, stacks
from xladoctor.attach.text import ago
from xladoctor.extras import how_to_install

HANGS = """\
import multiprocessing, threading, time, sys

def waits_for_rank_1(ready):
    ready.set()
    time.sleep(600)

def worker(ready):
    waits_for_rank_1(ready)

if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Event()
    child = spawn.Process(target=worker, args=(ready,))
    child.start()
    for number in range(3):
        threading.Thread(target=threading.Event().wait, name=f"pool\\x1b[2J\\u202e{number}", daemon=True).start()
    ready.wait()
    print("hangs", child.pid, flush=True)
    child.join()
"""
SECRET = "hunter2hunter2"


@pytest.fixture(scope="module")
def hanging(tmp_path_factory) -> Iterator[tuple[subprocess.Popen[str], int, Path]]:
    """A program with a child, both of which hang; its pid, that of the child, and its file."""
    file = tmp_path_factory.mktemp("hangs") / "train.py"
    file.write_text(HANGS)
    process = subprocess.Popen(
        [sys.executable, str(file), "--password", SECRET], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    child = int(process.stdout.readline().split()[1])
    yield process, child, file
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def states(*pids: int) -> list[str]:
    return [Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] for pid in pids]


def test_the_stacks_of_a_process_and_its_child(hanging, capsys) -> None:
    process, child, file = hanging
    assert main(["attach", str(process.pid), "--format", "json"]) == 0
    out = capsys.readouterr().out
    look = json.loads(out)
    assert look["schema"] == "xladoctor.attach/1" and look["recorded"] is None
    found = {one["pid"]: one for one in look["processes"]}
    assert {process.pid, child} <= set(found) and found[child]["parent"] == process.pid
    frames = {pid: [f for t in found[pid]["threads"] for f in t["frames"] if f["user"]] for pid in (process.pid, child)}
    assert (frames[process.pid][0]["file"], frames[process.pid][0]["function"]) == (str(file), "<module>")
    assert [(f["function"], f["line"]) for f in frames[child][:2]] == [("waits_for_rank_1", 5), ("worker", 8)]
    assert SECRET not in out and found[process.pid]["state"] == "waiting" and found[process.pid]["busy"] < 0.5
    # Both go on as they were.
    assert process.poll() is None and states(process.pid, child) == ["S", "S"]


def test_the_terminal(hanging, capsys) -> None:
    process, child, file = hanging
    assert main(["attach", str(process.pid)]) == 0
    out = capsys.readouterr().out
    assert f"process {process.pid}  " in out and f"process {child}  " in out
    assert f"    {file}:5 in waits_for_rank_1\n    {file}:8 in worker\n" in out
    # Threads that wait alike are shown once, and their names do nothing to the terminal.
    waits = out.count("in Event.wait") or out.count("in wait") // 2  # Python 3.10 calls Condition.wait so, too
    assert "  threads pool" in out and "pool\\u202e" in out and 0 < waits <= 3
    assert "\x1b" not in out and "\u202e" not in out
    assert out.index("MainThread") < out.index("threads pool")


def test_no_such_process(capsys) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert main(["attach", str(process.pid)]) == 2
    assert f"there is no process {process.pid}" in capsys.readouterr().err


def test_a_process_that_is_not_python(capsys) -> None:
    process = subprocess.Popen(["sleep", "60"])
    try:
        assert main(["attach", str(process.pid)]) == 2
        out = capsys.readouterr().out
        assert "sleep 60" in out and "no Python stacks: " in out
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def test_where_ptrace_is_not_permitted_one_line_says_what_to_do(hanging, capsys) -> None:
    """As root without its capabilities, whose process another root's is not; else at a process of root."""
    process, _, _ = hanging
    program = [sys.executable, "-m", "xladoctor", "attach"]
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is not installed")
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *program, str(process.pid)]
    else:
        command = [*program, "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "300"})
    assert done.returncode == 2, done.stdout + done.stderr
    assert "no Python stacks: ptrace is not permitted" in done.stdout
    [line] = [line for line in done.stdout.splitlines() if line.startswith("Python stacks need ptrace")]
    assert "sudo" in line or "SYS_PTRACE" in line
    assert process.poll() is None


@pytest.mark.parametrize(
    ("uid", "owner", "scope", "said"),
    [(1000, 1000, "1", "kernel.yama.ptrace_scope is 1"), (1000, 0, "1", "another user"), (0, 0, "0", "SYS_PTRACE")],
)
def test_the_advice_fits_the_reason(uid, owner, scope, said, monkeypatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: uid)
    monkeypatch.setattr(Path, "stat", lambda self: os.stat_result((0, 0, 0, 0, owner, 0, 0, 0, 0, 0)))
    monkeypatch.setattr(Path, "read_text", lambda self, **_: f"{scope}\n")
    advice = stacks.advice(1)
    assert said in advice and "\n" not in advice


def run_of(**trace: object) -> Run:
    """A recorded `fit` that has traced a step, whose inner function XLA compiles."""
    run = Run()
    run.begin(1)
    run.event("trace", function="f", python_name="one_step_on_data", graph="g2", parent="g1", capsule=None, xla=True,
              where={"file": "/study/train.py", "line": 9, "function": "step"}, frames=[])  # fmt: skip
    run.event("trace", function="f", python_name="multi_step", graph="g1", parent=None, capsule=None, xla=False,
              where=None, frames=[], **trace)  # fmt: skip
    return run


def test_what_xla_may_be_compiling(tmp_path) -> None:
    begun = run_of()
    found = recorded.of_run(begun.write(tmp_path / "a"), [PID])
    assert [(one.function, one.location and one.location.line) for one in found.compiling] == [("one_step_on_data", 9)]
    assert [(call.what, call.ended) for call in found.calls] == [
        ("trace of multi_step", True),
        ("fit of gears, 8 rows", False),
    ]
    over = run_of()
    over.event("first-call", capsule="7-1-step", kept=True)
    assert recorded.of_run(over.write(tmp_path / "b"), [PID]).compiling == ()
    failed = run_of()
    failed.event("failure", failure=1, exception="ValueError", state="raised", message="no", frames=[])
    found = recorded.of_run(failed.write(tmp_path / "c"), [PID])
    assert found.compiling == () and found.calls[-2].what == "ValueError was raised"
    # The function around it is still traced: XLA has nothing to compile yet.
    tracing = Run()
    tracing.event("trace", function="f", python_name="g", graph="g2", parent="g1", capsule=None, xla=True, where=None,
                  frames=[])  # fmt: skip
    assert recorded.of_run(tracing.write(tmp_path / "d"), [PID]).compiling == ()


def test_a_recorded_run_is_found_by_its_environment(hanging, tmp_path, capsys, monkeypatch) -> None:
    """The real recorder in a program that hangs; then without py-spy."""
    program = tmp_path / "train.py"
    program.write_text("import time\nprint('hangs', flush=True)\ntime.sleep(600)\n")
    run = tmp_path / "run"
    scan = [sys.executable, "-m", "xladoctor", "scan", "--quiet", "--run-dir", str(run)]
    doctor = subprocess.Popen(
        [*scan, "--", sys.executable, str(program)],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert doctor.stdout is not None and doctor.stdout.readline() == "hangs\n"
        while not list(run.glob("events-*.jsonl")):
            time.sleep(0.1)
        assert main(["attach", str(doctor.pid), "--format", "json"]) == 0
        look = json.loads(capsys.readouterr().out)
        assert look["recorded"]["folder"] == str(run) and look["recorded"]["quiet"] < 600
        assert [str(program), 3] in [
            [f["file"], f["line"]] for p in look["processes"] for t in p["threads"] for f in t["frames"]
        ]
        assert main(["attach", str(doctor.pid)]) == 0
        out = capsys.readouterr().out
        assert out.count("the doctor itself (--verbose)") == 2 and "/xladoctor/__main__.py" not in out, out
        assert f"{program}:3 in <module>" in out
        monkeypatch.setattr(stacks.shutil, "which", lambda name: None)
        monkeypatch.setattr(stacks.sys, "executable", str(tmp_path / "python"))
        assert main(["attach", str(doctor.pid)]) == 0
        out = capsys.readouterr().out
        assert f"recorded in {run}" in out and "attach needs py-spy. To install it:" in " ".join(out.split())
        assert main(["attach", str(hanging[0].pid)]) == 2
        assert capsys.readouterr().err.endswith(f"attach needs py-spy\n  {how_to_install('attach')}\n")
        assert doctor.poll() is None
    finally:
        os.killpg(doctor.pid, signal.SIGKILL)
        doctor.wait()


def test_words_of_time() -> None:
    assert [ago(seconds) for seconds in (3.4, 300, 9000)] == ["3 s ago", "5 min ago", "2 h ago"]
