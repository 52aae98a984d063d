"""`explain` finds the class that people mean by the words that they type."""

from __future__ import annotations

import pytest

from xladoctor.commands.knowledge import rule_meant
from xladoctor.errors import XladoctorError


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("nan", "not-finite"),
        ("loss is nan", "not-finite"),
        ("exploding gradient", "not-finite"),
        ("inf", "not-finite"),
        ("Incompatible shapes", "broadcast-mismatch"),
        ("out of memory", "oom"),
        ("OOM", "oom"),
        ("ResourceExhaustedError", "oom"),
        ("CUDA_ERROR_OUT_OF_MEMORY", "oom"),
        ("killed", "process-killed"),
        ("disk full", "disk-full"),
        ("libdevice not found", "libdevice-missing"),
        ("cudnn version mismatch", "gpu-library-failed"),
        ("shapes (32,10) and (32,1) are incompatible", "keras-input-mismatch"),
        ("logits and labels must have the same first dimension", "keras-input-mismatch"),
        ("expected ndim=3, found ndim=2", "keras-input-mismatch"),
        ("failed to convert a NumPy array to a Tensor", "dtype-mismatch"),
        ("dynamic shape", "dynamic-dimension-unsupported"),
        ("must be a compile-time constant", "compile-time-constant"),
        ("tf.function retracing", "retracing"),
        ("segmentation fault", "not-xla"),
        ("pickle", "pickling-failed"),
        ("matmul", "matmul-conv-mismatch"),
    ],
)
def test_what_people_type(words, slug):
    assert rule_meant(words).slug == slug


@pytest.mark.parametrize(
    ("words", "way_on"),
    [
        ("graph execution error", "scan LOG"),
        ("InvalidArgumentError", "scan LOG"),
        ("gpu not detected", "xladoctor env"),
        ("loss not decreasing", "scan -- CMD"),
        ("XLA", "--search xla"),
        ("the cat sat on the mat", "scan LOG"),
    ],
)
def test_words_that_name_no_class_get_a_way_on(words, way_on):
    with pytest.raises(XladoctorError) as raised:
        rule_meant(words)
    assert way_on in (raised.value.hint or "")
