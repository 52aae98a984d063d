"""The first remedy of a shape failure names its axis and sizes, and never sends the user to places nobody watches."""

from __future__ import annotations

import pytest

from xladoctor.diagnosis.fitting import Situation, fitted
from xladoctor.model.diagnosis import Finding
from xladoctor.rules import by_slug

CASES = [
    ("broadcast-mismatch", {"shapes": [[None, 24], [None, 4]], "axes": [{"axis": -1, "sizes": [24, 4]}]}, (24, 4),
     "Make axis 1 agree: 24 on the left, 4 on the right", "24 is 6 times 4"),
    ("broadcast-mismatch",
     {"shapes": [[None, 30, 4, 4], [4, 30, 30]],
      "axes": [{"axis": -1, "sizes": [4, 30]}, {"axis": -2, "sizes": [4, 30]}, {"axis": -3, "sizes": [30, 4]}]},
     (), "Put the axes of both sides in the same order: 4 and 30 are exchanged", "`[0, 2, 1, 3]`"),
    ("concat-pack-mismatch", {"shapes": [[2, 8, 3], [2, 7, 3]], "op": "ConcatV2"}, (8, 7),
     "Make axis 1 agree: 8 in the first, 7 in the second", "Only the axis along which they are joined may differ."),
    ("concat-pack-mismatch", {"shapes": [[7], [8]], "op": "IteratorGetNext"}, (7, 8),
     "Give all elements of a batch one shape: axis 0 is 7 in one, 8 in another", "padded_batch"),
    ("matmul-conv-mismatch", {"shapes": [[None, 1, 1, 64]], "window": [2, 2]}, (1, 1, 64, 2, 2),
     "Shrink the axes less before this layer", "padding='same'"),
    ("matmul-conv-mismatch", {"shapes": [[32, 1, 30, 8]], "window": [2, 2]}, (1, 30, 8, 2, 2),
     "Check that the channels come last: one axis has 1 left, another 30", "`np.moveaxis(x, 1, -1)`"),
    ("matmul-conv-mismatch", {"shapes": [[8, 12], [10, 4]]}, (12, 10), "Make the inner sizes agree: 12 and 10", ""),
    ("reshape-mismatch", {"have": 144, "want": 140, "target": [4, 5, 7]}, (144, 140),
     "Make the target (4, 5, 7) hold 144 elements, not 140", ""),
    ("reshape-mismatch", {"have": 10, "want": 4, "multiple_of": 4}, (10, 4),
     "Make the tensor and the target agree: 10 elements, and a multiple of 4", ""),
]  # fmt: skip


def remedies(slug, details, dims, known):
    rule = by_slug(slug)
    finding = Finding(rule.code, slug, "error", "root", rule.title, "m", dims=dims, details=details,
                      op=details.get("op"), remedies=rule.remedies)  # fmt: skip
    (found,) = fitted([finding], known)
    return found.remedies


@pytest.mark.parametrize(("slug", "details", "dims", "title", "how"), CASES, ids=[c[3][:30] for c in CASES])
def test_the_first_remedy_names_the_sizes(slug, details, dims, title, how):
    first = remedies(slug, details, dims, Situation(True, True))[0]
    assert (first.title, first.id) == (title, "make-sizes-agree") and how in first.how


@pytest.mark.parametrize("slug", ["broadcast-mismatch", "concat-pack-mismatch", "rank-mismatch", "slice-out-of-bounds"])
def test_without_watched_places_and_without_sizes_nothing_is_said_of_trace(slug):
    assert "trace-shapes" in {r.id for r in remedies(slug, {}, (), Situation(True, True, watched=True))}
    unwatched = remedies(slug, {}, (), Situation(True, True))
    assert not {"trace-shapes", "make-sizes-agree"} & {r.id for r in unwatched} and not any(
        "xladoctor trace" in r.how for r in unwatched
    )


def test_two_axes_that_disagree_otherwise_are_not_exchanged():
    axes = [{"axis": -1, "sizes": [4, 30]}, {"axis": -2, "sizes": [4, 30]}]
    found = remedies("broadcast-mismatch", {"shapes": [[4, 4], [30, 30]], "axes": axes}, (), Situation(True, True))
    assert "make-sizes-agree" not in {r.id for r in found}
