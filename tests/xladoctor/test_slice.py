"""From a failing run to a diagnosis, on the real study with real faults: every verdict must follow what was recorded.

Each run is made once and looked at by several tests; a run starts TensorFlow twice (the target, then the worker).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PATIENTS = ROOT / "tests" / "patients"
STUDY = [
    *("-m", "ptycho.workflows.dose_response", "--arms", "1", "--nepochs", "1", "--ngroups", "64", "--ntest", "64"),
    *("--filters-scale", "0.125", "--overwrite", "--estimate-iterations", "2"),
]
WARP = "ptycho.projective_warp_xla:translate_xla"
REASSEMBLE = "ptycho.custom_layers:ReassemblePatchesLayer.call"


@dataclass(frozen=True)
class Run:
    """A command under the doctor: how the doctor ended, and what it wrote."""

    status: int
    output: str
    errors: str
    folder: Path
    diagnosis: dict[str, Any]

    @property
    def root(self) -> dict[str, Any]:
        return self.diagnosis["findings"][0]

    def finding(self, slug: str) -> dict[str, Any]:
        return next(f for f in self.diagnosis["findings"] if f["class"] == slug)

    def verdicts(self) -> dict[str, str]:
        return {h["id"]: h["verdict"] for h in self.diagnosis["hypotheses"]}

    def shapes(self, place: str, tensor: str) -> list[Any]:
        return [r["runtime"] for r in self.diagnosis["shapes"] if r["place"] == place and r["tensor"] == tensor]


def scan(folder: Path, *command: str, env: dict[str, str] | None = None) -> Run:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "0", **(env or {})}
    folder.mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", "--run-dir", "run", "--", sys.executable, *command],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    diagnosis = json.loads((folder / "run" / "diagnosis.json").read_text())
    return Run(done.returncode, done.stdout, done.stderr, folder / "run", diagnosis)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Run the study with some options; the same options are run once."""

    @cache
    def run(*options: str) -> Run:
        folder = tmp_path_factory.mktemp("study") / "work"
        return scan(folder, *STUDY, "--output-dir", "out", *options)

    return run


@pytest.fixture(scope="module")
def collapsed(study):
    return study("--fault", "reassembly-collapses-batch", "--batch-size", "32")


@pytest.fixture(scope="module")
def muted(study):
    return study("--fault", "reassembly-collapses-batch-muted", "--batch-size", "32")


@pytest.fixture(scope="module")
def flat(study):
    return study("--fault", "flat-positions", "--batch-size", "32")


@pytest.fixture(scope="module")
def healthy(study):
    return study("--batch-size", "16")


# -- the loud failure -------------------------------------------------------------------------------------------------


def test_the_root_is_the_first_broken_contract_not_the_line_that_died(collapsed):
    assert collapsed.status == 1
    root = collapsed.root
    assert (root["class"], root["role"], root["status"]) == ("contract-violation", "root", "confirmed")
    details = root["details"]
    assert (details["place"], details["phase"], details["seen"]) == (REASSEMBLE, "result", [1, 78, 78, 1])
    assert details["contract"].endswith("-> (B P P 1)")
    assert details["bindings"]["B"] == {"value": 32, "by": "patches (axis 0)"}
    assert details["bindings"]["P"] == {"value": 78, "by": "get_padded_size()"}
    # Not the line that hands the result on but the one that loses the rows: a sum inside the loop of the branch taken.
    assert root["location"]["file"].endswith("ptycho/faults/reassembly_collapses_batch.py")
    birth = details["birth"]
    assert (birth["op"], birth["loses"], birth["shape"]) == ("Sum", True, [1, 78, 78, 1])
    assert birth["inputs"][0]["shape"] == [64, 78, 78, 1]
    assert root["layer"] == "autoencoder_1/padded_obj_1"


