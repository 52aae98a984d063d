"""Failures that follow a node are told from those that chance, or the program, puts there."""

from __future__ import annotations

import random
from math import comb

import pytest

from xladoctor.fleet import nodes
from xladoctor.fleet.nodes import Stratum, at_least, share


def dealt(rng: random.Random, total: int, on: int, failed: int) -> Stratum:
    """A program whose failures fall on its runs at random."""
    here = sum(at < on for at in rng.sample(range(total), failed))
    return total, on, failed, here


def test_one_bad_node() -> None:
    found = share("gpu17", [(400, 40, 41, 38)], pairs=100)
    assert found is not None
    assert (found.node, found.runs, found.of, found.expected) == ("gpu17", 38, 41, 4.1)
    assert found.chance < 1e-20


def test_a_program_that_fails_wherever_it_runs_says_nothing() -> None:
    """All its runs were on one node, or all of them failed."""
    assert share("gpu17", [(41, 41, 41, 41)], pairs=1) is None
    assert share("gpu17", [(60, 40, 60, 40)], pairs=1) is None


def test_a_node_with_most_of_the_jobs_has_most_of_the_failures() -> None:
    assert share("gpu17", [(400, 300, 40, 31)], pairs=1) is None


def test_many_pairs_need_more_evidence() -> None:
    strata = [(200, 20, 12, 7)]
    assert share("gpu17", strata, pairs=1) is not None
    assert share("gpu17", strata, pairs=100_000) is None


def test_the_probability_is_exact() -> None:
    """Two programs: counted out by hand."""
    one = {k: comb(5, k) * comb(5, 4 - k) / comb(10, 4) for k in range(5)}
    two = {k: comb(3, k) * comb(7, 2 - k) / comb(10, 2) for k in range(3)}
    by_hand = sum(p * q for i, p in one.items() for k, q in two.items() if i + k >= 4)
    assert at_least(4, [(10, 5, 4, 0), (10, 3, 2, 0)]) == pytest.approx(by_hand)
    assert at_least(0, [(10, 5, 4, 0)]) == pytest.approx(1)
    assert at_least(9, [(10, 5, 4, 0)]) == 0


def test_chance_is_pointed_out_as_rarely_as_the_level_says() -> None:
    rng = random.Random(1)
    found = [
        share("gpu01", [dealt(rng, 60, 30, 12), dealt(rng, 40, 20, 9), (30, 30, 30, 30)], pairs=1) for _ in range(3000)
    ]
    assert sum(one is not None for one in found) <= 3000 * nodes.LEVEL * 3


def test_the_bound_for_very_many_runs_is_above_the_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    strata = [(200, 40, 41, 0), (100, 30, 20, 0)]
    exact = [at_least(count, strata) for count in range(15, 50)]
    monkeypatch.setattr(nodes, "_EXACT", 0)
    assert all(at_least(count, strata) >= p for count, p in zip(range(15, 50), exact, strict=True))
