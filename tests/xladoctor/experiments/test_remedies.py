"""What comes of a remedy: cured, another failure, no effect, worse; and how it gets into the diagnosis."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.xladoctor.answered import made
from xladoctor.diagnosis.tested import with_tested
from xladoctor.experiments.remedies import judged
from xladoctor.experiments.remedies import test_remedies as try_remedies
from xladoctor.experiments.trials import Trial, trials
from xladoctor.model.diagnosis import Diagnosis, Finding, Remedy
from xladoctor.model.replay import Case, Outcome, Replay, Sweep, Tested
from xladoctor.protocol import answers, requests
from xladoctor.report.replay.remedies import verdict
from xladoctor.workers.bench import Answer
from xladoctor.workers.subject import Subject

TRIAL = Trial("static-size", "Give the batch a static size", "safe", "bound")
RESHAPE = "Input to reshape is a tensor with 778752 values, but the requested shape has 24336"
GATHER = "params.shape[0]: 4 should be equal to indices.shape[0]: 20"


def failed(message=RESHAPE, kind="InvalidArgumentError"):
    return Answer("ok", answers.Remedy("failed", answers.Error(kind, message)))


def passed(deviation: Any = 1e-8, apart=(), missing=0, compared=2, seconds=0.5):
    return Answer("ok", answers.Remedy(
        "passed", deviation=deviation, tolerance=1e-5, apart=tuple(apart), missing=missing, compared=compared,
        outputs=2, seconds=seconds, reference_seconds=1.0,
    ))  # fmt: skip


def but(answer, **fields):
    """The answer with other fields."""
    return replace(answer, value=replace(answer.result, **fields))


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
    alone = but(passed(compared=0), outputs=0, results=2)
    found = judged(TRIAL, alone, failed())
    assert found.result == "unverified" and "there is nothing to compare with" in (found.message or "")
    held = Answer("ok", answers.Remedy("passed", held="as it makes its call itself"))
    assert judged(TRIAL, held, failed()).message == "as it makes its call itself"
    lost = but(alone, lost=("output 0 has 6",))
    assert judged(TRIAL, lost, passed(0.2, apart=["x"])).result == "no effect"


def test_pieces_of_which_nothing_can_be_put_together_are_not_verified():
    nothing = but(passed(0.0, compared=0), results=0)
    found = judged(TRIAL, nothing, failed())
    assert found.result == "unverified" and "none of its results has rows" in (found.message or "")
    lost = but(nothing, outputs=0, lost=("output 0 has 1 for 2",))
    found = judged(TRIAL, lost, but(passed(0.0, compared=0), outputs=0, lost=("output 0",)))
    assert (found.result, found.message) == (
        "no effect", "as wrong as before: rows are lost or too many: output 0 has 1 for 2"
    )  # fmt: skip
    assert verdict(judged(TRIAL, nothing, failed())) == "it passes, its numbers not verified"


class AsCalled:
    """A bench with a callable: what is built passes, what is called fails within a function that asked for XLA."""

    def __init__(self, folder: Path, read: list[str] | None = None) -> None:
        self._read = read
        self.subject = Subject("a:b", "callable", "python", folder, callable="a:b")
        self.folder = folder
        self.ways: list[Any] = []

    def say(self, text: str) -> None:
        """Nobody looks."""

    def open_folder(self, case: Case, again: bool = False) -> Path:
        return self.folder

    def ask(self, request: Any, case: Case) -> Answer[Any]:
        if isinstance(request, requests.TryRemedy):
            self.ways.append(request.way)
            kept = request.apply["kind"] in ("kept", "jit-off")
            return passed() if kept else failed("Asked to propagate a dynamic dimension", "UnimplementedError")
        message = "Asked to propagate a dynamic dimension from hlo a to hlo b"
        told = {
            requests.CompareCallable: {"capsule": "c", "ways": {"plain": {"outcome": "passed"}}},
            requests.DescribeCallable: {"config": ["N", "use_xla_translate", "use_xla_compile"]},
            requests.ListRead: self._read,
            requests.Call: {"outcome": "failed", "error": {"kind": "UnimplementedError", "message": message}},
        }
        return Answer("ok", made(request.ANSWER, told.get(type(request), {})))


def test_what_a_callable_calls_keeps_its_xla_under_another_setting(tmp_path):
    bench: Any = AsCalled(tmp_path)
    case, other = Case(4, ()), Case(4, (("arg:layout", "x"),))
    swept = Sweep((Outcome(case, "failed"), Outcome(other, "failed")), (), 2, 2)
    tested, _ = try_remedies(bench, case, swept)
    results = {t.remedy: t.result for t in tested}
    assert results["setting arg:layout=x"] != "cured" and results["jit-off"] == "cured"
    assert set(bench.ways) == {"recorded"}


@pytest.mark.parametrize(
    ("read", "offered"),
    [
        ([], set()),  # settings of a package that is installed, and not of this program
        (["N", "use_xla_translate"], {"use_xla_translate"}),
        (None, {"use_xla_translate", "use_xla_compile"}),
    ],
)
def test_only_switches_that_the_program_reads_are_tried(tmp_path, read, offered):
    bench: Any = AsCalled(tmp_path, read)
    tested, _ = try_remedies(bench, Case(4))
    assert {t.remedy for t in tested if "cfg:" in t.remedy} == {f"setting cfg:{key}=False" for key in offered}


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
    tried = (
        Tested("jit-off", "Off", "cured", "slower", deviation=0.0, speed_ratio=0.5),
        Tested("pad", "Pad", "cured", "safe", changes_numerics=True, message="X"),
        Tested("far", "Far", "not applicable", "safe", message="no"),
    )
    replays = [Replay("s", remedies=tried, folder="R"), Replay("s")]
    (found,) = with_tested(diagnosis, replays).findings
    by_id = {r.id: r for r in found.remedies}
    assert [r.id for r in found.remedies] == ["jit-off", "fix-first-violation", "pad"]
    assert (by_id["jit-off"].result, by_id["jit-off"].speed_ratio) == ("verified", 0.5)
    assert (by_id["pad"].result, by_id["pad"].safety) == ("failed", "changes-numerics")
    assert by_id["pad"].how.endswith("Tried: no error any more, but X")
    assert found.details["untested"] == {"fix-first-violation": "it is a change of the program's code"}
    assert with_tested(diagnosis, [Replay("s")]) is diagnosis


def test_a_static_batch_is_not_told_as_the_axis_that_a_rule_means():
    root = Finding(
        "XD401", "dynamic-dimension-unsupported", "error", "root", "t", "m",
        remedies=(Remedy("static-size", "Give the axis a static size", "safe", "Do it."),),
    )  # fmt: skip
    trial = Tested("static-size", "Give the batch a static size", "cured", "safe")
    found = with_tested(Diagnosis("x", "failed", (root,)), [Replay("s", remedies=(trial,))]).findings[0]
    told = {r.title: r.result for r in found.remedies}
    assert told == {"Give the batch a static size": "verified", "Give the axis a static size": "untested"}
    assert "the batch alone" in found.details["untested"]["static-size"]


# -- in a worker ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A bench in the doctor's own checkout: `bench("module:callable")`, all with the same warm worker process."""
    from xladoctor.workers.bench import Bench
    from xladoctor.workers.subject import find

    opened = []

    def make(name):
        here = Path(__file__).resolve().parents[3]
        made = Bench(find(None, name, cwd=here), tmp_path_factory.mktemp("replay"))
        opened.append(made)
        return made.__enter__()

    yield make
    for one in opened:
        one.__exit__(None, None, None)


