"""The essence of the table in docs/faults.md, for the faults that are quick: op, rule, class of parity, remedies.

The whole table takes minutes for each row: `python -m benchmarks faults`.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.xladoctor.experiments.anew import Anew
from xladoctor.experiments import settled
from xladoctor.experiments.isolate import isolate
from xladoctor.experiments.parity_rule import silent_rule
from xladoctor.experiments.remedies import test_remedies as tried
from xladoctor.experiments.sweep import Asked, sweep
from xladoctor.model.replay import Case, Isolation, Tested

pytestmark = pytest.mark.slow
SMALL = {"arg:N": "16", "cfg:filters_scale": "0.0625", "cfg:estimate_iterations": "1"}
SWITCH = "cfg:use_xla_translate"


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """`bench(subject, fault)`: the subject of `ptycho.subjects` with a fault in it, small."""

    def make(subject: str, fault: str = "") -> Any:
        monkeypatch.setenv("PTYCHO_FAULT", fault)
        whole = {"arg:N": SMALL["arg:N"]} if subject == "reassemble" else {} if subject == "mmd_loss" else SMALL
        # A folder of its own: what a replay has captured it takes again.
        folder = tmp_path / f"{subject}-{fault.partition(':')[0] or 'healthy'}"
        return Anew(f"ptycho.subjects:{subject}", folder, forget=("ptycho.subjects",), given=whole)

    return make


def results(found: tuple[tuple[Tested, ...], Any]) -> dict[str, str]:
    return {t.remedy: f"{t.result}, other numbers" if t.changes_numerics else t.result for t in found[0]}


def place(found: Isolation | None) -> tuple[str, str, str]:
    """(op, how, file and function) of an isolation."""
    assert found is not None
    file, _, function = str(found.location).partition(" in ")
    return found.op, found.mode, f"{file.rpartition('/')[2].partition(':')[0]} {function}"


def test_a_collapse_that_is_silent(bench):
    one = bench("reassemble", "reassembly-collapses-batch-muted:threshold=12")
    swept = sweep(one, Asked((2, 3), by_row=True))
    assert [(o.state, o.rows_out) for o in swept.outcomes] == [("passed", 2), ("silent", 1)]
    tested = results(tried(one, Case(3), swept))
    assert tested["smaller-batch"] == tested["row-by-row"] == "cured"
    assert tested["jit-off"] == tested["static-size"] == tested["rebuild"] == "no effect"


def test_wrong_pairs(bench):
    one = bench("reassemble", "modular-pairing")
    found = silent_rule(one, Case(5), (1, 2, 3, 5))
    assert found is not None and found.text == "is wrong from 2 on"
    tested = results(tried(one, Case(5)))
    assert tested.pop("row-by-row") == "cured"
    assert {"jit-off", "static-size", "smaller-batch", "set-earlier"} <= set(tested)
    assert set(tested.values()) <= {"no effect", "worse, other numbers"}


def test_rows_that_depend_on_their_batch_are_wrong_alone_too(bench):
    one = bench("reassemble", "batch-centred-offsets")
    found = silent_rule(one, Case(3), (1, 2, 3))
    assert found is not None and found.kind == "always"


def test_two_paths_of_which_one_is_negated(bench):
    one = bench("reassemble", "negated-offsets")
    off, on = Case(3, ((SWITCH, "False"),)), Case(3, ((SWITCH, "True"),))
    found = silent_rule(one, off, (1, 2, 3))
    assert found is not None and found.kind == "always"
    swept = sweep(one, Asked((3,), ((SWITCH, ("True", "False")),), by_row=True))
    assert results(tried(one, off, swept))[f"setting {SWITCH}=True"] == "cured"
    assert tried(one, on, swept)[0] == ()


def test_a_setting_too_late_and_a_switch_that_is_dead(bench):
    one = bench("predict", "late-setting")
    (late,), _ = settled.agreements(one, Case(2), ())
    assert late.slug == "setting-too-late" and f"writes {SWITCH}=False, too late" in str(late.what)
    assert results(tried(one, Case(2))) == {"set-earlier": "cured", "rebuild": "no effect"}
    other = Case(2, ((SWITCH, "False"),))
    (dead,), _ = settled.agreements(bench("reassemble", "dead-switch"), Case(2), (other,))
    assert dead.slug == "dead-switch"


def test_a_model_that_was_built_at_the_import(bench):
    one = bench("predict", "module-singleton")
    (outcome,) = sweep(one, Asked((2,), by_row=True)).outcomes
    assert outcome.signature is not None and outcome.signature.slug == "keras-input-mismatch"
    assert isolate(one, Case(2)) is None
    tested = results(tried(one, Case(2)))
    assert (tested["set-earlier"], tested["rebuild"]) == ("cured", "no effect")


def test_positions_of_another_layout(bench):
    assert place(isolate(bench("predict", "flat-positions"), Case(2)))[:2] == ("Reshape", "run")


def test_stitching_of_too_few_objects(bench):
    found = isolate(bench("stitch", "vectorised-stitching"), Case(33))
    assert place(found) == ("Mul", "trace", "einsum_homography.py projective_warp_xla")
    assert found is not None and [i["shape"][0] for i in found.inputs] == [33, 2]


def test_the_loss_of_the_session_passes_on_a_processor(bench):
    one = bench("mmd_loss")
    assert [r.kind for r in sweep(one, Asked((2, 5), (("jit", ("on", "off")),))).rules] == ["never", "never"]
