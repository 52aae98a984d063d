"""Reshapes that should have been transposes, by their sizes alone."""

from __future__ import annotations

import pytest

from probes.graph.exchanged import exchanged

ROWS = 7


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ((7, 2, 9), (63, 2), True),
        ((7, 4, 6, 2), (7, 6, 8), True),
        ((7, 12, 3), (7, 3, 12), True),
        ((7, 16, 12, 3), (7, 3, 16, 12), True),
        ((7, 1, 12, 3), (7, 3, 12), True),
        ((7, 12, 3), (7, 36), False),
        ((7, 12, 3), (7, 12, 3), False),
        ((7, 12, 1), (7, 1, 12), False),
        ((7, 3, 3), (7, 3, 3), False),
        ((7, 12, 3), (7, 6, 6), False),
        ((12, 7, 3), (3, 7, 12), False),
    ],
)
def test_the_same_sizes_at_other_places(before, after, wrong):
    assert exchanged(before, after, ROWS) is wrong
