"""Other faults and sizes of the study, loud and silent: verdicts and numbers follow; a healthy one is healthy."""

from __future__ import annotations

import json

import pytest

from tests.xladoctor.slice.scanned import REASSEMBLE

pytestmark = pytest.mark.slow


def test_flat_positions_turn_the_hypothesis_and_every_number(flat):
    assert flat.status == 1
    assert flat.verdicts()["H1-REVISED"] == "confirmed"
    assert flat.verdicts()["H3-REVISED"] == "refuted"
    # The argument came with the call that failed: the op that a worker ran again is the root, and it stands with it.
    assert (flat.root["class"], flat.root["status"]) == ("reshape-mismatch", "confirmed")
    assert any("(32 2)" in proof["text"] for proof in flat.root["evidence"])
    have, want = flat.finding("reshape-mismatch")["details"]["numbers"]
    assert (have["product"], have["named"]) == ("32*78*78", "B*P*P")
    assert (want["product"], want["named"]) == ("128*78*78", "(B*C)*P*P")


def test_under_an_outer_jit_the_message_is_another_and_the_root_the_same(study):
    sizes = ("--N", "32", "--gridsize", "3", "--batch-size", "32")
    run = study("--fault", "reassembly-collapses-batch", *sizes, "--jit-compile", "on")
    assert run.status == 1
    assert run.root["details"]["place"] == REASSEMBLE
    assert run.root["details"]["seen"] == [1, 50, 50, 1]
    keras = next(p for p in run.diagnosis["xla_paths"] if p["mechanism"].startswith("Keras"))
    assert (keras["requested"], keras["resolved"]) == ("True", "on")
    slugs = [f["class"] for f in run.diagnosis["findings"]]
    assert "dynamic-dimension-unsupported" in slugs or "wrong-shape-silent" in slugs


def test_the_silent_twin_is_a_failure_with_the_same_root(muted):
    assert muted.status == 1
    assert json.loads((muted.folder / "run.json").read_text())["outcome"]["code"] == 0
    assert muted.root["details"]["place"] == REASSEMBLE
    assert muted.root["details"]["seen"] == [1, 78, 78, 1]
    lost = muted.finding("wrong-shape-silent")
    assert (lost["details"]["rows_in"], set(lost["details"]["rows_out"]), lost["details"]["batches"]) == (64, {2}, 2)
    metrics = json.loads((muted.folder.parent / "out" / "metrics.json").read_text())["arms"]["high-poisson"]
    assert (metrics["rows_in"], metrics["rows_out"]) == (64, 2), "the study itself ends well and counts them"


def test_a_healthy_study_is_healthy(healthy):
    assert (healthy.status, healthy.diagnosis["verdict"], healthy.diagnosis["findings"]) == (0, "healthy", [])
    answers = [json.loads(line) for line in (healthy.folder / "worker.jsonl").read_text().splitlines()]
    assert {a["request"] for a in answers} == {"agreement", "explain", "pairing"}, "only the checks had to be asked for"
    checked = healthy.diagnosis["checked"]
    assert [(c["function"], c["result"]) for c in checked if c["what"] == "compiled-function"] == [
        ("projective_warp_xla_jit", "agrees")
    ]
    rows = {c["function"]: c["result"] for c in checked if c["what"] == "rows"}
    assert rows and "diverges" not in rows.values(), rows
    events = [json.loads(line) for f in healthy.folder.glob("events-*") for line in f.read_text().splitlines()]
    assert not [e for e in events if e["kind"] == "probe-error"]
    assert not [e for e in events if e["kind"] == "place-missing"]
