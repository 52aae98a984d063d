"""Through XLA: lowering for a device that is not there, running, and comparing with the plain run."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def prepared(folder, **options):
    from probes.graph import load, step

    return step.prepare(load.load(folder), calls=False, strict=True, **options)


@pytest.mark.parametrize("platform", ["cpu", "gpu"])
def test_a_whole_train_step_is_lowered(patient, platform):
    from probes.graph import outcome

    folder, *_ = patient("fit", broken=False, jit=True)
    text = outcome.lowered(prepared(folder), platform=platform)
    assert text.startswith("HloModule")
    assert "convolution(" in text
    assert 'op_name="' in text


def test_the_same_step_plainly_and_compiled(patient):
    from probes.graph import load, outcome, step

    folder, *_ = patient("fit", broken=False, jit=True)
    plain, plain_values = outcome.run_plain(step.prepare(load.load(folder)))
    xla, xla_values = outcome.run_xla(prepared(folder))
    assert (plain["outcome"], xla["outcome"]) == ("passed", "passed")
    rows = outcome.compare(plain_values, xla_values)
    assert len(rows) > 10
    assert all(row["plain"] == row["xla"] for row in rows)
    assert all(row["deviation"] < 1e-4 for row in rows)


def test_failures_are_outcomes(patient):
    from probes.graph import load, outcome, step

    folder, *_ = patient("fit", broken=True, jit=True)
    plain, values = outcome.run_plain(step.prepare(load.load(folder)))
    assert (plain["outcome"], plain["error"]["kind"], values) == ("failed", "InvalidArgumentError", {})
    xla, _ = outcome.run_xla(prepared(folder))
    assert xla["outcome"] == "failed"
    assert "requested shape has" in xla["error"]["message"]


def test_two_capsules_with_functions_of_the_same_name_live_in_one_process(patient):
    from probes.graph import outcome

    folder, *_ = patient("fit", broken=False, jit=True)
    first = outcome.lowered(prepared(folder))
    second = outcome.lowered(prepared(folder))
    assert first.count("\n") == second.count("\n")


def test_optionals_in_the_gradient_of_a_branch_are_unwrapped(plain):
    """They come from tracing without XLA; the user's program has no such thing."""
    from probes.graph import load, optionals, outcome, step

    folder, _ = plain("cond_gradient")
    ready = prepared(folder)
    assert optionals.has_optionals(ready.pure.graph)
    assert not optionals.has_optionals(outcome.closed(ready))
    assert "conditional(" in outcome.lowered(ready)
    xla, xla_values = outcome.run_xla(ready)
    assert xla["outcome"] == "passed", xla
    assert "traced without XLA" in xla["note"]
    _, plain_values = outcome.run_plain(step.prepare(load.load(folder)))
    assert all(row["deviation"] < 1e-5 for row in outcome.compare(plain_values, xla_values))


def test_unknown_platform(patient):
    from probes.graph import errors, outcome

    with pytest.raises(errors.Unsupported, match="known are cpu, gpu"):
        outcome.lowered(prepared(patient("predict", broken=False)[0]), platform="abacus")


def test_deviation():
    import numpy as np

    from probes.graph.outcome import compare, deviation

    assert deviation(np.array([1.0, 2.0]), np.array([1.0, 2.5])) == pytest.approx(0.2)
    assert deviation(np.array([np.nan, 2.0]), np.array([np.nan, 2.0])) == 0
    assert deviation(np.array([np.inf]), np.array([1.0])) == float("inf")
    assert deviation(np.zeros(2), np.zeros(2)) == 0
    assert deviation(np.array([], "f"), np.array([], "f")) == 0
    assert deviation(np.array([1 + 1j]), np.array([1 - 1j])) == pytest.approx(2**0.5)
    rows = compare({"a": np.zeros((2, 3)), "b": np.zeros(1)}, {"a": np.zeros((3, 2))})
    assert rows == [
        {"output": "a", "plain": [2, 3], "xla": [3, 2], "deviation": None},
        {"output": "b", "plain": [1], "xla": None, "deviation": None},
    ]


def test_a_single_bfloat16_comes_back(tmp_path):
    import tensorflow as tf

    from probes.graph.agreement import agreement
    from tests.probes.graph.patients import capsule

    @tf.function(jit_compile=True)
    def program(x):
        return tf.cumsum(tf.cast(x, tf.bfloat16))[-1]

    # Plainly the sum stands still where another 0.5 is less than half of its last digit; XLA sums in wider numbers.
    told = agreement(capsule(tmp_path / "capsule", program, [tf.fill([4000], 0.5)])[0])
    assert (told.result, told.plain, told.xla) == ("diverges", ("128",), ("2000",))
    assert told.node.op == "Cumsum"
