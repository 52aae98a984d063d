"""Commands: each check that needs a rehearsal has a program that it alone rejects, and all pass on the healthy one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from xladoctor.experiments import overlay
from xladoctor.preflight.checks import names
from xladoctor.preflight.run import checked
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.study import Study
from xladoctor.recording.schema import schema
from xladoctor.workers.environment import worker_environment
from xladoctor.workers.pool import Pool

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).resolve().parents[2] / "patients" / "small_study"


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    made = Pool(1, worker_environment(os.environ), PROGRAM, tmp_path_factory.mktemp("pool"))
    yield made
    made.close()


@pytest.fixture
def look(pool, tmp_path):
    """`look(wrong)` -> (the checks of the study with this wrong in it, the situation)."""

    def made(wrong, **environment):
        study = Study(name=wrong, command=(sys.executable, "train.py", wrong), environment=environment)
        with Situation(study, tmp_path / "run", overlay.look(PROGRAM), 300.0, lambda text: None, pool) as situation:
            return {c.name: c for c in checked(situation, names())}, situation

    return made


def states(checks, *wanted):
    return {n: c.message for n, c in checks.items() if c.state in wanted}


def test_the_healthy_program_is_a_go(look):
    checks, situation = look("")
    assert states(checks, "fail", "warn", "skipped") == {}
    assert "predict of sequential" in checks["rehearsal"].message
    assert checks["sizes"].message == "4 of 4 pass"
    assert checks["switches"].message == "cfg:use_xla_translate: other graphs, the same numbers"
    told = [e for e in situation.rehearsal.of_kind(schema.REHEARSAL) if e.get("switch")]
    assert [(e["method"], e["value"], e["other"]) for e in told] == [("predict", True, False)]
    reads = [e for e in situation.rehearsal.of_kind(schema.SETTING) if e["key"] == "use_xla_translate"]
    assert {e["value"] for e in reads} == {True}, "what was tried is no event of the program"


@pytest.mark.parametrize(
    ("wrong", "check", "state", "slug", "said"),
    [
        ("odd-batch", "rehearsal", "fail", "reshape-mismatch", "it fails"),
        ("set-too-late", "settings", "fail", None, "use_xla_translate"),
        ("other-numbers", "switches", "fail", "parity-divergence", "differs by 0.2 of the largest magnitude"),
        (
            "only-trains",
            "switches",
            "fail",
            "parity-divergence",
            "fit of sequential with cfg:use_xla_translate = False",
        ),
    ],
)
def test_a_program_that_one_check_alone_rejects(look, wrong, check, state, slug, said):
    checks, _ = look(wrong)
    assert list(states(checks, "fail", "warn")) == [check], states(checks, "fail", "warn")
    assert checks[check].state == state and said in checks[check].message
    assert slug is None or slug in checks[check].slugs
    if check != "rehearsal":
        assert states(checks, "skipped") == {}


def test_a_contract_of_a_place_of_the_users_own(pool, tmp_path, monkeypatch):
    monkeypatch.chdir(PROGRAM)
    study = Study(name="s", command=(sys.executable, "train.py", "own-contract"))
    with Situation(study, tmp_path / "run", overlay.look(PROGRAM), 300.0, lambda text: None, pool) as situation:
        (rehearsed,) = checked(situation, ("rehearsal",))
        # By itself: after a rehearsal that fails it would be skipped.
        (sizes,) = checked(situation, ("sizes",))
    assert (rehearsed.state, rehearsed.slugs) == ("fail", ("contract-violation",)), rehearsed
    assert rehearsed.message.startswith("no error is raised, but the result is wrong: kept breaks its contract")
    assert (sizes.state, sizes.slugs) == ("fail", ("contract-violation",)), sizes
    assert "kept: result is (32 3) where (B N) wants N = 4 at axis 1" in sizes.message


def test_a_switch_that_the_study_sets_and_nothing_obeys(look):
    checks, situation = look("governs-nothing", USE_XLA_TRANSLATE="0")
    assert list(states(checks, "fail", "warn")) == ["switches"], states(checks, "fail", "warn")
    found = checks["switches"]
    assert (found.state, found.slugs) == ("fail", ("dead-switch",))
    assert "the study sets it, but it has no effect: env:USE_XLA_TRANSLATE changes nothing" in found.message
    assert not list(situation.folder.glob("switch-2")), "one more rehearsal"
