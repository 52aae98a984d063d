"""What "the same failure" means: across batches, traces and edits of the file; and what is another failure."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xladoctor.model.diagnosis import Finding, Location
from xladoctor.survey import same

BASE = Finding(
    code="XD301",
    slug="reshape-mismatch",
    level="error",
    role="root",
    title="t",
    message="Reshape got 778752 values, and was asked for 24336.",
    op="Reshape",
    node="functional_1/translation_36_1/Reshape_4",
    layer="functional_1/translation_36_1",
    dims=(778752, 24336),
    location=Location("/home/ada/warp.py", 182, "warp"),
)
NOWHERE = replace(BASE, location=None, layer=None, node=None)


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (replace(BASE, dims=(389376, 24336)), "another batch"),
        (replace(BASE, dims=(17, 4)), "other numbers in the same place"),
        (replace(BASE, location=Location("/scratch/bob/warp.py", 190, "warp")), "a checkout elsewhere, a line moved"),
        (replace(BASE, message="in other words"), "another version's words"),
    ],
)
def test_the_same(other: Finding, what: str) -> None:
    assert same.groups([BASE, other]) == [0, 0], what


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (replace(BASE, slug="broadcast-mismatch"), "another class"),
        (replace(BASE, op="MatMul"), "another op"),
        (replace(BASE, location=Location("/home/ada/warp.py", 182, "loss")), "another function"),
        (replace(BASE, level="warning"), "a warning is no failure"),
        (replace(BASE, location=None, layer="decoder/translation"), "another place"),
    ],
)
def test_another(other: Finding, what: str) -> None:
    assert same.groups([BASE, other]) == [0, 1], what


def test_nodes_are_counted_anew_in_each_trace() -> None:
    one = replace(BASE, location=None)
    other = replace(one, layer="StatefulPartitionedCall_3/functional_1_2/translation_1", node=None)
    assert same.groups([one, other]) == [0, 0]
    step = replace(NOWHERE, op="__inference_one_step_on_data_38575")
    assert same.groups([step, replace(step, op="__inference_one_step_on_data_12")]) == [0, 0]


def test_without_a_place_only_a_batch_may_differ() -> None:
    half, other = replace(NOWHERE, dims=(389376, 24336)), replace(NOWHERE, dims=(100, 7))
    assert same.groups([NOWHERE, half, other, NOWHERE]) == [0, 0, 1, 0]


def test_what_is_no_tensors_failure_is_told_by_its_words() -> None:
    def died(message: str) -> Finding:
        return Finding("XD901", "not-xla", "error", "root", "t", message)

    messages = (
        "FileNotFoundError: No such file: '/data/scan_1.npz'",
        "FileNotFoundError: No such file: '/data/scan_2.npz'",
        "ZeroDivisionError: division by zero",
        "Segmentation fault at 0x7f00aa",
        "Segmentation fault at 0x7f11bb",
    )
    assert same.groups([died(m) for m in messages]) == [0, 0, 1, 2, 2]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ((32, 64, 64), (16, 64, 64), True),
        ((32 * 78 * 78, 32), (16 * 78 * 78, 16), True),
        ((5088, 159), (5088, 80), True),
        ((2, 3), (4, 5), False),
        ((2, 3), (2, 3, 1), False),
        ((None, 4), (None, 4), True),
        ((None, 4), (8, 4), False),
        ((0, 4), (3, 4), False),
    ],
)
def test_numbers_of_one_program_at_two_batch_sizes(one: same.Dims, other: same.Dims, said: bool) -> None:
    assert same.related(one, other) is said and same.related(other, one) is said


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=5), st.integers(1, 99), st.data())
def test_whatever_the_batch_scales_is_related(dims: list[int], factor: int, data: st.DataObject) -> None:
    scaled = [n * factor if data.draw(st.booleans()) else n for n in dims]
    assert same.related(tuple(dims), tuple(scaled))


@given(st.text(max_size=300))
def test_any_message_has_a_skeleton(text: str) -> None:
    assert len(same.skeleton(text)) <= 160


def test_nested_dims_are_one_row() -> None:
    assert same.numbers(([1, None], (2, [3]), "f32", True)) == (1, None, 2, 3)


def test_groups_are_known_from_before_and_their_number_is_bounded(monkeypatch):
    """What a store kept goes on; of very many different numbers without a place, the rest joins the last group."""
    known = same.Groups()
    assert known.number(("a", "error", "", "", ""), (64, 3)) == (0, True)
    assert known.number(("a", "error", "", "", ""), (128, 3)) == (0, True)
    assert known.number(("a", "error", "", "", ""), (128, 3)) == (0, False)
    again = same.Groups()
    again.learn(0, ("a", "error", "", "", ""), [(64, 3), (128, 3)])
    assert again.number(("a", "error", "", "", ""), (32, 3)) == (0, True)
    assert again.number(("b", "error", "", "", ""), ()) == (1, True)
    monkeypatch.setattr(same, "_COMPARED", 3)
    many = same.Groups()
    numbers = [many.number(("a", "error", "", "", ""), (n, n * n + 1))[0] for n in (2, 3, 5, 7, 11)]
    assert numbers == [0, 1, 2, 2, 2]
