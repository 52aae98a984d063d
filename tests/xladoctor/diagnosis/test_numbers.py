"""Numbers of a message, explained by shapes that were seen."""

from __future__ import annotations

from xladoctor.diagnosis.contracts import Binding
from xladoctor.diagnosis.numbers import coincidences, explain, factor, names_of

BINDINGS = {n: Binding(n, v, f"{n} axis") for n, v in {"B": 32, "N": 64, "C": 4, "P": 78}.items()}


def names(bindings=BINDINGS, settings=()):
    return names_of(bindings, ["B*C"], settings)


def test_the_numbers_of_report_002():
    have = explain(778752, [128, 78, 78], "given", names())
    want = explain(24336, [4, 78, 78], "asked for", names())
    assert (have.product, have.named) == ("128*78*78", "(B*C)*P*P")
    assert (want.product, want.named) == ("4*78*78", "C*P*P")
    assert coincidences(24336, [4, 78, 78]) == ("156*156",)


def test_a_shape_that_is_not_the_number_explains_nothing():
    assert explain(24336, [4, 78, 77], "asked for", names()) is None


def test_a_size_with_two_names_is_ambiguous_and_shows_both():
    bindings = {**BINDINGS, "B": Binding("B", 4, "patches (axis 0)")}
    found = factor(4, names(bindings))
    assert found.ambiguous
    assert {n.name for n in found.names} == {"B", "C"}
    assert explain(4 * 78 * 78, [4, 78, 78], "seen", names(bindings)).named == "(B|C)*P*P"


def test_settings_name_a_size_only_where_no_axis_does():
    settings = [("offset", 4, "params.cfg['offset']"), ("bigN", 68, "get_bigN()")]
    assert [n.name for n in factor(4, names(settings=settings)).names] == ["C"]
    assert [n.name for n in factor(68, names(settings=settings)).names] == ["bigN"]


def test_a_square_that_was_really_asked_for_is_no_coincidence():
    assert coincidences(24336, [156, 156]) == ()
    assert coincidences(24336, [1, 156, 156, 1]) == ()
