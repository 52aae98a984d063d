"""Parity on the model: its silent faults are found, each with its class, and the healthy model comes out clean.

A worker's answers are asked for in this process, so that TensorFlow starts once.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.xladoctor.experiments.anew import Anew
from xladoctor.experiments import parity_judge as judge
from xladoctor.experiments.parity import parity
from xladoctor.model.replay import Case, Parity

pytestmark = pytest.mark.slow


@pytest.fixture
def compared(tmp_path, monkeypatch):
    """`compared(subject, batch, fault, others)` -> Parity."""

    def run(subject: str, batch: int, fault: str = "", others: Any = ()) -> Parity:
        if fault:
            monkeypatch.setenv("PTYCHO_FAULT", fault)
        else:
            monkeypatch.delenv("PTYCHO_FAULT", raising=False)
        # A folder of its own: what a replay has captured it takes again.
        small = {"arg:N": "16", "cfg:filters_scale": "0.0625", "cfg:estimate_iterations": "1"}
        bench: Any = Anew(f"ptycho.subjects:{subject}", tmp_path / (fault or "healthy"), given=small)
        return parity(bench, Case(batch), others)

    return run


def found(told: Parity) -> set[tuple[str | None, str | None]]:
    return {(a.slug, a.test) for a in told.agreements if not a.agree}


def test_rows_that_follow_the_wrong_one(compared):
    told = compared("reassemble", 6, "modular-pairing")
    assert found(told) == {("parity-divergence", None), *(("wrong-pairing", t) for t in ("permuted", "few", "alone"))}
    what = next(a.what for a in told.agreements if a.test == "permuted")
    assert "paired with the wrong ones: row 0 of positions changes rows 0, 1, 3, 4" in what


def test_rows_that_depend_on_their_neighbours(compared):
    told = compared("reassemble", 5, "batch-centred-offsets")
    assert found(told) == {("parity-divergence", None), ("wrong-pairing", "few"), ("wrong-pairing", "alone")}
    assert any("depends on its neighbours: row 0 of positions" in (a.what or "") for a in told.agreements)


def test_a_collapsed_batch(compared):
    told = compared("reassemble", 5, "reassembly-collapses-batch-muted:threshold=16")
    assert found(told) == {("wrong-shape-silent", None), ("wrong-shape-silent", "size")}


def test_two_paths_of_which_one_is_negated(compared):
    other = Case(4, (("cfg:use_xla_translate", "False"),))
    told = compared("reassemble", 4, "negated-offsets", [other])
    bad = [a for a in told.agreements if not a.agree]
    off = "cfg:use_xla_translate=False"
    # The reference says which of the two is the wrong one.
    assert {(a.slug, a.ways) for a in bad} == {("parity-divergence", w) for w in (("plain", off), (off, "reference"))}
    assert all(a.amplitude is not None and a.amplitude > 0.1 and a.phase is not None for a in bad)
    assert found(compared("reassemble", 4, "", [other])) == set()


def test_einsum_homography_is_silent_under_xla(compared):
    told = compared("predict", 5, "einsum-homography:threshold=16")
    assert ("parity-divergence", None) in found(told)  # plain mode raises
    assert ("wrong-shape-silent", "size") in found(told)
    assert told.first_node["op"] == "Reshape"
    assert any(a.ways == ("xla", "xla") for a in told.agreements)


@pytest.mark.parametrize(("subject", "batch"), [("reassemble", 17), ("train_step", 2)])
def test_the_healthy_model_is_clean(compared, subject, batch):
    told = compared(subject, batch)
    assert found(told) == set()
    assert {"plain", "xla", "eager", "tf.function"} <= set(told.ways)
    assert not any(n.startswith(judge.XLA) for n in told.not_comparable)
    values = [a for a in told.agreements if a.ways == ("plain", "xla")]
    assert len(values) >= {"reassemble": 1, "train_step": 100}[subject]
