"""Bisection against oracles whose answer is known."""

from __future__ import annotations

import math

import pytest

from xladoctor.experiments.bisect import first_failing
from xladoctor.model.replay import Signature

FFT = Signature("dynamic-dimension-unsupported", "FFT")
TILE = Signature("compile-time-constant", "Tile")


def counted(answer):
    asked = []

    def attempt(number):
        asked.append(number)
        return answer(number)

    return attempt, asked


@pytest.mark.parametrize("ops", [1, 2, 3, 7, 8, 9, 100, 1033])
def test_every_culprit_within_the_bound(ops):
    for culprit in range(1, ops + 1):
        attempt, asked = counted(lambda k, culprit=culprit: FFT if k >= culprit else None)
        found = first_failing(attempt, ops)
        assert (found.number, found.signature, found.tries) == (culprit, FFT, len(asked))
        assert len(asked) <= 1 + math.ceil(math.log2(max(ops, 1)))
        assert len(set(asked)) == len(asked)


def test_thousands_of_ops():
    attempt, asked = counted(lambda k: FFT if k >= 12_345 else None)
    assert first_failing(attempt, 17_476).number == 12_345
    assert len(asked) <= 16


def test_another_failure_is_not_the_one_that_is_meant():
    """The first 40 to 59 ops fail otherwise (a cut can do that); the one that is meant comes with op 70."""
    attempt, _ = counted(lambda k: FFT if k >= 70 else TILE if 40 <= k < 60 else None)
    found = first_failing(attempt, 100)
    assert (found.number, found.signature) == (70, FFT)
    assert found.others == ((50, TILE),)


def test_the_wanted_failure_where_the_whole_shows_another():
    attempt, _ = counted(lambda k: TILE if k >= 90 else FFT if k >= 30 else None)
    found = first_failing(attempt, 100, FFT)
    assert (found.number, found.signature) == (30, FFT)
    assert found.others[0] == (100, TILE)


def test_what_cannot_be_tried_may_fail():
    """From op 50 on the graph cannot be put before the compiler; the failure is earlier."""
    attempt, _ = counted(lambda k: "unknown" if k >= 50 else FFT if k >= 20 else None)
    assert first_failing(attempt, 100).number == 20
    attempt, _ = counted(lambda k: "unknown" if k >= 50 else None)
    found = first_failing(attempt, 100)
    assert (found.number, found.note) == (None, "no part that could be tried failed in the same way")


def test_nothing_fails():
    found = first_failing(lambda k: None, 64)
    assert (found.number, found.tries, found.note) == (None, 1, "with all ops it does not fail")
