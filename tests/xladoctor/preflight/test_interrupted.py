"""A preflight that is ended before its last check: no TensorFlow in it."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from xladoctor.preflight import run
from xladoctor.preflight.checks import flags
from xladoctor.preflight.run import Options
from xladoctor.preflight.study import Study
from xladoctor.report.preflight import render

PROGRAM = """
import os, pathlib, signal, time
signal.signal(signal.SIGINT, {action})
pathlib.Path("ready.tmp").write_text(str(os.getpid()))
os.replace("ready.tmp", "ready")
time.sleep(120)
"""


def process_of(work):
    """The rehearsed program's process id, once it has come so far."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for file in work.glob("xladoctor-runs/*/rehearsal/.work/ready"):
            return int(file.read_text())
        time.sleep(0.05)
    raise AssertionError("the program was not started")


@pytest.mark.slow
@pytest.mark.parametrize("action", ["signal.SIG_IGN", "lambda number, frame: os._exit(0)"], ids=["deaf", "ends-well"])
def test_ctrl_c_ends_the_rehearsal_and_is_no_answer(tmp_path, action):
    (tmp_path / "program.py").write_text(PROGRAM.format(action=action))
    words = ["--only", "disk", "--only", "rehearsal", "--only", "plan", "--", sys.executable, "program.py"]
    process = subprocess.Popen(
        [sys.executable, "-m", "xladoctor", "preflight", *words],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    child = process_of(tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert "INTERRUPTED" in out and "GO" not in out
    told = [words for words in map(str.split, out.splitlines()) if words and words[0] in ("pass", "fail", "skipped")]
    assert [words[:2] for words in told] == [["pass", "disk"], ["skipped", "rehearsal"], ["skipped", "plan"]]
    assert not (tmp_path / "xladoctor-runs" / "preflight-cache").exists()


def test_what_was_found_before_is_given_back(tmp_path, monkeypatch):
    def interrupted(situation):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(flags, "check", interrupted)
    kept = []
    monkeypatch.setattr(run.cache, "keep", lambda *answer: kept.append(answer))
    names = ("disk", "flags")
    monkeypatch.setattr(run, "chosen", lambda options: names)
    study = Study(name="s", command=(sys.executable, "-c", "1"), outputs_gib=1e9)
    found = run.preflight(study, Options(cached=False))
    assert [(c.name, c.state, c.message) for c in found.checks[1:]] == [("flags", "skipped", "interrupted")]
    assert found.checks[0].state == "fail"
    assert (found.go, found.exit_code, kept) == (False, 130, [])
    assert json.loads(render(found, "json"))["verdict"] == "interrupted"
    assert "# Preflight: INTERRUPTED" in render(found, "markdown")
