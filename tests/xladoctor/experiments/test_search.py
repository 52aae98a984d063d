"""The search over batch sizes, against thousands of made-up subjects: what it tries, and the rule that comes of it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xladoctor.experiments.rule import Known, holds, rule
from xladoctor.experiments.search import SMALL, drive, search

WIDE = range(1, 4097)


def found(sizes, bad, **options):
    tried = drive(list(sizes), bad, **options)
    return rule(tried, list(sizes)), tried


@settings(max_examples=400, deadline=None)
@given(st.integers(2, 4096))
def test_one_threshold_in_4096_sizes_is_exact_after_at_most_16_tries(threshold):
    told, tried = found(WIDE, lambda n: n >= threshold)
    assert (told.kind, told.value) == ("from", threshold)
    assert len(tried) <= 16
    assert tried[threshold - 1] is False and tried[threshold] is True
    told, tried = found(WIDE, lambda n: n < threshold)
    assert (told.kind, told.value) == ("up-to", threshold - 1)
    assert len(tried) <= 16


@settings(max_examples=400, deadline=None)
@given(st.integers(1, 500), st.integers(30, 3000), st.data())
def test_one_threshold_in_any_range(first, length, data):
    sizes = range(first, first + length)
    threshold = data.draw(st.integers(first + 1, first + length - 1))
    told, tried = found(sizes, lambda n: n >= threshold)
    assert (told.kind, told.value) == ("from", threshold)
    assert len(tried) <= math.ceil(math.log2(length)) + (8 if threshold == sizes[-1] else 5)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([*range(2, 21), 24, 32, 48, 64]), st.integers(200, 4096), st.booleans())
def test_multiples(m, last, inverted):
    told, tried = found(range(1, last + 1), lambda n: (n % m == 0) is not inverted)
    assert (told.kind, told.value) == ("not-multiple" if inverted else "multiple", m), tried
    assert len(tried) <= 40


@pytest.mark.parametrize("bad", [True, False])
def test_all_alike(bad):
    told, tried = found(WIDE, lambda n: bad)
    assert told.kind == ("always" if bad else "never")
    assert f"each of the {len(tried)} sizes tried" in told.text
    assert {1, 4096} <= set(tried) and len(tried) <= 16


@settings(max_examples=250, deadline=None)
@given(st.sets(st.integers(1, 400), min_size=1, max_size=200), st.integers(1, 400))
def test_the_rule_never_contradicts_what_was_tried(bad, length):
    told, tried = found(range(1, length + 1), bad.__contains__)
    for size, was in tried.items():
        assert holds(told, size) in (was, None)
    assert len(tried) <= max(SMALL, 60)
    if told.kind == "from" and "nothing was" not in told.text:
        assert tried[told.value - 1] is False


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.integers(1, 300), st.booleans(), min_size=1))
def test_any_outcomes_have_a_rule_that_fits(tried):
    told = rule(tried, sorted(tried))
    assert all(holds(told, size) in (was, None) for size, was in tried.items())
    assert told.seen == tuple(sorted(tried))


def test_few_sizes_are_all_tried_and_many_on_demand():
    assert set(drive([1, 4, 15, 16], lambda n: n > 4)) == {1, 4, 15, 16}
    assert set(drive(range(1, 101), lambda n: n > 4, exhaustive=True)) == set(range(1, 101))


def test_the_sizes_of_the_recorded_call_come_first():
    assert next(search(WIDE, first=(32, 6, 9999))) == (32, 6, 1, 4096)


def test_nothing_is_asked_twice():
    steps = search(WIDE)
    seen, tried = [], {}
    todo = next(steps)
    while todo:
        seen += todo
        tried.update({n: n % 48 == 0 for n in todo})
        try:
            todo = steps.send(tried)
        except StopIteration:
            break
    assert len(seen) == len(set(seen))


def test_sizes_that_could_not_be_run_do_not_stop_it():
    steps = search(WIDE)
    tried = {}
    todo = next(steps)
    for _ in range(100):
        tried.update({n: n >= 300 for n in todo if n % 2})  # even ones are refused
        try:
            todo = steps.send(tried)
        except StopIteration:
            break
    else:
        pytest.fail("the search does not end")
    assert set(tried) <= {n for n in WIDE if n % 2} and rule(tried, list(WIDE)) is not None


# -- how a rule is told


def told(tried, asked=None, **known):
    return rule(tried, asked or sorted(tried), Known(**known)).text


def test_a_threshold_needs_its_neighbour():
    assert told({15: False, 16: True, 17: True}) == "fails from 16 on"
    assert told({4: False, 32: True}) == (
        "fails from 32 on, of the sizes tried; passes at 4 (between them nothing was tried)"
    )
    assert told({1: True, 2: True, 3: False}) == "fails up to 2, and passes from 3 on"


def test_a_named_axis_is_told_only_where_it_makes_the_threshold_round():
    edge = {15: False, 16: True}
    assert told(edge, axes={"C": 4}) == "fails from 16 on (B*C >= 64)"
    assert told({7: False, 8: True}, axes={"C": 9}) == "fails from 8 on (B*C >= 64)"
    assert told({9: False, 10: True}, axes={"C": 4}) == "fails from 10 on"
    assert told(edge, axes={"C": 4, "K": 2}) == "fails from 16 on"  # either may be meant
    assert told(edge, axes={"C": 1}) == "fails from 16 on"


def test_the_last_partial_batch():
    assert rule({32: False, 6: True}, [6, 32], Known((32, 6), 70)).kind == "partial-batch"
    assert "last partial batch (6 of 70 rows" in told({32: False, 6: True}, met=(32, 6), rows=70)
    assert "partial" not in told({32: True, 6: True}, met=(32, 6), rows=70)


def test_only_the_size_of_the_call_passes():
    tried = {1: True, 31: True, 32: False, 33: True}
    assert rule(tried, sorted(tried), Known((32,))).kind == "not-trained-size"
    assert rule(tried, sorted(tried)).kind == "set"


def test_a_rule_about_multiples_needs_several_of_both_kinds_and_neighbours():
    assert told({2: False, 3: True, 4: False}) == "fails at 3 of the 3 sizes tried; no simple rule fits"
    assert told({2: True, 3: False, 4: True}) == "fails at every size tried but 3 (2 sizes fail)"
    assert told({2: False, 3: True, 4: False, 5: True}) == "fails when not a multiple of 2"
    assert told({2: True, 3: False, 4: True, 5: False}) == "fails when a multiple of 2"
    assert "no simple rule fits" in told({5: False, 8: True, 16: True, 100: False})  # nothing beside 8 and 16 was tried


def test_all_but_one():
    tried = {n: n != 8 for n in range(1, 13)}
    assert rule(tried, sorted(tried)).kind == "set"
    assert told(tried) == "fails at every size tried but 8 (11 sizes fail)"


def test_a_set_names_its_members():
    assert told({1: True, 2: False, 3: True, 5: False, 9: True}).startswith("fails at 1, 3, 9 of the 5 sizes tried")
