"""Each check has a patient that it alone rejects, and a healthy study that none rejects. Workers are shared."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from xladoctor.model.preflight import Batches
from xladoctor.preflight.checks import names
from xladoctor.preflight.run import checked
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.study import Phase, Study
from xladoctor.workers.environment import worker_environment
from xladoctor.workers.pool import Pool

pytestmark = pytest.mark.slow

PATIENTS = Path(__file__).resolve().parents[2] / "patients"
STEPS = [n for n in names() if n not in ("rehearsal", "settings", "switches")]


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    made = Pool(1, worker_environment(os.environ), PATIENTS, tmp_path_factory.mktemp("pool"))
    yield made
    made.close()


@pytest.fixture
def look(pool, tmp_path):
    """`look(step, ...)` -> the checks of a study with this step: 70 samples in batches of 32, unless told otherwise."""

    def made(step, samples=70, size=32, **study):
        phases = (Phase(Batches("predict", samples, size, "the test"), f"preflight_steps:{step}"),)
        told = Study(name=step, phases=phases, python=sys.executable, **study)
        with Situation(told, tmp_path / "run", None, 120.0, lambda text: None, pool) as situation:
            return {c.name: c for c in checked(situation, STEPS)}

    return made


def bad(checks):
    return [name for name, check in checks.items() if check.state in ("fail", "warn")]


def test_a_healthy_step_is_a_go(look):
    checks = look("healthy")
    assert bad(checks) == []
    assert {n: c.state for n, c in checks.items() if c.state == "skipped"} == {}
    assert checks["plan"].details == ("predict: 70 rows: 2 of 32 and one of 6 (the test)",)


@pytest.mark.parametrize(
    ("check", "step", "slug"),
    [
        ("sizes", "fails_at_the_partial_batch", "reshape-mismatch"),
        ("finite", "not_finite", None),
        ("parity", "mixes_rows", "wrong-pairing"),
        ("gpu", "has_no_kernel", "unsupported-op"),
    ],
)
def test_a_step_that_one_check_alone_rejects(look, check, step, slug):
    checks = look(step)
    assert bad(checks) == [check], {n: c.message for n, c in checks.items() if c.state == "fail"}
    assert checks[check].state == "fail"
    if slug:
        assert slug in checks[check].slugs


def test_a_failure_is_told_by_its_own_words_with_the_op_and_the_line(look):
    found = look("fails_while_it_is_traced")["sizes"]
    assert found.message.startswith("preflight_steps:fails_while_it_is_traced at batch 6: failed, "), found
    assert "in user code" not in found.message
    assert "Cannot reshape a tensor with 24 elements to shape [32,4]" in found.message
    assert "op Reshape" in found.message and "preflight_steps.py:" in found.message


@pytest.mark.parametrize(
    ("check", "state", "study"),
    [
        ("flags", "fail", {"environment": {"XLA_FLAGS": "--xla_no_such_flag_at_all=1"}}),
        ("disk", "fail", {"outputs": ".", "outputs_gib": 1e9}),
        ("plan", "warn", {"samples": 33}),
    ],
)
def test_a_study_that_one_check_alone_rejects(look, check, state, study):
    checks = look("healthy", **study)
    assert (bad(checks), checks[check].state) == ([check], state), checks[check]


def test_memory_that_is_not_there(look):
    checks = look("large", memory_gib=0.01)
    assert bad(checks) == ["memory"]
    assert "GiB" in checks["memory"].message


def test_versions_that_do_not_fit(look, tmp_path, monkeypatch):
    info = tmp_path / "site" / "keras-2.15.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: keras\nVersion: 2.15.0\n")
    monkeypatch.setenv("PYTHONPATH", str(info.parent))
    checks = look("healthy")
    assert bad(checks) == ["versions"]
    assert "Keras 3" in checks["versions"].message


def test_a_check_that_breaks_down_is_failed_and_the_others_are_made(look, monkeypatch):
    from xladoctor.preflight.checks import disk

    monkeypatch.setattr(disk, "check", lambda situation: 1 / 0)
    checks = look("healthy")
    assert bad(checks) == ["disk"]
    assert "ZeroDivisionError" in checks["disk"].message


def test_a_study_without_a_command_has_no_rehearsal(look):
    told = Study(name="s", phases=(Phase(Batches("predict", 70, 32, "the test"), "preflight_steps:healthy"),))
    with Situation(told, PATIENTS, None, 120.0, lambda text: None) as situation:
        checks = checked(situation, ("rehearsal", "settings"))
    assert [c.state for c in checks] == ["skipped", "skipped"]