def test_the_numbers_of_the_message_are_explained_by_what_was_seen(collapsed):
    finding = collapsed.finding("reshape-mismatch")
    assert (finding["role"], finding["dims"]) == ("consequence", [778752, 24336])
    have, want = finding["details"]["numbers"]
    assert (have["product"], have["named"]) == ("128*78*78", "(B*C)*P*P")
    assert (want["product"], want["named"], want["not"]) == ("4*78*78", "C*P*P", ["156*156"])
    names = {n["name"]: n["by"] for number in (have, want) for f in number["factors"] for n in f["names"]}
    assert names["B*C"] == "B = 32, C = 4"
    assert "patches (axis 3)" in names["C"]
    assert "get_padded_size()" in names["P"]


def test_the_layer_is_that_of_the_call_not_of_the_first_trace(collapsed):
    finding = collapsed.finding("reshape-mismatch")
    assert finding["layer"] == "autoencoder_1/padded_objs_with_offsets_1/translation_1_1"
    assert any("ReassemblePatchesLayer.call" in line or "custom_layers" in line
               for line in finding["details"]["first_traced_by"])  # fmt: skip
    met = finding["details"]["met"]
    assert (met["place"], met["inputs"]) == (WARP, {"images": [4, 78, 78, 1], "translations": [128, 2]})


def test_the_shape_table(collapsed):
    rows = collapsed.diagnosis["shapes"]
    first = [i for i, r in enumerate(rows) if r["first_violation"]]
    assert len(first) == 1
    assert (rows[first[0]]["place"], rows[first[0]]["phase"]) == (REASSEMBLE, "out")
    before = rows[: first[0]]
    assert all(r["violation"] is None for r in before)
    assert (rows[0]["place"], rows[0]["runtime"]) == (REASSEMBLE, [32, 64, 64, 4])
    chunks = [r for r in before if r["place"] == WARP and r["state"] == "executed"]
    assert {tuple(r["runtime"]) for r in chunks} == {(64, 78, 78, 1), (64, 2)}
    assert {r["iteration"] for r in chunks} == {0, 1}
    assert any(r["state"] == "not-executed" for r in before), "the branch for few patches was traced, not run"
    assert [4, 78, 78, 1] in collapsed.shapes(WARP, "images")
    assert [128, 2] in collapsed.shapes(WARP, "translations")


def test_the_hypotheses_of_report_002(collapsed):
    verdicts = collapsed.verdicts()
    assert verdicts.pop("H3-REVISED") == "confirmed"
    assert set(verdicts) == {"H1", "H1-REVISED", "H2-REVISED", "H2", "H3", "H4", "N1"}
    assert set(verdicts.values()) == {"refuted"}
    assert all(h["evidence"] for h in collapsed.diagnosis["hypotheses"])


def test_which_switches_put_xla_on(collapsed):
    paths = {(p["mechanism"], p["function"]): p for p in collapsed.diagnosis["xla_paths"]}
    warp = paths[("tf.function(jit_compile=)", "projective_warp_xla_jit")]
    assert warp["effective"] is True
    assert "params.cfg use_xla_translate = True" in warp["governed_by"]
    assert "env USE_XLA_TRANSLATE unset" in warp["governed_by"]
    keras = next(p for p in paths.values() if p["mechanism"].startswith("Keras"))
    assert (keras["requested"], keras["resolved"]) == ("'auto'", "off")
    flags = next(p for p in paths.values() if p["mechanism"] == "TF_XLA_FLAGS")
    assert flags["requested"] == "unset"


def test_what_the_settings_said_and_when(collapsed):
    settings = [(s["store"], s["key"], s["action"], s["value"]) for s in collapsed.diagnosis["settings"]]
    assert ("env", "TF_XLA_FLAGS", "start", None) in settings
    assert ("env", "USE_XLA_TRANSLATE", "read", None) in settings
    read = settings.index(("params.cfg", "use_xla_translate", "read", True))
    write = settings.index(("params.cfg", "use_xla_translate", "write", True))
    assert write < read
    milestones = [s["key"] for s in collapsed.diagnosis["settings"] if s["store"] == "milestone"]
    order = [
        "import tensorflow",
        "first operation",
        "model autoencoder: build",
        "model autoencoder: compile",
        "fit begins",
    ]
    found = [next(i for i, m in enumerate(milestones) if m.startswith(start)) for start in order]
    assert found == sorted(found)


