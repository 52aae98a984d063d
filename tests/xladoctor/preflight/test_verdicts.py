"""What the checks make of a rehearsal's findings: no program is run."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from xladoctor.diagnosis.model import Finding
from xladoctor.evidence.schema import schema
from xladoctor.preflight.checks import flags, rehearsal, settings, switches
from xladoctor.preflight.situation import NotNow
from xladoctor.rules import by_slug

OUTCOME = SimpleNamespace(probes="recorded", probes_note=None, state="exited", code=1, signal=None)


def found(slug, level="error", status="confirmed", title="what was found"):
    return Finding(code=by_slug(slug).code, slug=slug, level=level, role="root", title=title, message="", status=status)


def situation(*findings, events=(), code=1, device="gpu", batch=None):
    outcome = SimpleNamespace(**{**vars(OUTCOME), "code": code})
    recording = SimpleNamespace(
        folder=Path("run"), outcome=outcome, of_kind=lambda kind: [e for e in events if e["kind"] == kind]
    )
    diagnosis = SimpleNamespace(findings=findings, settings=())
    study = SimpleNamespace(device=device)
    return SimpleNamespace(rehearsal=recording, diagnosis=diagnosis, study=study, timeout=60.0, which_batch=batch)


def test_the_flag_that_ends_the_process_comes_first_and_the_others_are_listed(monkeypatch):
    monkeypatch.setattr("xladoctor.evidence.flags.libraries_of", lambda program, environment: [])
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
CALLS = [{"kind": schema.CALL, "phase": "end", "method": m, "model": "net"} for m in ("fit", "predict")]


@pytest.mark.parametrize(
    ("slug", "events", "state", "said"),
    [
        ("reshape-mismatch", CALLS[:1], "fail", "it fails: "),
        ("not-xla", CALLS[:1], "fail", "it fails: "),
        ("reshape-mismatch", [*CALLS, STEPS_DONE], "fail", "it fails after its first steps: "),
        ("not-xla", [*CALLS, STEPS_DONE], "warn", "its first steps pass, and then it fails: "),
    ],
)
def test_a_failure_and_when_it_comes(slug, events, state, said):
    verdict = rehearsal.check(situation(found(slug), events=events))
    assert verdict.state == state and verdict.message.startswith(said), verdict
    assert verdict.slugs == (slug,)


def test_a_rehearsal_that_ended_well_or_early():
    assert rehearsal.check(situation(events=[*CALLS, STEPS_DONE], code=0)).state == "pass"
    no_keras = rehearsal.check(situation(events=[{"kind": schema.FIRST_OP, "by": "session"}], code=0))
    assert no_keras.state == "warn" and "its steps are not known" in no_keras.message
    assert rehearsal.check(situation(code=0)).state == "fail", "TensorFlow was not used at all"
    early = rehearsal.check(situation(events=CALLS))
    assert early.state == "warn" and "fit of net, predict of net" in early.message


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
