from __future__ import annotations

from dataclasses import replace

import pytest

from tests.xladoctor.report.samples import SHAPES, row
from xladoctor.report import shapes


def call(place: str, number: int, size: int = 4, **more) -> shapes.Call:
    return shapes.Call((row(place, "in", "x", "(B)", [size], call=number, **more),))


def names(steps):
    return [s if isinstance(s, int) else ("".join(c.name for c in s.calls), s.times) for s in steps]


def test_a_repetition_within_a_cycle_is_folded_first():
    [step] = shapes.folded([call(f"m:{name}", 0) for name in "abbbcabbbcabbbc"])
    assert names([step]) == [("abc", 3)]
    assert names(step.parts) == [("a", 1), ("b", 3), ("c", 1)]
    assert step.count == 15


def test_rows_of_a_call_stand_together():
    found = shapes.calls(SHAPES)
    assert [len(c.rows) for c in found[:4]] == [2, 2, 1, 2]
    assert [c.name for c in found[:3]] == [
        "ReassemblePatchesLayer.call",
        "flatten_offsets",
        "_channel_to_flat",
    ]


def test_a_repeated_call_is_folded():
    assert names(shapes.folded([call("m:a", n) for n in range(5)])) == [("a", 5)]


def test_a_repeated_cycle_is_folded():
    found = [call("m:s", 0)] + [call(f"m:{name}", n) for n in range(1, 4) for name in "abc"] + [call("m:e", 9)]
    assert names(shapes.folded(found)) == [("s", 1), ("abc", 3), ("e", 1)]


def test_the_shortest_cycle_is_taken():
    assert names(shapes.folded([call(f"m:{name}", 0) for name in "abababab"])) == [("ab", 4)]


def test_another_shape_is_not_folded_away():
    found = [call("m:a", 0), call("m:a", 1), call("m:a", 2, size=5), call("m:a", 3)]
    assert names(shapes.folded(found)) == [("a", 2), ("a", 1), ("a", 1)]


def test_the_first_violation_is_never_folded_away():
    bad = call("m:a", 1, violation="B = 4, but 2")
    first = shapes.Call((replace(bad.rows[0], first_violation=True),))
    assert names(shapes.folded([bad, bad, first, bad, bad])) == [("a", 2), ("a", 1), ("a", 2)]


def test_nothing_is_folded_where_nothing_repeats():
    assert shapes.folded([]) == []
    assert names(shapes.folded([call("m:a", 0), call("m:b", 1)])) == [("a", 1), ("b", 1)]


def test_a_long_table_keeps_the_violation():
    steps = [shapes.Step((call(f"m:p{n}", n),)) for n in range(200)]
    bad = row("m:bad", "out", "y", "(B)", [1], call=150, violation="B = 1", first_violation=True)
    steps[150] = shapes.Step((shapes.Call((bad,)),), 3)
    short = shapes.shortened(steps, 24)
    assert len(short) < 30
    assert ("bad", 3) in names(short)
    assert sum(s if isinstance(s, int) else s.count for s in short) == 202


def test_why_there_is_no_runtime_shape():
    assert shapes.runtime_text(row("m:a", "in", "x", None, [None], runtime=[3])) == "(3)"
    assert shapes.runtime_text(row("m:a", "in", "x", None, [None], state="not-executed")) == "not executed"
    assert shapes.runtime_text(row("m:a", "in", "x", None, [None], state="failed")) == "failed"
    assert shapes.runtime_text(row("m:a", "in", "x", None, [None])) == "-"


@pytest.mark.parametrize(
    ("phase", "tensor", "whole", "part"),
    [
        ("in", "y", "images (K H W D), y (K ...) -> (K ...)", "(K ...)"),
        ("in", "images", "images (K H W D), y (K ...) -> (K ...)", "(K H W D)"),
        ("out", "result", "images (K H W D), y (K ...) -> (K ...)", "(K ...)"),
        ("in", "x", "(B 1 2 C) -> (B*C 2)", "(B 1 2 C)"),
        ("out", "b", "(B) -> a (B 1), b (B 2)", "(B 2)"),
        ("out", "c", "(B) -> a (B 1), b (B 2)", "(B) -> a (B 1), b (B 2)"),
        ("out", "c", "(B P P 1)", "(B P P 1)"),
        ("out", "c", None, ""),
    ],
)
def test_the_contract_of_one_tensor(phase, tensor, whole, part):
    assert shapes.contract_of(row("m:f", phase, tensor, whole, [1])) == part


def test_the_same_violation_of_a_later_call_is_not_shown_again():
    once = shapes.calls(SHAPES)
    thrice = shapes.calls([replace(one, call=n) for n in range(3) for one in SHAPES])
    shown = [c for c in shapes.around(thrice, 1000) if not isinstance(c, int) and c.violated]
    assert [c.alike for c in shown] == list(dict.fromkeys(c.alike for c in once if c.violated))
