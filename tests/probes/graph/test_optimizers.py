"""Which of TensorFlow's optimizers makes the difference: by real rewriting, where the truth is known."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def tried(folder, seconds=60.0):
    from probes.graph import load, optimizers, step

    return optimizers.tried(step.prepare(load.load(folder)), seconds)


def test_the_remapper_puts_the_failing_op_into_another(plain):
    told = tried(plain("one_op_of_three", specs="open")[0])
    assert (told.every.nodes, told.none.nodes) == (("active",), ("product",))
    assert told.every.message == told.none.message == "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]"
    assert told.decisive == ("remapping",)
    assert told.single["constant_folding"] == told.every


def test_where_nothing_is_rewritten_no_single_one_is_tried(plain):
    told = tried(plain("chunks", specs="open")[0])
    assert told.every.outcome == told.none.outcome == "failed"
    assert (told.single, told.decisive) == ({}, ())


def test_what_chance_decides_is_not_an_optimizer_s_doing(plain, monkeypatch):
    from probes.graph import optimizers
    from probes.protocol.answers import OptimizerTry

    turns = iter([OptimizerTry("failed", ("first",)), *[OptimizerTry("failed", ("second",))] * 20])
    monkeypatch.setattr(optimizers, "_outcome", lambda *_: next(turns))
    told = tried(plain("two_failures", specs="open")[0])
    assert told.every is None and told.none is not None
    assert told.decisive == ()


def test_no_time_leaves_the_single_ones_out(plain):
    told = tried(plain("one_op_of_three", specs="open")[0], seconds=0.0)
    assert told.every != told.none
    assert (told.single, told.decisive) == ({}, ())


def test_the_options_of_the_process_are_as_before(plain):
    import tensorflow as tf

    before = tf.config.optimizer.get_experimental_options()
    tried(plain("one_op_of_three", specs="open")[0])
    after = tf.config.optimizer.get_experimental_options()
    assert {k: v for k, v in after.items() if v is not None} == before
