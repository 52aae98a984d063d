"""Shapes in words: one function for each of the two forms."""

import pytest

from xladoctor.model.shapes import python_shape, shape_text, sizes_text


@pytest.mark.parametrize(
    ("sizes", "python", "spaced"),
    [
        ((32, None, 4), "(32, None, 4)", "(32 ? 4)"),
        ([7], "(7,)", "(7)"),
        ((), "()", "()"),
        (None, "?", "?"),
        (5, "5", "5"),
    ],
)
def test_a_shape_as_python_prints_it_and_as_signatures_do(sizes, python, spaced):
    assert (python_shape(sizes), shape_text(sizes)) == (python, spaced)


def test_one_shape_among_the_sizes_of_a_message_stands_for_itself():
    assert sizes_text([[2, 3]]) == "(2 3)"
    assert sizes_text([2, 3]) == "(2 3)"
    assert sizes_text([[2], [3]]) == "((2) (3))"
