"""The collapse of reports 000, 002 and 004 in the real study: verdicts follow what was recorded."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.test_readme import shown_in_order
from tests.xladoctor.slice.scanned import REASSEMBLE, ROOT, WARP

pytestmark = pytest.mark.slow


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


def test_the_study_that_fails_writes_nothing(collapsed):
    assert [file.name for file in collapsed.folder.parent.iterdir()] == ["run"]


def test_what_the_page_shows_of_it_is_what_comes(collapsed, shown):
    missing = shown_in_order(shown[1], collapsed.output.replace(f"{ROOT}/", "./").splitlines())
    assert missing is None, f"the page shows {missing!r}; this came:\n{collapsed.output}"