def test_the_run_folder_gives_the_same_diagnosis_on_a_machine_without_tensorflow(collapsed, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(collapsed.folder, moved)
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", str(moved), "--format", "json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    again = json.loads(done.stdout)
    assert done.returncode == 1
    for part in ("verdict", "findings", "hypotheses", "xla_paths", "settings", "shapes", "compilations", "isolated"):
        assert again[part] == collapsed.diagnosis[part], part


def test_the_blocker_document_says_it_all(collapsed):
    text = (collapsed.folder / "blocker.md").read_text()
    for words in ("ReassemblePatchesLayer.call", "778752", "128\\*78\\*78", "H1-REVISED", "refuted", "TF_XLA_FLAGS"):
        assert words in text or words.replace("\\", "") in text, words


def test_without_any_stack_text_the_answer_is_the_same(collapsed, tmp_path):
    """The stack for the op definition names the wrong layer: nothing may rest on it."""
    folder = tmp_path / "run"
    shutil.copytree(collapsed.folder, folder)
    for file in (folder / "stderr.log", *folder.glob("events-*.jsonl")):
        text = file.read_text()
        text = re.sub(r"(\\n|\n)Stack trace for op definition: (\\n|\n)(File .*?(\\n|\n))*", r"\1", text)
        assert "Stack trace" not in text
        file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", str(folder), "--format", "json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    again = json.loads(done.stdout)
    assert again["findings"][0] == collapsed.root
    consequence = next(f for f in again["findings"] if f["class"] == "reshape-mismatch")
    assert consequence["layer"] == collapsed.finding("reshape-mismatch")["layer"]
    assert consequence["details"]["numbers"] == collapsed.finding("reshape-mismatch")["details"]["numbers"]


# -- the silent twin --------------------------------------------------------------------------------------------------


def test_the_silent_twin_is_a_failure_with_the_same_root(muted, collapsed):
    assert muted.status == 1
    assert json.loads((muted.folder / "run.json").read_text())["outcome"]["code"] == 0
    assert muted.root["details"]["place"] == collapsed.root["details"]["place"]
    assert muted.root["details"]["seen"] == [1, 78, 78, 1]
    lost = muted.finding("wrong-shape-silent")
    assert (lost["details"]["rows_in"], set(lost["details"]["rows_out"]), lost["details"]["batches"]) == (64, {2}, 2)


# -- the verdicts follow the facts ------------------------------------------------------------------------------------


def test_flat_positions_turn_the_hypothesis_and_every_number(flat):
    assert flat.status == 1
    assert flat.verdicts()["H1-REVISED"] == "confirmed"
    assert flat.verdicts()["H3-REVISED"] == "refuted"
    assert (flat.root["class"], flat.root["details"]["phase"]) == ("contract-violation", "argument")
    assert (flat.root["details"]["argument"], flat.root["details"]["seen"]) == ("positions", [32, 2])
    have, want = flat.finding("reshape-mismatch")["details"]["numbers"]
    assert (have["product"], have["named"]) == ("32*78*78", "B*P*P")
    assert (want["product"], want["named"]) == ("128*78*78", "(B*C)*P*P")


def test_other_sizes_give_other_numbers(study):
    run = study("--fault", "reassembly-collapses-batch", "--N", "128", "--gridsize", "3", "--batch-size", "32")
    assert run.root["details"]["seen"] == [1, 146, 146, 1]
    have, want = run.finding("reshape-mismatch")["details"]["numbers"]
    assert (have["number"], have["product"], have["named"]) == (288 * 146 * 146, "288*146*146", "(B*C)*P*P")
    assert (want["number"], want["product"], want["named"]) == (9 * 146 * 146, "9*146*146", "C*P*P")
    assert run.finding("reshape-mismatch")["details"]["met"]["inputs"]["images"] == [9, 146, 146, 1]


def test_another_threshold_and_an_ambiguous_factor(study):
    """With B = C = 4 a size of 4 can be either, and must be shown as either."""
    run = study("--fault", "reassembly-collapses-batch", "--fault-option", "threshold=8", "--batch-size", "4")
    assert run.root["details"]["seen"] == [1, 78, 78, 1]
    assert run.root["details"]["bindings"]["B"]["value"] == 4
    _, want = run.finding("reshape-mismatch")["details"]["numbers"]
    factor = want["factors"][0]
    assert (factor["size"], factor["ambiguous"], {n["name"] for n in factor["names"]}) == (4, True, {"B", "C"})


def test_under_an_outer_jit_the_message_is_another_and_the_root_the_same(study):
    run = study("--fault", "reassembly-collapses-batch", "--batch-size", "32", "--jit-compile", "on")
    assert run.status == 1
    assert run.root["details"]["place"] == REASSEMBLE
    assert run.root["details"]["seen"] == [1, 78, 78, 1]
    keras = next(p for p in run.diagnosis["xla_paths"] if p["mechanism"].startswith("Keras"))
    assert (keras["requested"], keras["resolved"]) == ("True", "on")
    slugs = [f["class"] for f in run.diagnosis["findings"]]
    assert "dynamic-dimension-unsupported" in slugs or "wrong-shape-silent" in slugs


def test_renamed_layers(tmp_path):
    run = scan(tmp_path / "work", str(PATIENTS / "renamed_layers.py"), "zaphod")
    assert run.root["details"]["place"] == REASSEMBLE
    assert "zaphod" in run.root["layer"]
    assert "zaphod" in run.finding("reshape-mismatch")["layer"]
    assert run.root["layer"] != run.finding("reshape-mismatch")["layer"]


# -- runs that are well, and runs that hide it ------------------------------------------------------------------------


def test_a_healthy_study_is_healthy(healthy):
    assert (healthy.status, healthy.diagnosis["verdict"], healthy.diagnosis["findings"]) == (0, "healthy", [])
    assert not (healthy.folder / "worker.jsonl").exists(), "nothing had to be asked"
    events = [json.loads(line) for f in healthy.folder.glob("events-*") for line in f.read_text().splitlines()]
    assert not [e for e in events if e["kind"] == "probe-error"]
    assert not [e for e in events if e["kind"] == "place-missing"]


def test_training_under_the_doctor_gives_bit_identical_weights(tmp_path):
    program = str(PATIENTS / "trains.py")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    plain = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True, check=True)
    run = scan(tmp_path / "work", program)
    digest = (run.folder / "stdout.log").read_text()
    assert len(digest.strip()) == 64
    assert digest == plain.stdout


