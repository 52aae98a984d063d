"""Every stored log gets its class, its numbers and its place."""

from __future__ import annotations

import pytest

from tests.xladoctor.rules.fixtures import (
    Fixture,
    diagnose,
    public,
    public_fixtures,
    real_fixtures,
    verdict,
)
from xladoctor.rules import all_rules

# Classes that are no root of a log: they are concluded from recordings and comparisons, or stand beside a root.
RECORDED_ONLY = {
    "flag-ineffective",
    "dead-switch",
    "baked-in-setting",
    "value-baked-in",
    "parity-divergence",
    "wrong-shape-silent",
    "wrong-pairing",
    "random-in-compiled",
    "unsound-split",
    "sorted-batches",
    "loss-input-mismatch",
    "unlike-training",
    "integer-wrap",
    "wrong-gradient",
    "not-recorded",
}
WARNINGS = {"retracing", "slow-compile", "no-gradient"}
ALL = real_fixtures() + public_fixtures()
FAILING = [f for f in ALL if f.slug not in ("healthy", "silent")]


@pytest.mark.parametrize("fixture", FAILING, ids=lambda f: f.name)
def test_class_and_numbers(fixture: Fixture) -> None:
    found = diagnose(fixture.text)
    assert verdict(found) == fixture.slug
    root = found[0]
    assert root.role == "root"
    assert root.level == ("warning" if fixture.slug in WARNINGS else "error")
    assert all(f.role == "consequence" for f in found[1:])
    if fixture.dims:
        assert root.dims == fixture.dims
    assert root.message.endswith((".", "]", ")")) or root.slug == "not-xla"
    assert root.evidence and all(p.kind == "log" and p.where and p.where.startswith("log:") for p in root.evidence)


@pytest.mark.parametrize(
    "fixture", [f for f in real_fixtures() if f.slug in ("healthy", "silent")], ids=lambda f: f.name
)
def test_healthy_logs_have_no_error(fixture: Fixture) -> None:
    """XLA's banner, oneDNN, missing CUDA drivers, an error that the program caught: no finding at error level."""
    assert [f.slug for f in diagnose(fixture.text) if f.level == "error"] == []


@pytest.mark.parametrize("rule", all_rules(), ids=lambda r: r.slug)
def test_every_rule_has_a_failing_fixture(rule) -> None:  # type: ignore[no-untyped-def]
    shown = [f for f in ALL if f.slug == rule.slug]
    if rule.code.startswith("XD8"):  # seen in sources by `lint`, in no log
        assert rule.recognise is None and rule.match is None and not shown
    elif rule.slug in RECORDED_ONLY:
        assert rule.recognise is None and not shown
    else:
        assert rule.match is not None and shown


@pytest.mark.parametrize("rule", [r for r in all_rules() if r.match], ids=lambda r: r.slug)
def test_every_rule_is_silent_on_other_classes(rule) -> None:  # type: ignore[no-untyped-def]
    """A healthy log and the failing logs of all other classes are each rule's healthy fixtures."""
    for fixture in ALL:
        if fixture.slug != rule.slug and verdict(found := diagnose(fixture.text)) == fixture.slug:
            wrong = [f for f in found if f.slug == rule.slug and f.level == "error" and not f.details.get("went_on")]
            assert not wrong or rule.slug in _NEIGHBOURS.get(fixture.slug, ()), (fixture.name, wrong)


# Findings that rightly stand beside another root: the kernel that libdevice made fail, the abort after a fatal check.
_NEIGHBOURS = {
    "libdevice-missing": ("jit-kernel-failed", "not-xla"),
    "gpu-library-failed": ("not-xla",),
    "ptxas-missing": ("not-xla",),
    "flag-error": ("not-xla",),
    "branch-shape-mismatch": ("not-xla",),
    "rank-mismatch": ("not-xla",),
    "oom": ("not-xla",),
    "unsupported-op": ("not-xla",),
    "dtype-mismatch": ("not-xla",),
    "tensorlist-dynamic": ("compile-time-constant",),
}


@pytest.mark.parametrize("name", list(public().MESSAGES))
def test_published_details(name: str) -> None:
    message = public().MESSAGES[name]
    root = diagnose(message.text)[0]
    assert {k: root.details.get(k) for k in message.details} == message.details


@pytest.mark.parametrize(
    "fixture", [f for f in real_fixtures() if f.slug not in ("healthy", "silent")], ids=lambda f: f.name
)
def test_location_is_the_users(fixture: Fixture) -> None:
    """Where Python had a word, the location is in the user's file."""
    root = diagnose(fixture.text)[0]
    if "Traceback (most recent call last)" in fixture.text and fixture.slug != "flag-error":
        assert root.location is not None
        assert root.location.file.endswith("home/user/project/train.py")
