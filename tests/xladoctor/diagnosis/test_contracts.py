"""Contracts: what is read, what is checked, and the words of a violation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xladoctor.diagnosis.contracts import ContractError, check, evaluate, parse

REASSEMBLE = "patches (B N N C), positions (B 1 2 C) -> (B P P 1)"


def reasons(contract: str, inputs, outputs, **outside):
    known = {name: (value, "get_padded_size()") for name, value in outside.items()}
    return [v.reason for v in check(parse(contract), inputs, outputs, known).violations]


def test_a_kept_contract_has_no_violation_and_says_who_bound_each_axis():
    checked = check(
        parse(REASSEMBLE),
        [[32, 64, 64, 4], [32, 1, 2, 4]],
        [[32, 78, 78, 1]],
        {"P": (78, "get_padded_size()")},
    )
    assert checked.violations == ()
    assert {n: str(b) for n, b in checked.bindings.items()} == {
        "B": "B = 32 by patches (axis 0)",
        "N": "N = 64 by patches (axis 1)",
        "C": "C = 4 by patches (axis 3)",
        "P": "P = 78 by get_padded_size()",
    }


def test_a_collapsed_result():
    assert reasons(REASSEMBLE, [[32, 64, 64, 4], [32, 1, 2, 4]], [[1, 78, 78, 1]], P=78) == [
        "result is (1 78 78 1) where (B P P 1) wants B = 32 at axis 0 (patches (axis 0))"
    ]


def test_flat_positions_are_a_wrong_rank():
    assert reasons(REASSEMBLE, [[None, 64, 64, 4], [None, 2]], None) == [
        "positions has 2 axes (? 2) where (B 1 2 C) has 4"
    ]


def test_every_violation_is_listed_not_the_first():
    found = reasons(REASSEMBLE, [[32, 64, 60, 4], [16, 1, 2, 9]], [[32, 70, 78, 1]], P=78)
    assert len(found) == 4
    assert found[0].startswith("patches is (32 64 60 4)")
    assert any("positions" in r and "B = 32" in r for r in found)
    assert any("positions" in r and "C = 4" in r for r in found)
    assert any("get_padded_size()" in r for r in found)


def test_unknown_sizes_are_not_violations():
    assert reasons(REASSEMBLE, [[None, 64, 64, 4], None], [[None, 78, 78, 1]], P=78) == []


def test_an_expression_is_computed_from_its_names():
    assert reasons("offsets (B 1 2 C) -> (B*C 2)", [[32, 1, 2, 4]], [[32, 2]]) == [
        "result is (32 2) where (B*C 2) wants B*C = 128 at axis 0 "
        "(B = 32 by offsets (axis 0), C = 4 by offsets (axis 3))"
    ]


def test_an_expression_may_stand_before_its_names():
    assert reasons("x (B*C 2), y (B C) -> ()", [[128, 2], [32, 4]], None) == []
    assert len(reasons("x (B*C 2), y (B C) -> ()", [[127, 2], [32, 4]], None)) == 1


def test_the_one_unknown_of_a_product_is_solved():
    checked = check(parse("x (B*C 2) -> (B)"), [[128, 2]], [[31]], {"C": (4, "params.cfg['gridsize']")})
    assert checked.violations[0].expected == 32


def test_variadic_axes():
    contract = "images (K H W D), y (K ...) -> (K ...)"
    assert reasons(contract, [[4, 8, 8, 1], [4, 64]], [[4, 64, 1]]) == []
    assert "K = 4" in reasons(contract, [[4, 8, 8, 1], [128, 64]], [[4]])[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x (B N)", "has no '->'"),
        ("x B N -> (B)", "cannot read 'x B N'"),
        ("x (B N -> (B)", "cannot read"),
        ("x (B* N) -> (B)", "is no size"),
        ("x (f(B)) -> (B)", "cannot read"),
        ("x (... B ...) -> ()", "more than one '...'"),
        ("x (B**2) -> ()", "may use only"),
    ],
)
def test_a_wrong_contract_says_that_the_contract_is_wrong(text, says):
    with pytest.raises(ContractError, match="contract") as error:
        parse(text)
    assert says in str(error.value)


SHAPES = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(0, 300)), max_size=6))


@given(st.lists(SHAPES, max_size=4), st.one_of(st.none(), st.lists(SHAPES, max_size=2)))
def test_check_never_raises_on_data(inputs, outputs):
    checked = check(parse(REASSEMBLE), inputs, outputs, {"P": (78, "get_padded_size()")})
    assert all(v.reason for v in checked.violations)


@given(st.integers(1, 64), st.integers(1, 9), st.integers(1, 128))
def test_shapes_made_from_the_contract_keep_it(b, c, n):
    p = n + 10
    assert reasons(REASSEMBLE, [[b, n, n, c], [b, 1, 2, c]], [[b, p, p, 1]], P=p) == []


def test_evaluate_knows_when_it_does_not_know():
    assert evaluate("B*C+1", {"B": 3, "C": 4}) == 13
    assert evaluate("B*C", {"B": 3}) is None
    assert evaluate("B//C", {"B": 3, "C": 0}) is None
