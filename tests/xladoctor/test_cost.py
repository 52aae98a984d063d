"""The cost of a diagnosis grows with the number of events, and not with its square."""

from __future__ import annotations

import time

import pytest

from tests.xladoctor.many_events import SHAPES, run_of
from xladoctor.saved import scan_run, trace_run

FEW, MANY = 1_000, 8_000
# Eight times the events; a pass over all events for each of them would take 64 times as long.
ALLOWED = 24.0
# Below this a figure says more about the clock than about the passes.
FLOOR = 0.1


def seconds(look, given):
    """Processor time: that of other processes does not count."""
    began = time.process_time()
    look(given)
    return time.process_time() - began


def grows_too_fast(look, few, many):
    """Whether it does so three times: a machine under load can spoil one measurement."""
    return all(seconds(look, many) > ALLOWED * max(seconds(look, few), FLOOR / 8) for _ in range(3))


@pytest.mark.parametrize("kind", SHAPES)
def test_the_cost_of_a_pass_grows_with_the_events(kind, tmp_path):
    scan_run(run_of(tmp_path / "first", kind, 50))
    few, many = (run_of(tmp_path / str(n), kind, n) for n in (FEW, MANY))
    assert not grows_too_fast(scan_run, few, many)
    if kind in ("places", "capsules", "answers", "failures"):
        assert not grows_too_fast(trace_run, few, many)


def test_that_the_measure_can_fail():
    def square(n):
        return sum(1 for a in range(n) for b in range(n))

    assert grows_too_fast(square, 250, 4_500)
