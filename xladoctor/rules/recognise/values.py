"""Failed assertions that two results are close.

Format strings: numpy/testing/_private/utils.py (`assert_allclose`, `assert_almost_equal`),
tensorflow/python/ops/check_ops.py (`assert_near`).
"""

from __future__ import annotations

from typing import Any

from xladoctor.rules.matching import pattern

_CLOSE = r"Not equal to tolerance|Arrays are not almost equal|Items are not almost equal|x and y not equal to tolerance"
_SHAPES = r"\(shapes .{1,80}mismatch\)"
_COUNT = r"Mismatched elements: (\d{1,18}) / (\d{1,18})"
_LARGEST = r"Max absolute difference(?: among violations)?: (\S{1,40})"


def apart(text: str) -> dict[str, Any] | None:
    """How many elements of two arrays differ, and by how much, from the text of an assertion; None if it is about
    something else, such as two shapes.
    """
    if not pattern(_CLOSE).search(text) or pattern(_SHAPES).search(text):
        return None
    count, largest = pattern(_COUNT).search(text), pattern(_LARGEST).search(text)
    return {
        "differ": int(count[1]) if count else None,
        "of": int(count[2]) if count else None,
        "largest": largest[1] if largest else None,
    }
