"""Lines of a script made shorter, with the same meaning."""

from __future__ import annotations

import pytest

from probes.graph.sentences import WIDTH, replaced, said


def test_what_nobody_needs_is_left_out_and_what_is_used_once_moves():
    lines = [("a", "x + 1"), ("unused", "f(x)"), ("b", "a * 2"), ("c", "tf.f(b, axis=b2)")]
    assert said(lines, "c > 1") == ["return tf.f((x + 1) * 2, axis=b2) > 1"]
    twice = [("a", "x + 1"), ("b", "a * a")]
    assert said(twice, "b") == ["a = x + 1", "return a * a"]
    assert said([("", "tf.debugging.assert_less(x, y)")], "x") == ["tf.debugging.assert_less(x, y)", "return x"]


def test_nothing_moves_into_a_function_or_a_string():
    """In a lambda it would be computed in the branch; a keyword and a text are no names."""
    lines = [("a", "x + 1"), ("b", "tf.cond(p, lambda: f(a, 1), lambda: y)")]
    assert said(lines, "b") == ["a = x + 1", "return tf.cond(p, lambda: f(a, 1), lambda: y)"]
    beside = [("a", "x + 1"), ("b", "tf.while_loop(lambda i, n: i < n, step, [a, n0])")]
    assert said(beside, "b") == ["return tf.while_loop(lambda i, n: i < n, step, [x + 1, n0])"]
    assert said([("same", "x + 1")], "f(x, padding='same', same=2)") == ["return f(x, padding='same', same=2)"]


def test_lines_do_not_grow_too_long():
    long = ", ".join(f"argument_{i}" for i in range(7))
    lines = [("a", f"f({long})"), ("b", f"g(a, {long})")]
    assert len(said(lines, "b")) == 2
    assert all(len(line) <= WIDTH + len("return ") for line in said(lines, "b"))


@pytest.mark.parametrize(
    ("phrase", "by", "wanted"),
    [
        ("a - b", "c - d", "a - (c - d)"),
        ("b[0]", "tf.f(c, d)", "tf.f(c, d)[0]"),
        ("b[0]", "c + d", "(c + d)[0]"),
        ("f(b, name='b', b=b)", "q + 1", "f(q + 1, name='b', b=q + 1)"),
        ("x == b", "y", "x == y"),
        ("f(b)", "lambda: c", "f(lambda: c)"),
    ],
)
def test_an_expression_in_the_place_of_a_name(phrase, by, wanted):
    assert replaced(phrase, {"b": by}) == wanted
