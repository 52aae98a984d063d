"""Report 003's program runs under every combination of what the report changed."""

import itertools
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from ptycho.faults import mmd_session
from ptycho.faults.mmd_session import NODE, REPORTED_FIX, SWITCHES, Settings, config_proto, every_combination, run


def test_every_combination_is_every_combination():
    combinations = list(every_combination())
    assert len(combinations) == len(set(combinations)) == 2 * 3 * 2**7
    assert REPORTED_FIX in combinations


def pairwise():
    """Few combinations in which every value of a setting meets every value of every other."""
    values = {"sigmas_dtype": ("float32", "float64"), "global_jit_level": ("off", "on-1", "on-2")}
    values.update(dict.fromkeys(SWITCHES, (False, True)))
    left = {((a, x), (b, y)) for a, b in itertools.combinations(values, 2) for x in values[a] for y in values[b]}

    def pairs(settings):
        return set(itertools.combinations([(name, getattr(settings, name)) for name in values], 2))

    while left:
        best = max(every_combination(), key=lambda settings: len(pairs(settings) & left))
        left -= pairs(best)
        yield best


@pytest.mark.slow
def test_it_runs_under_all_pairs_of_settings():
    right = run(replace(REPORTED_FIX, global_jit_level=None), steps=2)
    assert right[0] > 0
    chosen = list(pairwise())
    assert len(chosen) < 20
    for settings in chosen:
        losses = run(settings, steps=2)
        exact = settings.sigmas_dtype == "float64"
        assert losses == pytest.approx(right, rel=1e-12 if exact else 1e-6), settings
        assert exact or abs(losses[0] - right[0]) > 1e-11  # the rounding of the sigmas is there


@pytest.mark.slow
def test_the_node_of_the_report_is_there():
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        x = tf.zeros([2, 3], tf.float64)
        with tf.name_scope("enc_1"):
            mmd_session.maximum_mean_discrepancy(x, x, tf.constant([1.0, 2.0]))
    assert graph.get_operation_by_name(NODE).type == "Exp"
    assert graph.get_tensor_by_name(f"{NODE}:0").dtype == tf.float64
    casts = [op for op in graph.get_operations() if op.type == "Cast"]
    assert casts
    assert all(op.inputs[0].dtype == tf.float32 and op.outputs[0].dtype == tf.float64 for op in casts)


@pytest.mark.slow
def test_the_settings_reach_the_session():
    from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig

    options = config_proto(REPORTED_FIX).graph_options
    assert options.optimizer_options.global_jit_level == -1
    assert not options.optimizer_options.do_function_inlining
    assert options.rewrite_options.disable_meta_optimizer
    assert options.rewrite_options.layout_optimizer == RewriterConfig.OFF
    options = config_proto(Settings(global_jit_level="on-2", constant_folding=True)).graph_options
    assert options.optimizer_options.global_jit_level == 2
    assert options.optimizer_options.do_constant_folding
    assert config_proto(Settings()).graph_options.optimizer_options.global_jit_level == 0  # TensorFlow's default


@pytest.mark.slow
def test_as_a_program_with_xla_for_its_whole_graph():
    command = [sys.executable, "-m", "ptycho.faults.mmd_session", "--global-jit-level", "on-2", "--steps", "2"]
    command += [
        "--sigmas-dtype",
        "float64",
        "--tf-xla-flags=--tf_xla_cpu_global_jit",
        "--arithmetic-optimization",
        "off",
    ]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert f"node {NODE} ran" in done.stdout
    assert "Compiled cluster using XLA" in done.stderr
    assert "JIT compilation failed" not in done.stderr
