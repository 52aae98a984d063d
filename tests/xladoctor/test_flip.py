"""`scan --flip`: a real program, rehearsed with each of its switches in the other position."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def flipped(tmp_path_factory):
    """The work folder, the run folder, and what the doctor said; the program writes one file outside of it."""
    base = tmp_path_factory.mktemp("switches")
    work = base / "work"
    shutil.copytree(ROOT / "tests" / "patients" / "switches", work)
    (work / "weights.txt").write_text("old", encoding="utf-8")
    (base / "elsewhere.txt").write_text("old", encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": quick.path(ROOT), "ELSEWHERE": str(base / "elsewhere.txt")}
    words = ["scan", "--flip", "all", "--format", "json", "--run-dir", "run", "--capture", "specs"]
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", *words, "--", sys.executable, "train.py"],
        cwd=work, env=env, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr[-2000:]
    return work, json.loads(done.stdout), done


def test_the_switch_that_nothing_obeys_is_found_by_tracing_again(flipped):
    _, diagnosis, _ = flipped
    dead = [f for f in diagnosis["findings"] if f["class"] == "dead-switch" and "switch" in f["details"]]
    assert [f["details"]["switch"] for f in dead] == ["cfg:use_xla_translate"]
    assert dead[0]["status"] == "confirmed"
    assert dead[0]["location"]["file"].endswith(("train.py", "params.py"))


def test_the_live_switch_is_told_with_what_it_governs(flipped):
    _, diagnosis, _ = flipped
    notes = [n for n in diagnosis["notes"] if "cfg:use_xla_compile = True instead of False" in n]
    assert any("functions marked for XLA" in n for n in notes), diagnosis["notes"]


def test_a_rehearsal_writes_nothing_outside_of_its_folder(flipped):
    work, _, _ = flipped
    assert (work / "weights.txt").read_text() == "new"
    rehearsals = sorted((work / "run" / "rehearsals").iterdir())
    assert rehearsals
    for folder in rehearsals:
        recording = read_run(folder)
        begun = recording.of_kind("rehearsal")
        assert begun[0]["confined"] in ("landlock", "audit hook")
        trained = [e for e in recording.of_kind("call") if e["method"] == "fit" and e["phase"] == "end"]
        assert trained, (folder / "stderr.log").read_text()[-1000:]
        assert (folder / ".work" / "weights.txt").read_text() == "new"
        assert "Permission denied" in (folder / "stdout.log").read_text()


def test_the_run_folder_gives_the_same_findings_again(flipped):
    work, diagnosis, _ = flipped
    again = scan_run(work / "run")
    assert [f.slug for f in again.findings] == [f["class"] for f in diagnosis["findings"]]


def test_capsules_hold_no_values_where_only_specs_were_wanted(flipped):
    work, _, _ = flipped
    capsules = list((work / "run" / "capsules").iterdir())
    assert capsules and not any((c / "values.npz").exists() for c in capsules)