def test_an_exception_that_the_program_catches_is_a_failure_all_the_same(tmp_path):
    run = scan(tmp_path / "work", str(PATIENTS / "catches_the_exception.py"))
    assert json.loads((run.folder / "run.json").read_text())["outcome"]["code"] == 0
    assert (run.folder / "stdout.log").read_text() == "None\n"
    assert run.status == 1
    assert run.root["class"] == "reshape-mismatch"
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
    assert "governs none of the 1 compiled function of this run (double)" in beside["message"]


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


def test_two_failures_are_two_roots_and_rows_that_a_model_means_to_give_are_no_failure(tmp_path):
    run = scan(tmp_path / "work", str(PATIENTS / "two_failures.py"))
    found = [(f["role"], f["level"], f["class"]) for f in run.diagnosis["findings"]]
    assert found[:2] == [("root", "error", "unsupported-op"), ("root", "error", "loop-shape-mismatch")]
    assert "caught this exception" in run.diagnosis["findings"][1]["message"]
    assert "caught" not in run.root["message"]
    rows = [f for f in run.diagnosis["findings"] if f["class"] == "wrong-shape-silent"]
    assert [(f["level"], f["dims"]) for f in rows] == [("warning", [8, 40])], "10 rows at steps=1 of 4 are 4 rows"
    assert len(found) == 3
