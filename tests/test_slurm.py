"""The batch script of docs/slurm.md: its form, and its lines run as Slurm's step would run them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "slurm.md").read_text(encoding="utf-8")
SCRIPT = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)[0]
STEP = "srun --kill-on-bad-exit=1 bash -c rank &\n"
PROGRAM = """\
import os, signal, sys, time

def save(number, frame):
    open("state", "w").write("saved")
    sys.exit(9)

rank = int(os.environ["SLURM_PROCID"])
print("rank", rank, sys.argv[1:], flush=True)
if os.environ.get("WAIT"):
    signal.signal(signal.SIGTERM, save)
    open("ready", "w").write("")
    time.sleep(300)
if rank == 1:
    raise ValueError("no data for rank 1")
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM)
    doctor = tmp_path / "xladoctor"
    doctor.write_text(f'#!/bin/sh\nexec {sys.executable} -m xladoctor "$@"\n')
    doctor.chmod(0o755)
    return tmp_path


def environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "DOCTOR": str(folder / "xladoctor"), "SLURM_JOB_ID": "4711", **more}


def bash(folder: Path, script: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment(folder, **more), capture_output=True, text=True, check=False
    )


def test_the_script_is_sound(folder) -> None:
    assert SCRIPT.count(STEP) == 1
    assert bash(folder, f"set -n\n{SCRIPT}").returncode == 0
    assert bash(folder, f"set -n\n{SCRIPT}\nif").returncode != 0
    # Slurm reads its options up to the first command.
    lines = SCRIPT.splitlines()
    options = [number for number, line in enumerate(lines) if line.startswith("#SBATCH")]
    assert options == list(range(1, len(options) + 1)) and lines[0] == "#!/bin/bash"


def test_each_rank_has_a_run_folder_and_ends_as_its_program(folder) -> None:
    """Both ranks as `srun` would start them: with the script's environment, and a number of their own."""
    begin, _, end = SCRIPT.partition(STEP)
    step = "for n in 0 1; do SLURM_PROCID=$n bash -c rank; echo rank $n ended with $?; done &\n"
    first = bash(folder, begin + step + end)
    assert "rank 0 ended with 0\n" in first.stdout and "rank 1 ended with 1\n" in first.stdout, first.stderr
    assert "rank 1 ['--epochs', '50']" in first.stdout
    runs = folder / "xladoctor-runs"
    assert sorted(run.name for run in (runs / "job-4711.0").iterdir()) == ["rank-0", "rank-1", "summary.md"]
    assert (runs / ".gitignore").read_text() == "*\n", "they hold data of the program"
    summary = (runs / "job-4711.0" / "summary.md").read_text()
    assert "rank-1" in summary and "no data for rank 1" in summary
    # A restart writes into folders of its own.
    again = bash(folder, begin + "SLURM_PROCID=1 bash -c rank\n", SLURM_RESTART_COUNT="1")
    assert (first.returncode, again.returncode) == (0, 1)
    assert (runs / "job-4711.1" / "rank-1" / "run.json").exists()


def test_shortly_before_the_end_of_its_time_a_job_saves_its_state(folder) -> None:
    """USR1 to the script reaches the program as one SIGTERM; the script waits for it, and ends as it does."""
    script = SCRIPT.replace(STEP, "SLURM_PROCID=0 bash -c rank &\n")
    (folder / "train.sbatch").write_text(script)
    job = subprocess.Popen(
        ["bash", "train.sbatch"], cwd=folder, env=environment(folder, WAIT="1"), start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not (folder / "ready").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        job.send_signal(signal.SIGUSR1)
        _, errors = job.communicate(timeout=60)
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
    assert (folder / "state").read_text() == "saved" and job.returncode == 9, errors
    # There is no Slurm here; that the job would be put into the queue again is the last thing that was tried.
    assert "scontrol" in errors
