"""Programs other than the study: from a run that fails, or hides it, to what was wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from tests.xladoctor.slice.scanned import PATIENTS, REASSEMBLE, ROOT, scan

pytestmark = pytest.mark.slow


def test_renamed_layers(tmp_path):
    run = scan(tmp_path / "work", str(PATIENTS / "renamed_layers.py"), "zaphod", "32")
    assert run.root["details"]["place"] == REASSEMBLE
    assert "zaphod" in run.root["layer"]
    assert "zaphod" in run.finding("reshape-mismatch")["layer"]
    assert run.root["layer"] != run.finding("reshape-mismatch")["layer"]


def test_training_under_the_doctor_gives_bit_identical_weights(tmp_path):
    program = str(PATIENTS / "trains.py")
    env = {**os.environ, "PYTHONPATH": quick.path(ROOT)}
    plain = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True, check=True)
    run = scan(tmp_path / "work", program)
    digest = (run.folder / "stdout.log").read_text()
    assert len(digest.strip()) == 64
    assert digest == plain.stdout


def test_an_exception_that_the_program_catches_is_a_note(tmp_path):
    run = scan(tmp_path / "work", str(PATIENTS / "catches_the_exception.py"), checks=True)
    assert json.loads((run.folder / "run.json").read_text())["outcome"]["code"] == 0
    assert (run.folder / "stdout.log").read_text() == "None\n"
    assert run.status == 0
    assert (run.root["class"], run.root["level"]) == ("reshape-mismatch", "note")
    assert (run.root["status"], run.root["basis"]["kind"]) == ("confirmed", "tested"), "the worker ran it again"
    assert run.diagnosis["isolated"]["op"] == "Reshape"
    assert run.root["details"]["failing_batch"] == 3, "7 samples in batches of 4: only the last one fails"


def test_a_flag_that_kills_the_process(tmp_path):
    run = scan(
        tmp_path / "work", "-c", "import tensorflow as tf; tf.constant(1)", env={"TF_XLA_FLAGS": "--tf_xla_auto_jt=0"}
    )
    assert run.status == 1
    assert run.root["class"] == "flag-error"
    assert "tf_xla_auto_jt" in json.dumps(run.root)


def test_settings_that_came_too_late_or_govern_nothing(tmp_path):
    program = str(PATIENTS / "late_settings.py")
    run = scan(tmp_path / "work", program, env={"TF_XLA_FLAGS": "--tf_xla_auto_jit=0"})
    assert (run.status, run.diagnosis["verdict"]) == (0, "warnings")
    said = {(f["class"], f["location"]["line"]): f["message"] for f in run.diagnosis["findings"]}
    lines = Path(program).read_text().splitlines()
    line = {text: next(i for i, found in enumerate(lines, 1) if text in found) for text in
            ('os.environ["TF_XLA', '["use_xla_translate"] =', '["use_xla_compile"] =')}  # fmt: skip
    assert "reads it once, at that operation" in said["setting-too-late", line['os.environ["TF_XLA']]
    assert "was read as True and then set to False" in said["setting-too-late", line['["use_xla_translate"] =']]
    assert "nothing in this run read it" in said["dead-switch", line['["use_xla_compile"] =']]
    beside = next(f for f in run.diagnosis["findings"] if f["class"] == "flag-ineffective")
    assert "affects none of the 1 compiled function of this run (double)" in beside["message"]


def _line(program: Path, part: str) -> int:
    return next(i for i, text in enumerate(program.read_text().splitlines(), 1) if part in text)


def test_where_the_optimizer_moved_the_blame_both_nodes_are_named(tmp_path):
    program = PATIENTS / "blames_another_node.py"
    run = scan(tmp_path / "work", str(program))
    culprit = next(i for i, text in enumerate(program.read_text().splitlines(), 1) if "the culprit" in text)
    assert (run.root["class"], run.root["location"]["line"], run.root["layer"]) == (
        "reshape-mismatch", culprit, "functional_1/mix_1",
    )  # fmt: skip
    assert run.root["details"]["failing_batch"] == 8
    assert [n["product"] for n in run.root["details"]["numbers"]] == ["8*4*16", "16*64"]
    blamed = run.diagnosis["findings"][1]
    assert (blamed["role"], blamed["class"]) == ("consequence", "broadcast-mismatch")
    assert blamed["node"] in run.root["message"]


def test_what_the_program_caught_is_no_root_and_rows_that_a_model_means_to_give_are_no_failure(tmp_path):
    run = scan(tmp_path / "work", str(PATIENTS / "two_failures.py"))
    found = {(f["role"], f["level"], f["class"]) for f in run.diagnosis["findings"]}
    assert {("root", "error", "unsupported-op"), ("consequence", "warning", "loop-shape-mismatch")} < found
    assert "caught this exception" in run.finding("loop-shape-mismatch")["message"]
    assert "caught" not in run.root["message"]
    rows = [f for f in run.diagnosis["findings"] if f["class"] == "wrong-shape-silent"]
    assert [(f["level"], f["dims"]) for f in rows] == [("note", [8, 40])], "10 rows at steps=1 of 4 are 4 rows"
    assert len(found) == 3


def test_rows_that_a_layer_loses_are_found_without_a_place(tmp_path):
    program = PATIENTS / "loses_rows_in_a_layer.py"
    run = scan(tmp_path / "work", str(program))
    line = next(i for i, text in enumerate(program.read_text().splitlines(), 1) if "the line" in text)
    assert (run.status, run.root["class"], run.root["op"]) == (0, "wrong-shape-silent", "Reshape")
    assert (run.root["level"], run.root["status"]) == ("note", "untested"), "a model may be meant to fold its rows"
    assert (run.root["location"]["line"], run.root["layer"]) == (line, "sequential_1/pairs_1")
    birth = run.root["details"]["birth"]
    assert (birth["inputs"][0]["shape"], birth["shape"], birth["loses"]) == ([8, 6, 4], [4, 2, 6, 4], True)
    assert run.root["remedies"] == [], "only the reader knows whether anything is wrong"


def test_a_contract_of_another_version_is_not_held_against_a_foreign_checkout(tmp_path):
    checkout = PATIENTS / "flat_patches"
    env = {"PYTHONPATH": quick.path(checkout, ROOT)}
    program = checkout / "train.py"
    run = scan(tmp_path / "work", str(program), "fft", env=env, options=("--check-budget", "200"))
    assert run.root["class"] == "dynamic-dimension-unsupported"
    mask, fails = (_line(program, part) for part in ("tf.boolean_mask(", "# what fails"))
    assert (run.root["location"]["line"], run.root["details"]["origin"]["op"]) == (mask, "Where"), "the origin first"
    assert (run.root["raised_at"]["line"], run.root["suspects"][1]["location"]["line"]) == (fails, fails), (
        "then what cannot take it"
    )
    assert (run.root["status"], run.root["basis"]["kind"]) == ("confirmed", "tested")
    assert run.diagnosis["isolated"]["op"] == "FFT2D"
    assert [f["class"] for f in run.diagnosis["findings"] if f["class"] == "contract-violation"] == []
    assert not [row for row in run.diagnosis["shapes"] if row["violation"]]
