"""What is told of a step that was lowered: kernels, and the dimensions that an op cannot carry."""

from __future__ import annotations

import sys

import pytest

from tests.xladoctor.experiments.in_process import InProcess
from xladoctor.experiments.lowering import lower
from xladoctor.model.replay import Case

pytestmark = pytest.mark.slow


@pytest.fixture
def lowered(tmp_path):
    """`lowered(program, argument)` -> Lowering for the processor, which needs no more of a TensorFlow."""

    def run(program, *arguments):
        from tests.probes.graph import patients

        capsule, _ = patients.capsule(tmp_path / "capsule", program, list(arguments), specs="open")
        return lower(InProcess(capsule, tmp_path, sys.executable), Case(None), "cpu")

    return run


def masked(x):
    import tensorflow as tf

    return tf.boolean_mask(x, x[:, 0] > 0)


def rows():
    import numpy as np

    return np.random.default_rng(0).normal(size=(6, 4)).astype("f")


def test_a_bounded_dimension_that_an_op_cannot_carry(lowered):
    import tensorflow as tf

    def spectrum(x):
        return tf.abs(tf.signal.fft(tf.cast(masked(x) * 2.0, tf.complex64)))

    told = lowered(tf.function(spectrum), rows())
    assert (told.ok, told.signature.slug, told.signature.op) == (False, "dynamic-dimension-unsupported", "FFT")
    birth, *_, end = told.dynamic
    assert (birth.op, birth.what) == ("Where", "birth")
    assert (end.op, end.what, end.shape) == ("FFT", "fails", "c64[<=6,4]")
    assert birth.location.endswith("in masked") and end.location.endswith("in spectrum")
    assert "cannot carry it: compiled for this machine's processor" in told.note


def test_bounded_dimensions_that_every_op_carries(lowered):
    import tensorflow as tf

    told = lowered(tf.function(lambda x: tf.reduce_sum(masked(x) * 2.0)), rows())
    assert (told.ok, told.signature, told.dynamic) == (True, None, ())
    assert "every op carries it" in told.note


def test_where_nothing_is_dynamic_nothing_is_compiled(lowered):
    import tensorflow as tf

    told = lowered(tf.function(lambda x: x * 2.0), rows())
    assert told.ok and "dynamic" not in told.note
