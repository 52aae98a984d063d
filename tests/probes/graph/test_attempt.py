"""A capsule at many batch sizes, prepared once."""

from __future__ import annotations

import json

import numpy as np
import pytest

from probes.graph import attempt, load, parts, transform
from probes.graph.service import Service

from . import patients
from .capsules import capsule_of

pytestmark = pytest.mark.slow


def ask(folder, op="attempt", **parameters):
    answer = Service().answer(json.dumps({"id": 1, "op": op, "capsule": str(folder), **parameters}))
    json.dumps(answer, allow_nan=False)
    return answer["result"] if answer["ok"] else answer["error"]


def test_other_sizes_share_what_was_prepared(plain):
    import tensorflow as tf

    folder, _ = plain("chunks", fail=True, specs=[tf.TensorSpec([None, 4])])
    assert ask(folder, "facts")["fixed"] is None
    before = attempt.attempts.cache_info().misses
    # Chunks of three rows, of which the last may be smaller.
    assert {n: ask(folder, batch=n)["outcome"] for n in (3, 4, 6, 7, 9)} == {
        3: "passed", 4: "failed", 6: "passed", 7: "failed", 9: "passed"
    }  # fmt: skip
    assert attempt.attempts.cache_info().misses == before


def test_determinism_is_set_for_one_attempt_only(plain, monkeypatch):
    from tensorflow.python.util import _pywrap_determinism as setting

    seen = []
    monkeypatch.setattr(attempt.Attempts, "run", lambda *_: seen.append(setting.is_enabled()) or {"outcome": "passed"})
    folder, _ = plain("chunks", fail=False)
    assert ask(folder, deterministic=True)["outcome"] == ask(folder)["outcome"] == "passed"
    assert seen == [True, False] and not setting.is_enabled()


def test_a_train_step_of_keras(patient):
    folder, *_ = patient("fit", broken=True)
    told = ask(folder)
    assert (told["outcome"], told["batch"]) == ("failed", patients.BATCH)
    assert "Input to reshape" in told["error"]["message"]


def test_an_op_whose_resource_was_not_kept_is_refused_by_xla_all_the_same(tmp_path):
    """A capsule holds no table; whether XLA has a kernel does not depend on what is in it."""
    import tensorflow as tf

    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], [0.5, 1.5]), 0.0)
    find = tf.function(lambda x: table.lookup(tf.cast(x, tf.int32)), jit_compile=True)
    concrete = find.get_concrete_function(tf.constant([1.0, 2.0, 3.0]))
    folder, _ = capsule_of(tmp_path / "capsule", concrete, [tf.constant([1.0, 2.0, 3.0])])
    told = ask(folder)
    assert (told["outcome"], told["way"]) == ("failed", "xla"), told
    assert "unsupported operations" in told["error"]["message"] and "LookupTableFindV2" in told["error"]["message"]


def test_a_graph_of_a_fixed_batch_says_so(plain):
    folder, _ = plain("chunks", fail=False)
    facts = ask(folder, "facts")
    assert facts["fixed"] == facts["batch"] == 7 and facts["nodes"] > 5
    told = ask(folder, batch=8)
    assert told["type"] == "Unsupported" and "traced for a fixed batch" in told["message"]


def test_what_asks_for_xla_is_compiled_on_the_values_that_it_gets(patient):
    folder, *_ = patient("predict", broken=False)
    told = ask(folder, batch=patients.BATCH)
    # The warp of each of two layers has a jit of its own.
    assert (told["outcome"], told["way"], told["compilations"]) == ("passed", "xla in parts", 2)
    assert ask(folder, batch=patients.BATCH, way="plain")["compilations"] == 0
    whole = ask(folder, batch=patients.BATCH, way="xla")
    assert (whole["outcome"], whole["compilations"]) == ("passed", 1)
    assert whole["outputs"][0]["shape"] == told["outputs"][0]["shape"]


def test_only_the_region_is_compiled(patient):
    folder, *_ = patient("predict", broken=False)
    step = attempt.Attempts(folder, foreign=False, values=True)._step
    region = parts.outermost(step.pure.graph)[0]
    inside = parts.alone(step.pure.graph, region)
    ops = {n.op for n in transform.truncate(inside, list(region.results), cut=list(region.arguments)).nodes.values()}
    assert "Conv2D" in {n.op for n in step.pure.graph.nodes.values()} and "Conv2D" not in ops


def test_values_of_the_same_range_instead_of_the_kept_ones(plain):
    folder, _ = plain("chunks", fail=False)
    kept = load.load(folder)
    other = load.without_values(kept)
    assert other.values.keys() == kept.values.keys()
    for key, value in kept.values.items():
        assert other.values[key].shape == value.shape and other.values[key].dtype == value.dtype
        assert value.min() <= other.values[key].min() and other.values[key].max() <= value.max()
        assert not np.array_equal(other.values[key], value)
    assert ask(folder, values=False)["outcome"] == "passed"
