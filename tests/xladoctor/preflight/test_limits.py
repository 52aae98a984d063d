"""The check of the process's limits: what a long run would meet is a warning, whatever else is in order."""

from __future__ import annotations

import resource
from types import SimpleNamespace

import pytest

from xladoctor.preflight.checks import limits, names

NONE = resource.RLIM_INFINITY


@pytest.fixture
def look(monkeypatch):
    def go(**given):
        set_to = {getattr(resource, f"RLIMIT_{name}"): value for name, value in given.items()}
        monkeypatch.setattr(resource, "getrlimit", lambda kind: (set_to.get(kind, NONE), NONE))
        return limits.check(SimpleNamespace())

    return go


def test_without_limits_it_passes(look):
    assert look(NOFILE=1024).state == "pass" and look().state == "pass"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"CPU": 3600}, "after 3600 s of processor time"),
        ({"FSIZE": 1 << 30}, "larger than 1.00 GiB"),
        ({"NOFILE": 64}, "only 64 files"),
        ({"AS": 8 << 30}, "ends at 8.0 GiB"),
    ],
)
def test_each_limit_is_a_warning(look, given, said):
    verdict = look(**given)
    assert verdict.state == "warn" and said in verdict.message and "ulimit" in (verdict.todo or "")


def test_all_of_them_are_named(look):
    assert len(look(CPU=60, FSIZE=1, NOFILE=8, AS=1 << 30).details) == 4


def test_it_is_made_before_the_rehearsal():
    order = names()
    assert order.index("disk") < order.index("limits") < order.index("rehearsal")
