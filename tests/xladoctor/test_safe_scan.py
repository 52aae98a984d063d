"""`scan -- CMD` where something is wrong with the doctor's own disk or streams: the report says what is missing."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.xladoctor.experiments.under import until
from xladoctor.cli.command import max_size
from xladoctor.errors import XladoctorError

XLADOCTOR = [sys.executable, "-m", "xladoctor", "scan", "--run-dir", "run"]


def scan(folder: Path, *words: str, source: str, **kwargs) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(source)
    command = [*XLADOCTOR, *words, "--", sys.executable, "program.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, **kwargs)


def notes(folder: Path) -> list[str]:
    return json.loads((folder / "run" / "diagnosis.json").read_text())["notes"]


def test_a_disk_that_takes_nothing(tmp_path):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # noqa: E731
    source = "import sys\nfor n in range(100): print('line', n)\nprint('err', file=sys.stderr)\nsys.exit(3)\n"
    plain = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    done = scan(tmp_path, "--exit-code", "target", "--verbose", source=source, preexec_fn=limit)
    assert done.returncode == 3
    assert done.stderr == plain.stderr
    assert done.stdout.startswith(plain.stdout)
    report = " ".join(done.stdout.removeprefix(plain.stdout).split())
    assert "the run exited with 3" in report.lower()
    assert (
        f"stdout.log lacks {len(plain.stdout) - 100} of the {len(plain.stdout)} bytes of stdout: File too large"
        in report
    )
    for name in ("run.json", "diagnosis.json", "blocker.md"):
        assert f"{name} could not be written: File too large" in report
    assert not list((tmp_path / "run").glob("*.tmp"))


def test_a_run_folder_that_is_removed(tmp_path):
    done = scan(tmp_path, "--verbose", source="import shutil; shutil.rmtree('run'); print('out'); raise SystemExit(5)")
    assert done.stdout.startswith("out\n") and done.stderr == ""
    assert "the run folder was removed while the command ran" in " ".join(done.stdout.split())
    assert (tmp_path / "run" / "stdout.log").read_text() == "out\n"
    assert json.loads((tmp_path / "run" / "run.json").read_text())["outcome"]["code"] == 5


def test_a_working_folder_that_was_removed(tmp_path):
    """A job's scratch folder may be gone when it starts; a program runs in it all the same."""
    gone, run = tmp_path / "gone", tmp_path / "run"
    gone.mkdir()
    words = [*XLADOCTOR[:-2], "--run-dir", str(run), "--", sys.executable, "-c", "print('out'); raise SystemExit(5)"]
    enter = f"import os, sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); os.execv(sys.argv[1], sys.argv[1:])"
    plain = [sys.executable, "-c", enter, *words]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(plain, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("out\n") and done.stderr == "", done.stderr
    assert json.loads((run / "run.json").read_text())["cwd"] == str(gone)


def test_max_size_holds_for_the_logs_and_is_handed_to_the_probes(tmp_path):
    source = "import os\nprint(os.environ['XLADOCTOR_MAX_SIZE'])\nfor n in range(40_000): print('line', n)\n"
    done = scan(tmp_path, "--max-size", "1M", source=source)
    shares = 2 * (1 << 16)
    assert done.stdout.startswith(f"{(1 << 20) - shares}\nline 0\n") and "line 39999\n" in done.stdout
    log = (tmp_path / "run" / "stdout.log").read_text()
    assert len(log) <= 1 << 16 and log.count("[xladoctor: ") == 1 and log.endswith("line 39999\n")
    [note] = notes(tmp_path)
    size = len(done.stdout.partition("\nxladoctor: ")[0])
    kept = len(log) - len(next(line for line in log.splitlines() if line.startswith("[xladoctor"))) - 2
    assert note.startswith("stdout.log has the beginning and the end of stdout: ")
    assert f" {size - kept:,} bytes between them were dropped (--max-size)" in note


def test_the_folder_of_a_doctor_that_was_killed_can_be_diagnosed(tmp_path):
    source = (
        "import os, time\nprint('ready', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\n{}['boom']\n"
    )
    (tmp_path / "program.py").write_text(source)
    command = [*XLADOCTOR, "--", sys.executable, "program.py"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as doctor:
        assert doctor.stdout.readline() == "ready\n"
        run = tmp_path / "run" / "run.json"
        assert json.loads(run.read_text())["outcome"]["state"] == "running"
        doctor.kill()
        (tmp_path / "go").touch()
        assert doctor.stderr.read().endswith("KeyError: 'boom'\n")
    until(lambda: json.loads(run.read_text())["outcome"]["state"] == "exited")
    done = subprocess.run([*XLADOCTOR[:-2], "run", "--verbose"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    text = " ".join(done.stdout.split())
    assert "KeyError" in text and "boom" in text
    assert "The doctor was killed while the command ran." in text


@pytest.mark.parametrize(
    ("text", "size"), [("1M", 1 << 20), ("1.5 GiB", 3 << 29), ("2g", 2 << 30), ("1048576", 1 << 20)]
)
def test_sizes(text, size):
    assert max_size(text) == size


@pytest.mark.parametrize("text", ["", "1K", "-1G", "many", "1e9", "1 G B", "9" * 400])
def test_what_is_no_size(text):
    with pytest.raises(XladoctorError, match="give a size of at least 1M"):
        max_size(text)


def test_closed_streams(tmp_path):
    command = " ".join([*XLADOCTOR, "--", "touch", "touched"])
    done = subprocess.run(["sh", "-c", f"exec {command} <&- >&- 2>&-"], cwd=tmp_path, timeout=60)
    assert done.returncode == 0
    assert (tmp_path / "touched").exists()
    assert json.loads((tmp_path / "run" / "diagnosis.json").read_text())["verdict"] == "warnings"


def test_one_file_for_both_outputs_holds_the_report_last(tmp_path):
    out = tmp_path / "out"
    with out.open("w") as file:
        command = [*XLADOCTOR, "--", "sh", "-c", "echo one; echo two >&2; echo three"]
        subprocess.run(command, cwd=tmp_path, stdout=file, stderr=file, timeout=60)
    head, _, report = out.read_text().partition("three\n")
    assert head == "one\ntwo\n"
    assert report.startswith("\nxladoctor: WARNINGS")
    assert (tmp_path / "run" / "stderr.log").read_text() == "one\ntwo\nthree\n"
    assert os.listdir(tmp_path / "run").count("stdout.log") == 0


def test_a_reader_that_goes_away_does_not_change_the_status_that_is_handed_on(tmp_path):
    """As in a job that ends in `| head -1`: the report has no reader, the program's own status still counts."""
    script = "import sys; sys.stdout.write('first\\n'); sys.stdout.flush(); sys.exit(7)"
    command = [*XLADOCTOR, "--exit-code", "target", "--no-replay", "--", sys.executable, "-c", script]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as doctor:
        assert doctor.stdout.readline() == b"first\n"
        doctor.stdout.close()
        assert doctor.wait(60) == 7
