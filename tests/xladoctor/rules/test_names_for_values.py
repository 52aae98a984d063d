"""A dict of targets whose keys Keras does not know: its names reach the loss as if they were values."""

from __future__ import annotations

import pytest

from xladoctor.model.evidence import ErrorRecord, Frame
from xladoctor.rules import recognised

TEXT = "Expected float32, but got price of type 'str'."
FIT = Frame("/home/ada/train.py", 6, "<module>", "m.fit(x, targets)")
KERAS = Frame("/site-packages/keras/src/backend/tensorflow/core.py", 154, "convert_to_tensor", user=False)
TF = Frame("/site-packages/tensorflow/python/framework/constant_op.py", 20, "convert", user=False)


@pytest.mark.parametrize(
    ("frames", "slug"),
    [
        ((FIT, KERAS), "wrong-input-key"),
        ((FIT, TF), "dtype-mismatch"),
        ((Frame("/home/ada/train.py", 6, "<module>", "keras.ops.add(x, 'a')"), KERAS), "dtype-mismatch"),
        ((), "dtype-mismatch"),
    ],
)
def test_by_who_took_it(frames, slug):
    record = ErrorRecord(TEXT, "TypeError", frames=frames)
    rule = recognised(record)
    assert rule is not None and rule.slug == slug
