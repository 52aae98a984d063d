"""A reshape that gives a size to another axis without moving an element to it: a transpose is missing before it."""

from __future__ import annotations

from collections.abc import Sequence


def exchanged(before: Sequence[int], after: Sequence[int], rows: int) -> bool:
    """Whether (rows, p, c) is laid out as (rows * c, p): p names the axis before the last, and now the last one, but
    the elements of a result of p still lie along c. Axes of one element count for nothing.

    A positions array of (rows, 2, points) that is made (rows * points, 2) so pairs coordinates of different points.
    """
    given, made = [n for n in before if n != 1], [n for n in after if n != 1]
    if len(given) != 3 or len(made) != 2 or given[0] != rows:
        return False
    _, inner, last = given
    return inner != last and made == [rows * last, inner]