@pytest.mark.slow
def test_on_a_real_step(bench):
    from xladoctor.experiments.lowering import lower
    from xladoctor.experiments.parity import parity
    from xladoctor.experiments.remedies import test_remedies

    sick = bench("tests.xladoctor.experiments.sick:dynamic_fft")
    case = Case(6, (("jit", "on"),))
    tested, notes = test_remedies(sick, case)
    results = {t.remedy: t for t in tested}
    assert notes == ()
    assert (results["jit-off"].result, results["jit-off"].changes_numerics) == ("cured", False)
    assert results["static-size"].result == "no effect"
    assert lower(sick, case, "abacus").message == "platform 'abacus'; known are cpu, gpu"
    lowered = lower(sick, case, "cpu")
    # The text has bounded dimensions, so the step is compiled too: there the FFT is refused.
    assert not lowered.ok and lowered.signature is not None
    assert (lowered.signature.slug, lowered.signature.op) == ("dynamic-dimension-unsupported", "FFT")

    silent = parity(sick, Case(6, (("arg:kind", "wrong reference"),)))
    assert [a.slug for a in silent.agreements if "reference" in a.ways] == ["parity-divergence"]
    assert all(a.agree for a in silent.agreements if "reference" not in a.ways)
    assert {"eager", "tf.function", "plain"} <= set(silent.ways)
    assert any(note.startswith("xla: fails") for note in silent.not_comparable)
