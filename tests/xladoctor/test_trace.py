"""`trace` on real programs: a user's own places in every mode of TensorFlow, and batch 15 beside batch 16.

Each command is run once and looked at by several tests; it starts TensorFlow twice (the target, then the worker).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
REASSEMBLE = "ptycho.custom_layers:ReassemblePatchesLayer.call"


def doctor(folder: Path, *words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": quick.path(ROOT, path)}
    return subprocess.run(
        [sys.executable, "-m", "xladoctor", "trace", *words],
        cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


# -- places of the user's own -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gears(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gears") / "work"
    shutil.copytree(ROOT / "tests" / "patients" / "own_places", folder)
    done = doctor(folder, "--format", "json", "--run-dir", "run", "--", sys.executable, "main.py")
    return done, json.loads(done.stdout), folder


def rows(step, place):
    return {(r["phase"], r["tensor"]): r for r in step["shapes"] if r["place"] == place}


def test_own_places_in_every_mode(gears):
    done, trace, _ = gears
    assert (done.returncode, trace["verdict"]) == (1, "broken"), done.stderr[-2000:]
    names = [(s["name"], s["xla"]) for s in trace["steps"]]
    assert ("tf.function shift", False) in names and ("tf.function shift", True) in names
    assert {"fit of gears", "predict of gears", "eager calls", "tf.function flipped"} <= {n for n, _ in names}
    for step in trace["steps"]:
        found = rows(step, "gears.ops:shift")
        if found:
            assert found["in", "x"]["runtime"] == found["out", "result"]["runtime"]
            assert found["in", "x"]["violation"] is None
            # The first call of each step keeps its values; of `fit` the batch is drawn again.
            assert step["values"] in ("exact", "redrawn"), step["name"]
    fit = next(s for s in trace["steps"] if s["name"] == "fit of gears")
    assert (fit["batch"], fit["rows_in"]) == (4, 7)
    assert rows(fit, "gears.ops:Pad.call")["out", "result"]["runtime"] == [4, 7]
    assert rows(fit, "gears.ops:Pad.call")["out", "result"]["static"] == [None, 7]


def test_an_axis_bound_to_a_setting_of_the_program(gears):
    _, trace, _ = gears
    fit = next(s for s in trace["steps"] if s["name"] == "fit of gears")
    wrong = rows(fit, "gears.ops:crop")["out", "result"]
    assert wrong["violation"] == "result is (4 4) where (B M) wants M = 3 at axis 1 (kept())"
    assert wrong["first_violation"]


def test_the_decorator_works_for_the_script_itself_and_below_autograph(gears):
    _, trace, folder = gears
    found = {p["place"]: p["origin"] for p in trace["places"] if p["found"]}
    assert found["gears.ops:total"] == found["gears.ops:flipped"] == found["__main__:own"] == "decorator"
    assert (folder / "run" / "stdout.log").read_text() == "-20.0\n"
    (own,) = (r for s in trace["steps"] for r in s["shapes"] if r["place"] == "__main__:own" and r["phase"] == "in")
    assert own["runtime"] == [4]


def test_a_wrong_contract_is_said_before_the_program_starts_and_afterwards(gears):
    done, trace, folder = gears
    said = "contract 'x (B N) -> (B*C N)': C in 'B*C' is bound by nothing"
    assert said in done.stderr.partition("\n")[0]
    diagnosis = json.loads((folder / "run" / "diagnosis.json").read_text())
    for notes in (trace["notes"], diagnosis["notes"]):
        assert any(said in note for note in notes)
        assert any("gears.ops:nowhere of pyproject.toml is missing: no such name" in note for note in notes)
        assert any("gears.absent was never imported" in note for note in notes)


def test_nothing_went_wrong_inside_the_probes(gears):
    events = [json.loads(line) for f in (gears[2] / "run").glob("events-*") for line in f.read_text().splitlines()]
    assert [e for e in events if e["kind"] == "probe-error"] == []


def test_the_program_is_the_same_without_the_doctor(gears):
    done = subprocess.run([sys.executable, "main.py"], cwd=gears[2], capture_output=True, text=True, check=True)
    assert done.stdout == "-20.0\n"


# -- two runs side by side --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fifteen_and_sixteen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    done = []
    for batch in ("15", "16"):
        command = [sys.executable, str(ROOT / "tests" / "patients" / "renamed_layers.py"), "net", batch]
        done.append(doctor(folder, "--quiet", "--run-dir", f"run{batch}", "--", *command))
    return folder, done


def test_the_batch_that_passes_and_the_one_that_fails(fifteen_and_sixteen):
    _, (passes, fails) = fifteen_and_sixteen
    assert (passes.returncode, fails.returncode) == (0, 1), fails.stderr[-2000:]
    assert "CONTRACTS KEPT" in passes.stdout
    assert "ReassemblePatchesLayer.call in fit of net: result is (1 46 46 1)" in fails.stdout


def test_the_first_place_that_differs(fifteen_and_sixteen):
    folder, _ = fifteen_and_sixteen
    done = doctor(folder, "--diff", "run15", "run16", "--format", "json")
    assert done.returncode == 1, done.stderr
    (step, *_) = json.loads(done.stdout)["steps"]
    first = step["rows"][0]
    assert first["first"] and first["kinds"] == ["state"]
    assert (first["a"]["state"], first["b"]["state"]) == ("executed", "not-executed")
    assert "cond" in first["a"]["layer"], "the branch for few patches: 60 are few, 64 are not"
    broken = next(r for r in step["rows"] if "violation" in r["kinds"])
    assert (broken["b"]["place"], broken["named_a"], broken["named_b"]) == (REASSEMBLE, "(B P P 1)", "(1 P P 1)")
    layer = [r for r in step["rows"] if r["a"] and r["a"]["place"] == REASSEMBLE and r["a"]["phase"] == "in"]
    assert layer == [], "15 and 16 are both B"
