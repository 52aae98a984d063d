"""The chaos bench sees what a wrapper does to a program, and nothing where it does nothing."""

import signal
import sys

import pytest

from benchmarks import chaos
from benchmarks._observe import observe
from benchmarks._surroundings import FAULTS, Fault

PROGRAM = """
import os, sys
meeting = os.environ["CHAOS_MEETING"]
print("before", flush=True)
go = os.open(meeting + "/go", os.O_RDWR)
open(meeting + "/ready", "w").close()
os.read(go, 1)
print("after", object(), flush=True)
print("error stream", file=sys.stderr, flush=True)
open("result.txt", "w").write("result")
sys.exit(3)
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def whats(program, cell, fault, script):
    """What differs under a shell script that runs the program as "$@"."""
    plain = observe(program, fault, cell)
    other = observe(program, fault, cell, ("/bin/sh", "-c", script, "sh"))
    return plain, [difference.what for difference in chaos.compare(plain, other, fault)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('"$@"; code=$?; echo report of the wrapper; exit $code', []),
        ('"$@" | cat', ["status"]),
        ('"$@" >/dev/null', ["stdout"]),
        ('"$@" 2>&1', ["stderr"]),
        ('echo early; "$@"', ["stdout"]),
        ('umask 077; exec "$@"', ["files"]),
        ('touch left-behind; "$@"', ["files"]),
    ],
)
def test_each_kind_of_harm_is_seen(program, tmp_path, script, expected):
    plain, differences = whats(program, tmp_path / "cell", Fault("none"), script)
    assert plain.reached and plain.status == 3 and plain.out.startswith(b"before\nafter")
    assert differences == expected


def test_a_signal_that_is_not_handed_on_is_seen(program, tmp_path):
    fault = Fault("SIGTERM", signal=signal.SIGTERM)
    plain, differences = whats(program, tmp_path / "cell", fault, 'trap "" TERM; "$@"')
    assert plain.status == -signal.SIGTERM
    assert "status" in differences and "files" in differences


RELAY = """
import subprocess, sys
target = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
for line in target.stdout:
    sys.stdout.buffer.write(line)
    sys.stdout.flush()
sys.exit(target.wait())
"""


@pytest.mark.parametrize(("relays", "expected"), [(False, []), (True, ["stdout", "stderr", "files"])])
def test_a_program_that_dies_with_its_wrapper_is_seen(program, tmp_path, relays, expected):
    fault = next(fault for fault in FAULTS if fault.name == "doctor killed")
    plain = observe(program, fault, tmp_path / "cell")
    wrapper = (sys.executable, "-c", RELAY) if relays else ("/bin/sh", "-c", '"$@"; exit', "sh")
    other = observe(program, fault, tmp_path / "cell", wrapper)
    assert other.reached and other.status == -signal.SIGKILL
    assert [difference.what for difference in chaos.compare(plain, other, fault)] == expected


def test_a_cell_whose_plain_run_does_not_end_is_not_comparable(tmp_path, monkeypatch):
    (tmp_path / "endless.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(chaos, "FOLDER", tmp_path)
    cell = chaos.make("endless", FAULTS[0], tmp_path, {}, timeout=1)
    assert cell.result == "not comparable"
    assert "does not end" in cell.differences[0].detail


def test_faults_of_the_doctor_alone_share_their_plain_runs():
    alone = [fault for fault in FAULTS if fault.name in ("none", "full disk", "run folder deleted", "doctor killed")]
    assert len({repr(fault.plain()) for fault in alone}) == 1
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) == 19
    assert all((chaos.FOLDER / f"{kind}.py").is_file() for kind in chaos.KINDS)
