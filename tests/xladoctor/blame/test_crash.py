from __future__ import annotations

import pytest

from xladoctor.blame import words
from xladoctor.blame.crash import crash_of
from xladoctor.model.diagnosis import Finding


@pytest.mark.parametrize(
    ("shapes", "sizes"),
    [
        ([[5, 12], [None, 16]], (12, 16)),
        ([[5, 12], [5, 16]], (12, 16)),
        ([[5, 12], [12, 16]], (5, 12, 16)),
        ([[5, 12], [16]], (5, 12, 16)),
        (None, (5, 12, 16)),
    ],
)
def test_a_size_at_which_two_shapes_agree_is_not_at_fault(shapes, sizes):
    details = {"shapes": shapes} if shapes else {}
    finding = Finding("XD309", "contract-violation", "error", "root", "t", "m", dims=(5, 12, 16), details=details)
    assert crash_of(finding, None).sizes == sizes


def test_one_axis_is_no_axes():
    assert (words.axes(1), words.axes(2)) == ("1 axis", "2 axes")
