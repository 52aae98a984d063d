"""Of two arguments that disagree the one that lost its rows is wrong, whichever stands first in the contract."""

from __future__ import annotations

import pytest

from tests.xladoctor.diagnosis.test_broken_quietly import diagnosed
from tests.xladoctor.recordings import Run

WARP = "images (K H W D), offsets (K 2) -> (K H W D)"


def warped(images: int, offsets: int, before: list[int] | None, batch: int | None) -> Run:
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.found("m:warp", WARP, origin="pyproject.toml")
    if before is not None:
        run.place("m:warp", WARP, {"images": before, "offsets": [before[0], 2]}, [before], graph=None)
    run.place("m:warp", WARP, {"images": [images, 6, 6, 1], "offsets": [offsets, 2]}, [[images, 6, 6, 1]], graph=None)
    return run


@pytest.mark.parametrize(
    ("images", "offsets", "before", "wrong", "seen", "wanted"),
    [
        (8, 256, [256, 6, 6, 1], "images", [8, 6, 6, 1], "(256 6 6 1)"),
        (256, 8, [256, 6, 6, 1], "offsets", [8, 2], "(256 2)"),
        (8, 256, [256, 9, 9, 1], "offsets", [256, 2], "(8 2)"),
        (8, 256, None, "offsets", [256, 2], "(8 2)"),
    ],
)
def test_the_side_that_lost_its_rows(tmp_path, images, offsets, before, wrong, seen, wanted):
    found = diagnosed(warped(images, offsets, before, None), tmp_path)
    broken = next(f for f in found.findings if f.slug == "contract-violation")
    assert (broken.details["argument"], broken.details["seen"]) == (wrong, seen)
    assert broken.details["expected"] == wanted
