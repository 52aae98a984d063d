"""A reshape that gives a size to another axis without moving an element to it: a transpose is missing before it."""

from __future__ import annotations

from collections.abc import Sequence


def exchanged(before: Sequence[int], after: Sequence[int], rows: int) -> bool:
    """Whether (rows, p, c) is laid out as (rows * c, p): p names the axis before the last, and now the last one, but
    the elements of a result of p still lie along c. Or (rows, p, n, c) as (rows, n, p * c): n items have one place now,
    but the elements of each still lie within p parts. Or the axes of a row have the same sizes in another order, as
    (rows, t, f) and (rows, f, t). Axes of one element count for nothing.

    A positions array of (rows, 2, points) that is made (rows * points, 2) so pairs coordinates of different points, and
    attention heads (rows, heads, steps, width) that are made (rows, steps, heads * width) give a step parts of others.
    """
    given, made = [n for n in before if n != 1], [n for n in after if n != 1]
    if given[:1] != [rows]:
        return False
    if made[:1] == [rows] and len(given) == len(made) and given != made and sorted(given) == sorted(made):
        return True
    if len(given) == 3:
        _, inner, last = given
        return inner != last and made == [rows * last, inner]
    if len(given) == 4:
        _, parts, items, width = given
        return parts != items and made == [rows, items, parts * width]
    return False
