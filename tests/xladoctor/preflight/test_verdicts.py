"""What the checks make of a rehearsal's findings: no program is run."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from xladoctor.diagnosis.fixed_batch import fixed_batches
from xladoctor.model.diagnosis import Finding
from xladoctor.model.preflight import Check, Preflight
from xladoctor.model.replay import Agreement, Lowering, Signature
from xladoctor.preflight.checks import flags, gpu, parity, rehearsal, settings, sizes, switches
from xladoctor.preflight.plan import came_through
from xladoctor.preflight.situation import NotNow, Stage
from xladoctor.preflight.verdict import explained
from xladoctor.protocol import answers
from xladoctor.recording.schema import schema
from xladoctor.report.preflight import to_dict
from xladoctor.report.preflight.words import verdict
from xladoctor.rules import by_slug
from xladoctor.workers.bench import Answer

OUTCOME = SimpleNamespace(probes="recorded", probes_note=None, state="exited", code=1, signal=None)


def found(slug, level="error", status="confirmed", title="what was found"):
    return Finding(code=by_slug(slug).code, slug=slug, level=level, role="root", title=title, message="", status=status)


def recorded(events=(), **outcome):
    told = SimpleNamespace(**{**vars(OUTCOME), **outcome})
    return SimpleNamespace(
        folder=Path("run"),
        outcome=told,
        run={"pid": 1},
        of_kind=lambda kind: [{"pid": 1, **e} for e in events if e["kind"] == kind],
    )


def situation(*findings, events=(), code=1, device="gpu", batch=None, plain=None, plain_findings=(), **outcome):
    return SimpleNamespace(
        rehearsal=recorded(events, code=code, **outcome),
        plain_rehearsal=plain,
        diagnosed=lambda recording: plain_findings,
        diagnosis=SimpleNamespace(findings=findings, settings=()),
        study=SimpleNamespace(device=device),
        timeout=60.0,
        which_batch=batch,
    )


def test_the_flag_that_ends_the_process_comes_first_and_the_others_are_listed(monkeypatch):
    monkeypatch.setattr("xladoctor.recording.flags.libraries_of", lambda program, environment: [])
    environment = {"TF_XLA_FLAGS": "--tf_xla_auto_jit=2 --tf_xla_auto_jit=1", "XLA_FLAGS": "\u2013-xla_dump_to=/x"}
    study = SimpleNamespace(python=None, command=("python",))
    verdict = flags.check(SimpleNamespace(environment=environment, study=study))
    assert verdict.state == "fail" and verdict.message.startswith("XLA_FLAGS: "), verdict
    assert verdict.details[0] == verdict.message
    assert verdict.details[1].startswith("TF_XLA_FLAGS: --tf_xla_auto_jit=1: --tf_xla_auto_jit is given twice")


def test_no_switch_is_tried_in_callables():
    with pytest.raises(NotNow, match="its steps are callables"):
        switches.check(SimpleNamespace(study=SimpleNamespace(subjects=("steps:predict",)), stages=()))


STEPS_DONE = {"kind": schema.REHEARSAL, "seen": "calls"}
CUT = {"kind": schema.REHEARSAL, "cut": True}
CALLS = [{"kind": schema.CALL, "phase": "end", "method": m, "model": "net"} for m in ("fit", "predict")]
NAN = {"kind": schema.REHEARSAL, "not_finite": "the loss of fit", "value": "nan", "epoch": 1, "batch": 10}


def phase(**told):
    facts = {"call": 1, "method": "fit", "validation": False, "kind": "GeneratorDataAdapter", "sizes": [[8, 4]]}
    return {"kind": schema.REHEARSAL, "phase": {**facts, "batches": 4, "ran": 4, "complete": True, **told}}


@pytest.mark.parametrize(
    ("slug", "events", "state", "said"),
    [
        ("reshape-mismatch", CALLS[:1], "fail", "it fails: "),
        ("not-xla", CALLS[:1], "fail", "it fails: "),
        ("reshape-mismatch", [*CALLS, STEPS_DONE, CUT], "fail", "it fails after its first train and predict steps: "),
        # An assertion about what was learnt may fail since half of the epochs were left out.
        ("not-xla", [*CALLS, STEPS_DONE, CUT], "unchecked", "after a training cut short, it fails after "),
        ("not-xla", [*CALLS, CUT, NAN], "fail", "it fails: "),
    ],
)
def test_a_failure_and_when_it_comes(slug, events, state, said):
    verdict = rehearsal.check(situation(found(slug), events=events))
    assert verdict.state == state and verdict.message.startswith(said), verdict
    assert (NAN in events) == verdict.message.endswith("the loss of fit is NaN after batch 10 of epoch 1")


def test_a_rehearsal_that_ended_well_or_has_no_answer():
    assert rehearsal.check(situation(events=[*CALLS, STEPS_DONE], code=0)).state == "pass"
    caught = rehearsal.check(situation(found("reshape-mismatch"), events=CALLS, code=0))
    assert caught.state == "pass", "the program caught it"
    own_loop = rehearsal.check(situation(events=[{"kind": schema.FIRST_OP, "by": "session"}], code=0))
    assert own_loop.state == "pass" and "its own loop" in own_loop.message
    assert rehearsal.check(situation(code=0)).state == "unchecked", "TensorFlow was not used at all"
    late = rehearsal.check(situation(events=CALLS, code=None, state="timed-out"))
    assert late.state == "unchecked" and "60 s" in late.message
    stopped = rehearsal.check(situation(events=[*CALLS[:1], {"kind": schema.REHEARSAL, "stopped": "seconds"}], code=0))
    assert stopped.state == "unchecked" and "fit of net" in stopped.message


def test_data_without_an_end_in_sight_are_not_checked():
    endless = phase(complete=False, why="its end was not reached within 35 s")
    verdict = rehearsal.check(situation(events=[*CALLS, endless], code=0))
    assert verdict.state == "unchecked" and "train: its end was not reached within 35 s" in verdict.message
    assert rehearsal.check(situation(events=[*CALLS, phase()], code=0)).state == "pass"


def test_an_exit_status_is_a_failure_and_so_is_a_loss_that_is_no_number():
    verdict = rehearsal.check(situation(events=CALLS, code=3))
    assert verdict.state == "fail" and verdict.message == "it ends with exit status 3"
    assert rehearsal.check(situation(events=[*CALLS, CUT], code=3)).state == "unchecked"
    silent = rehearsal.check(situation(events=[*CALLS, NAN], code=0))
    assert silent.state == "fail" and "the loss of fit is NaN after batch 10" in silent.message


def test_a_write_that_the_sandbox_refused_is_not_the_programs_failure():
    events = [
        *CALLS,
        {"kind": schema.REHEARSAL, "confined": "landlock"},
        {"kind": schema.FAILURE, "failure": 1, "state": "uncaught", "message": "Permission denied: '/data/m.keras'"},
    ]
    verdict = rehearsal.check(situation(found("not-xla"), events=events))
    assert verdict.state == "unchecked" and "/data/m.keras" in verdict.message
    assert "fit of net, predict of net passed" in verdict.message


def test_both_ways_to_run_it_must_pass():
    healthy = {"events": CALLS, "code": 0}
    dies = {"plain": recorded(CALLS[:1], code=1), "plain_findings": (found("slice-out-of-bounds"),)}
    verdict = rehearsal.check(situation(**healthy, **dies))
    assert verdict.state == "fail" and verdict.message.startswith("without XLA, as on this machine: it fails")
    assert rehearsal.check(situation(**healthy, plain=recorded(CALLS, code=0))).state == "pass"
    only_xla = rehearsal.check(situation(found("unsupported-op"), plain=recorded(CALLS, code=0)))
    assert only_xla.state == "fail" and only_xla.message.endswith("without XLA, as on this machine, it passes")


@pytest.mark.parametrize(
    ("states", "word", "status", "strict"),
    [
        (("pass", "pass"), "go", 0, 0),
        (("unchecked", "pass"), "unchecked", 0, 1),
        (("pass", "unchecked"), "go", 0, 1),
        (("unchecked", "fail"), "no-go", 1, 1),
        (("skipped", "skipped"), "unchecked", 0, 1),
    ],
)
def test_not_checked_is_not_go(states, word, status, strict):
    checks = tuple(Check(n, "t", s, "why") for n, s in zip(("rehearsal", "parity"), states, strict=True))
    answer = Preflight("s", checks, there_are=2)
    assert (answer.verdict, answer.exit_code) == (word, status)
    assert replace(answer, strict_unchecked=True).exit_code == strict
    told = to_dict(answer)
    assert (told["verdict"], [u["name"] for u in told["unchecked"]]) == (word, [c.name for c in answer.unchecked])
    assert all(c.name in verdict(answer) for c in answer.unchecked if word != "no-go")


def test_what_nobody_can_explain_is_not_suggested():
    assert explained("reshape-mismatch") == "xladoctor explain reshape-mismatch"
    assert [explained(s) for s in (None, "unknown", "no-such-class")] == [None, None, None]


@pytest.mark.parametrize(
    ("findings", "state", "first"),
    [
        ([], "pass", "0 reads and writes"),
        ([found("setting-too-late", "warning")], "fail", "1 finding"),
        ([found("flag-ineffective", "warning"), found("baked-in-setting", "warning", title="kept")], "fail", "kept"),
        ([found("setting-too-late", "warning", status="untested")], "warn", "1 finding"),
        ([found("dead-switch", "warning", status="untested")], "warn", "1 finding"),
        ([found("retracing", "warning")], "pass", ""),
    ],
)
def test_a_setting_that_is_written_in_vain_is_a_no_go(findings, state, first):
    verdict = settings.check(situation(*findings))
    assert verdict.state == state and first in verdict.message, verdict


@pytest.mark.parametrize(
    ("shape", "trainable", "state"), [([8, 4], False, "pass"), ([8], False, "fail"), ([8, 4], True, "fail")]
)
def test_rows_that_have_a_state_each_may_not_be_exchanged(tmp_path, monkeypatch, shape, trainable, state):
    inputs = [{"variable": {"name": "v", "shape": shape, "trainable": trainable}}, {"variable": None}]
    (tmp_path / "capsule.json").write_text(json.dumps({"inputs": inputs}))
    rows = Agreement(
        "output 0", ("plain", "plain"), False, ([8, 1], [8, 1]), 0.1, slug="wrong-pairing", test="permuted"
    )
    way = Agreement("output 0", ("plain", "xla"), True, ([8, 1], [8, 1]), 0.0)
    found = SimpleNamespace(agreements=(rows, way), ways=("plain", "xla"), not_comparable=())
    monkeypatch.setattr(parity, "parity", lambda bench, case, **_: found)
    bench = SimpleNamespace(subject=SimpleNamespace(folder=tmp_path))
    stage = Stage("predict of net", bench, (8,), True)
    verdict = parity.check(SimpleNamespace(wanted_stages=(stage,), say=lambda text: None))
    assert verdict.state == state, verdict


@pytest.mark.parametrize(("fixed", "state"), [(16, "pass"), (None, "fail")])
def test_rows_of_a_declared_batch_may_not_be_exchanged(tmp_path, monkeypatch, fixed, state):
    rows = Agreement(
        "output 0", ("plain", "plain"), False, ([16, 1], [16, 1]), 1.1, slug="wrong-pairing", test="copies"
    )
    way = Agreement("output 0", ("plain", "xla"), True, ([16, 1], [16, 1]), 0.0)
    found = SimpleNamespace(agreements=(rows, way), ways=("plain", "xla"), not_comparable=())
    monkeypatch.setattr(parity, "parity", lambda bench, case, **_: found)
    bench = SimpleNamespace(subject=SimpleNamespace(folder=tmp_path))
    stage = Stage("predict of net", bench, (16,), True, fixed_batch=fixed)
    verdict = parity.check(SimpleNamespace(wanted_stages=(stage,), say=lambda text: None))
    assert verdict.state == state, verdict
    assert any("declares a batch of 16" in d for d in verdict.details) == (state == "pass")


@pytest.mark.parametrize(
    ("shapes", "by_call", "size"),
    [
        ([[16, 40]], False, 16),
        ([[16, 40], [16]], False, 16),
        ([[None, 40]], False, None),
        ([[16, 40], [None, 3]], False, None),
        # Built by its first call: the shape is that of the data.
        ([[16, 40]], True, None),
        ([None], False, None),
        ([], False, None),
    ],
)
def test_the_batch_that_a_model_declares(shapes, by_call, size):
    inputs = [{"name": "x", "shape": shape, "dtype": "float32"} for shape in shapes]
    event = {"kind": schema.MODEL, "action": "build", "name": "net", "by_call": by_call, "inputs": inputs}
    assert fixed_batches(recorded([event])) == ({} if size is None else {"net": size})


@pytest.mark.parametrize(
    ("compiled", "found", "state"),
    [
        (1, {"ok": True}, "pass"),
        (1, {"ok": False, "message": "no kernel", "unsupported": ("Op",)}, "fail"),
        # The planned size and the traced one differ: that is no kernel's fault.
        (1, {"ok": False, "message": "cannot cast", "signature": Signature("reshape-mismatch")}, "unchecked"),
        (0, {"ok": False, "message": "no kernel", "unsupported": ("Op",)}, "skipped"),
    ],
)
def test_what_a_gpu_has_no_kernel_for(monkeypatch, compiled, found, state):
    monkeypatch.setattr("xladoctor.experiments.lowering.lower", lambda *a: Lowering("gpu", seconds=0.0, **found))
    answer = Answer("ok", answers.Digest("d", 3, compiled))
    stage = Stage("fit of net", SimpleNamespace(ask=lambda *a: answer), (8,), None)
    study = SimpleNamespace(device="gpu", subjects=())
    looked_at = SimpleNamespace(study=study, wanted_stages=(stage,), say=lambda text: None)
    if state == "skipped":
        with pytest.raises(NotNow, match="does not compile fit of net with XLA"):
            gpu.check(looked_at)
    else:
        assert gpu.check(looked_at).state == state


@pytest.mark.parametrize(
    ("outputs", "deviation", "state"),
    [
        (["variable net/bias:0"], 0.0007, "pass"),
        (["variable net/bias:0"], 0.3, "fail"),
        (["variable net/bias:0", "variable adam/net_bias_momentum:0"], 0.0007, "fail"),
        (["variable net/kernel:0"], 0.0007, "fail"),
    ],
)
def test_rounding_that_the_optimizer_enlarges(tmp_path, monkeypatch, outputs, deviation, state):
    names = {"net/bias:0": True, "net/kernel:0": True, "adam/net_bias_momentum:0": False}
    inputs = [{"variable": {"name": n, "shape": [3], "trainable": t}} for n, t in names.items()]
    (tmp_path / "capsule.json").write_text(json.dumps({"inputs": inputs}))
    apart = [Agreement(o, ("plain", "xla"), False, ([3], [3]), deviation, slug="parity-divergence") for o in outputs]
    found = SimpleNamespace(agreements=tuple(apart), ways=("plain", "xla"), not_comparable=())
    asked = []

    def compare(bench, case, *, worth, seconds):
        rows = [
            answers.ComparedWays(o, ([3], [3]), deviation, 1e-6, (), ways=("plain", "xla"), apart=True) for o in outputs
        ]
        asked.extend(row.output for row in worth(rows))
        return found

    monkeypatch.setattr(parity, "parity", compare)
    stage = Stage("fit of net", SimpleNamespace(subject=SimpleNamespace(folder=tmp_path)), (8,), None)
    verdict = parity.check(SimpleNamespace(wanted_stages=(stage,), say=lambda text: None))
    assert verdict.state == state, verdict
    assert (state == "fail") or "rounding that the optimizer amplifies" in verdict.details[-1]
    assert bool(asked) is (state == "fail"), "the first op that differs is looked for where something is wrong"


@pytest.mark.parametrize(("complete", "ways"), [(True, ["plain", "plain"]), (False, ["recorded", "recorded"])])
def test_sizes_that_the_rehearsal_ran_are_not_compiled_again(complete, ways):
    """Only in the call that the step is from; and a call that was cut off has come through nothing."""
    own = phase(call=3, sizes=[[32, 12], [16, 1]], complete=complete)
    recording = situation(events=[own, phase(call=5, sizes=[[7, 1]])]).rehearsal
    asked = []

    def ask(request, case):
        asked.append((case.batch, request.way))
        return Answer("ok", answers.Attempt(outcome="passed", outputs=()))

    bench = SimpleNamespace(subject=SimpleNamespace(step=None, kind="capsule"), ask=ask, jobs=1)
    compiled = came_through(recording, 3)
    stage = Stage("fit of net", bench, (32, 16, 7), None, rehearsed=frozenset({32, 16, 7}), compiled=compiled)
    verdict = sizes.check(SimpleNamespace(stages=(stage,), say=lambda text: None))
    assert verdict.state == "pass", verdict
    assert asked == [*zip([32, 16], ways, strict=True), (7, "recorded")]
    assert [("in the rehearsal" in line) for line in verdict.details] == [complete, complete, False]
