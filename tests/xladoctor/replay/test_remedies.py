"""What comes of a remedy: cured, another failure, no effect, worse; and how it gets into the diagnosis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from xladoctor.diagnosis.model import Diagnosis, Finding, Remedy
from xladoctor.diagnosis.tested import with_tested
from xladoctor.replay.bench import Answer
from xladoctor.replay.model import Case
from xladoctor.replay.remedies import judged
from xladoctor.replay.trials import Trial, trials

TRIAL = Trial("static-size", "Give the batch a static size", "safe", "bound")
RESHAPE = "Input to reshape is a tensor with 778752 values, but the requested shape has 24336"
GATHER = "params.shape[0]: 4 should be equal to indices.shape[0]: 20"


def failed(message=RESHAPE, kind="InvalidArgumentError"):
    return Answer("ok", {"outcome": "failed", "error": {"kind": kind, "message": message}})


def passed(deviation: Any = 1e-8, apart=(), missing=0, compared=2, seconds=0.5):
    told = {
        "outcome": "passed", "error": None, "deviation": deviation, "tolerance": 1e-5, "apart": list(apart),
        "missing": missing, "compared": compared, "outputs": 2, "seconds": seconds, "reference_seconds": 1.0,
    }  # fmt: skip
    return Answer("ok", told)


def test_cured_needs_the_numbers_too():
    found = judged(TRIAL, passed(), failed())
    assert (found.result, found.changes_numerics, found.deviation, found.speed_ratio) == ("cured", False, 1e-8, 2.0)
    changed = judged(TRIAL, passed(0.4, apart=["output 0"]), failed())
    assert (changed.result, changed.changes_numerics, changed.safety) == ("cured", True, "changes-numerics")
    assert changed.message == "THE NUMBERS CHANGE: output 0 differs by 0.4 from the reference"
    lost = judged(TRIAL, passed(0.0, missing=3), failed())
    assert lost.changes_numerics and "3 rows have no result" in (lost.message or "")
    assert judged(TRIAL, passed(0.0, compared=0), failed()).changes_numerics


def test_a_failure_that_only_moves_and_one_that_stays():
    moved = judged(TRIAL, failed(GATHER), failed())
    assert moved.result == "another failure" and moved.message == GATHER
    # The same class and op with other sizes is the same failure.
    same = judged(TRIAL, failed(RESHAPE.replace("778752", "389376")), failed())
    assert same.result == "no effect"


def test_without_anything_to_compare_with_nothing_is_cured():
    alone = Answer("ok", {**passed(compared=0).result, "outputs": 0, "results": 2})
    found = judged(TRIAL, alone, failed())
    assert found.result == "unverified" and "nothing is there to compare with" in (found.message or "")
    held = Answer("ok", {"outcome": "passed", "held": "as it makes its call itself"})
    assert judged(TRIAL, held, failed()).message == "as it makes its call itself"
    lost = Answer("ok", {**alone.result, "lost": ["output 0 has 6"]})
    assert judged(TRIAL, lost, passed(0.2, apart=["x"])).result == "no effect"


def test_worse():
    died = Answer("crashed", kind="by SIGSEGV", message="the worker ended by SIGSEGV", signal="SIGSEGV")
    assert judged(TRIAL, died, failed()).result == "worse"
    assert judged(TRIAL, died, died).result == "no effect"
    silent = passed(0.2, apart=["output 0"])
    assert judged(TRIAL, passed(0.9, apart=["output 0"]), silent).result == "worse"
    assert judged(TRIAL, passed(0.2, apart=["output 0"]), silent).result == "no effect"
    assert judged(TRIAL, passed(), silent).result == "cured"


def test_not_applicable_says_why():
    found = judged(TRIAL, Answer("refused", kind="Unsupported", message="traced for a fixed number"), failed())
    assert (found.result, found.message) == ("not applicable", "traced for a fixed number")
    told = "Cannot reshape a tensor with 900 elements to shape [4,30,30] (3600 elements) for '{{node Reshape}}'"
    same = judged(TRIAL, Answer("refused", kind="ValueError", message=told), failed())
    assert same.result == "no effect"


def names(**options: Any) -> list[str]:
    return [t.remedy for t in trials(Case(5), 5, callable=True, **options)]


def test_which_are_tried():
    assert names() == ["jit-off", "static-size", "smaller-batch", "row-by-row"]
    assert names(good=1)[2:] == ["smaller-batch"]
    assert names(written=(("cfg:x", "1"),))[-2:] == ["set-earlier", "rebuild"]
    assert names(node="a/FFT")[2:3] == ["move-outside"]
    assert "pad-last-batch" in names(full=8) and "drop-remainder" not in names(full=8)
    assert "drop-remainder" in names(full=4)
    assert "setting cfg:use_xla_translate=False" in names(config=["use_xla_translate", "N"])
    assert names(slug="dtype-mismatch").count("cast") == 2
    other = Case(5, (("arg:layout", "channel"),))
    assert "setting arg:layout=channel" in names(others=[other, Case(6, other.vary), Case(5)])


def test_results_stand_with_the_root():
    remedies = tuple(Remedy(i, i, "safe", f"Do {i}.") for i in ("fix-first-violation", "jit-off"))
    root = Finding("XD401", "dynamic-dimension-unsupported", "error", "root", "t", "m", remedies=remedies)
    diagnosis = Diagnosis("x", "failed", (root,))
    tried = [
        {
            "remedy": "jit-off",
            "title": "Off",
            "result": "cured",
            "safety": "slower",
            "deviation": 0.0,
            "speed_ratio": 0.5,
        },
        {
            "remedy": "pad",
            "title": "Pad",
            "result": "cured",
            "safety": "safe",
            "changes_numerics": True,
            "message": "X",
        },
        {"remedy": "far", "title": "Far", "result": "not applicable", "safety": "safe", "message": "no"},
    ]
    (found,) = with_tested(diagnosis, [{"remedies": tried, "folder": "R"}, {"remedies": []}]).findings
    by_id = {r.id: r for r in found.remedies}
    assert [r.id for r in found.remedies] == ["jit-off", "fix-first-violation", "pad"]
    assert (by_id["jit-off"].result, by_id["jit-off"].speed_ratio) == ("verified", 0.5)
    assert (by_id["pad"].result, by_id["pad"].safety) == ("failed", "changes-numerics")
    assert by_id["pad"].how.endswith("Tried: no error any more, but X")
    assert found.details["untested"] == {"fix-first-violation": "it is a change of the program's code"}
    assert with_tested(diagnosis, [{"remedies": []}]) is diagnosis


# -- in a worker ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A bench in the doctor's own checkout: `bench("module:callable")`, all with the same warm worker process."""
    from xladoctor.replay.bench import Bench
    from xladoctor.replay.subject import find

    opened = []

    def make(name):
        here = Path(__file__).resolve().parents[3]
        made = Bench(find(None, name, cwd=here), tmp_path_factory.mktemp("replay"))
        opened.append(made)
        return made.__enter__()

    yield make
    for made in opened:
        made.__exit__(None, None, None)


@pytest.mark.slow
def test_on_a_real_step(bench):
    from xladoctor.replay.lowering import lower
    from xladoctor.replay.parity import parity
    from xladoctor.replay.remedies import test_remedies

    sick = bench("tests.xladoctor.replay.sick:dynamic_fft")
    case = Case(6, (("jit", "on"),))
    tested, notes = test_remedies(sick, case)
    results = {t.remedy: t for t in tested}
    assert notes == ()
    assert (results["jit-off"].result, results["jit-off"].changes_numerics) == ("cured", False)
    assert results["static-size"].result == "no effect"
    assert lower(sick, case, "abacus").message == "platform 'abacus'; known are cpu, gpu"
    lowered = lower(sick, case, "cpu")
    assert lowered.ok and "instructions have a dynamic dimension" in (lowered.note or "")

    silent = parity(sick, Case(6, (("arg:kind", "wrong reference"),)))
    assert [a.slug for a in silent.agreements if "reference" in a.ways] == ["parity-divergence"]
    assert all(a.agree for a in silent.agreements if "reference" not in a.ways)
    assert {"eager", "tf.function", "plain"} <= set(silent.ways)
    assert any(note.startswith("xla: fails") for note in silent.not_comparable)
