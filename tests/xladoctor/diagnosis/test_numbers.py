"""Numbers of a message, explained by shapes that were seen."""

from __future__ import annotations

from types import SimpleNamespace

from xladoctor.diagnosis.contracts import Binding
from xladoctor.diagnosis.enrich import _numbers
from xladoctor.diagnosis.numbers import coincidences, explain, factor, names_of
from xladoctor.model.diagnosis import Finding

BINDINGS = {n: Binding(n, v, f"{n} axis") for n, v in {"B": 32, "N": 64, "C": 4, "P": 78}.items()}


def names(bindings=BINDINGS):
    return names_of(bindings, ["B*C"])


def test_the_numbers_of_report_002():
    have = explain(778752, [128, 78, 78], "given", names())
    want = explain(24336, [4, 78, 78], "asked for", names())
    assert (have.product, have.named) == ("128*78*78", "(B*C)*P*P")
    assert (want.product, want.named) == ("4*78*78", "C*P*P")
    assert coincidences(want) == ("156*156",)


def test_a_size_that_two_axes_have_is_ambiguous():
    both = names({n: Binding(n, 4, f"{n} axis") for n in ("B", "C")})
    assert {n.name for n in factor(4, both).names} == {"B", "C"}
    want = explain(4 * 46 * 46, [4, 46, 46], "asked for", both)
    assert want.factors[0].ambiguous and not want.factors[1].ambiguous


def test_a_shape_that_is_not_the_number_explains_nothing():
    assert explain(24336, [4, 78, 77], "asked for", names()) is None


def test_a_size_with_two_names_is_ambiguous_and_shows_both():
    bindings = {**BINDINGS, "B": Binding("B", 4, "patches (axis 0)")}
    found = factor(4, names(bindings))
    assert found.ambiguous
    assert {n.name for n in found.names} == {"B", "C"}
    assert explain(4 * 78 * 78, [4, 78, 78], "seen", names(bindings)).named == "(B|C)*P*P"


def test_a_square_that_was_really_asked_for_is_no_coincidence():
    for shape in ([156, 156], [1, 156, 156, 1]):
        assert coincidences(explain(24336, shape, "asked for", names())) == ()


def test_a_square_of_nothing_that_has_a_name_is_not_worth_a_word():
    assert coincidences(explain(1024, [16, 64], "asked for", ())) == ()


def test_a_shape_with_an_unknown_size_explains_nothing():
    assert explain(2304, (None, 6, 6, 64), "in the message", ()) is None
    explained = explain(2304, (6, 6, 64), "in the message", ())
    assert explained is not None and [f.size for f in explained.factors] == [6, 6, 64]


def test_an_axis_of_another_place_names_a_size_last():
    elsewhere = {"K": Binding("K", 128, "images of translate_xla")}
    there = names_of(BINDINGS, ["B*C"], elsewhere.values())
    assert [n.name for n in factor(128, there).names] == ["B*C"]
    assert [n.name for n in factor(128, names_of({}, [], elsewhere.values())).names] == ["K"]


def test_axes_of_contracts_that_were_kept_explain_no_single_size():
    finding = Finding("XD401", "dynamic-dimension-unsupported", "error", "root", "t", "m", dims=(32,))
    step = SimpleNamespace(first=None, names=names(), failing_op=None)
    assert _numbers(finding, step) == []
    step.first = "a broken contract"
    assert [e.named for e in _numbers(finding, step)] == ["B"]
