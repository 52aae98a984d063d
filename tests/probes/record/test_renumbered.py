"""Classes that have other numbers in a test than in the training."""

from __future__ import annotations

import numpy as np
import pytest

from probes.record.renumbered import means_of, renumbered

RNG = np.random.default_rng(0)
CENTRES = RNG.normal(size=(5, 8)) * 3
CODES, OTHERS = RNG.integers(0, 5, 300), RNG.integers(0, 5, 100)
ROWS, TEST = (CENTRES[c] + RNG.normal(size=(len(c), 8)) for c in (CODES, OTHERS))
ORDER = np.array([3, 1, 4, 0, 2])


@pytest.mark.parametrize("form", [lambda c: c, lambda c: np.eye(5)[c]])
def test_classes_that_were_numbered_again(form):
    means = means_of(ROWS, form(CODES))
    found = renumbered(means, TEST, form(ORDER[OTHERS]))
    assert found["rows"] == [4, 5] and found["numbers"][0] < 0.4 and found["numbers"][1] > 0.7
    assert renumbered(means, TEST, form(OTHERS)) is None


def test_what_says_nothing_of_the_numbers():
    means = means_of(ROWS, CODES)
    assert renumbered(means, TEST, np.zeros(100, int)) is None  # rows of one class
    assert renumbered(means, TEST, RNG.permutation(OTHERS)) is None  # labels that were shuffled
    assert renumbered(means, TEST[:, :4], OTHERS) is None and renumbered(means, TEST, OTHERS + 9) is None
    assert means_of(RNG.normal(size=(300, 8)), CODES) is None  # no class has a place of its own
    assert means_of(ROWS, CODES % 2) is None and means_of(ROWS, ROWS[:, 0]) is None
