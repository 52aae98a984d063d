"""Which axis of a product does not fit: that over which it sums, or that of how many products there are."""

from __future__ import annotations

import pytest

from xladoctor.rules.recognise.products import product


@pytest.mark.parametrize(
    ("one", "other", "shapes", "axis"),
    [
        (8, 32, "[8,48,48], [32,48,48]", "batch"),
        (4, 6, "[2,4,9,9], [2,6,9,9]", "batch"),
        (5, 3, "[2,7,5], [2,3,4]", "contracted"),
        (5, 3, "[7,5], [3,4]", "contracted"),
    ],
)
def test_the_axis_that_does_not_fit(one, other, shapes, axis):
    op = "BatchMatMulV2" if shapes.count(",") > 3 else "MatMul"
    text = f"Dimensions must be equal, but are {one} and {other} for '{{{{node MatMul}}}} = {op}[T=DT_FLOAT]"
    hit = product(None, f"{text}(Relu, strided_slice_8)' with input shapes: {shapes}.")
    assert hit is not None and f"{one} against {other} on the {axis} axis" in hit.message
