"""What rounding explains of a difference, and what it does not. NumPy only."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes.graph.agreement import _unsteady
from probes.graph.sensitivity import stagnates
from probes.graph.strict import alike, explained

F = np.float32


def judged(op, values, other):
    """Whether `other` is explained as the result of `op` on `values`."""

    def run(given):
        with np.errstate(all="ignore"):
            return {"outcome": "passed"}, {"y:0": np.asarray(op(*given.values()))}

    given = {f"x{i}:0": np.asarray(v) for i, v in enumerate(values)}
    return explained(run, given, run(given)[1], {"y:0": np.asarray(other)})


ALMOST = np.array([2.9999998, 5.0, 7.25], F)


@pytest.mark.parametrize(
    ("op", "values", "other"),
    [
        pytest.param(lambda x: x.astype(np.int32), [ALMOST], np.array([3, 4, 7], np.int32), id="cast"),
        pytest.param(np.floor, [ALMOST], np.array([3, 4, 7], F), id="floor"),
        pytest.param(lambda x: x >= 5, [ALMOST], [False, False, True], id="comparison"),
        pytest.param(np.argmax, [np.array([1.0, 0.5, 1.0], F)], np.int64(2), id="argmax of a tie"),
        pytest.param(
            lambda x: np.argsort(-x)[:2], [np.array([1.0, 1.0, 0.5], F)], np.array([1, 0]), id="top_k of a tie"
        ),
        pytest.param(np.sqrt, [np.array([0.0, 4.0], F)], np.array([np.nan, 2.0], F), id="root of almost nothing"),
        pytest.param(lambda x: x * F(1e-3), [np.array([1e-36, 0.0], F)], np.array([0.0, 0.0], F), id="denormals"),
        pytest.param(lambda x: x / F(1e-3), [np.array([1e-40, 0.0], F)], np.array([0.0, 0.0], F), id="flushed before"),
        pytest.param(np.sign, [np.array([0.0, 3.0], F)], np.array([1.0, 1.0], F), id="sign of almost nothing"),
        pytest.param(np.sum, [np.array([1e7, 0.1, -1e7], F)], F(0.0), id="cancellation"),
        pytest.param(np.negative, [np.array([0.0, np.nan], F)], np.array([0.0, np.nan], F), id="-0.0 and NaN"),
    ],
)
def test_rounding(op, values, other):
    assert judged(op, values, other)


@pytest.mark.parametrize(
    ("op", "values", "other"),
    [
        pytest.param(lambda x: x.astype(np.int32), [ALMOST], np.array([3, 4, 8], np.int32), id="cast"),
        pytest.param(lambda x, i: x[i], [ALMOST, [0, 1]], np.array([3.0, 7.25], F), id="another row"),
        pytest.param(np.argmax, [np.array([1.0, 0.5, 2.0], F)], np.int64(0), id="argmax"),
        pytest.param(np.sqrt, [np.array([1.0, 4.0], F)], np.array([np.nan, 2.0], F), id="NaN"),
        pytest.param(np.sum, [np.arange(3)], np.int64(4), id="whole numbers"),
        pytest.param(np.negative, [ALMOST], ALMOST, id="sign"),
        pytest.param(np.ones_like, [np.array([1, 2], np.int32)], np.array([1, 1, 1], np.int32), id="shape"),
    ],
)
def test_no_rounding(op, values, other):
    assert not judged(op, values, other)


@pytest.mark.parametrize(
    ("dtype", "size", "differ", "same"),
    [("float16", 4, 0.01, 0.003), ("float16", 10**6, 0.5, 0.02), ("float32", 10**6, 1e-3, 1e-4)],
)
def test_long_sums_in_16_bits_are_no_excuse(dtype, size, differ, same):
    given = {"x:0": np.ones(size, dtype)}
    assert not alike(np.ones(1, dtype), np.full(1, 1 - differ, dtype), given)
    assert alike(np.ones(1, dtype), np.full(1, 1 - same, dtype), given)


@pytest.mark.parametrize(
    ("plain", "xla", "expected"),
    [
        ([1.0, 1.0], [2.0, 2.0], None),
        ([1.0, 1.5], [2.0, 2.0], "plainly"),
        ([1.0, 1.0], [2.0, 1.0], "under XLA"),
        ([1.0, 1.0], [2.0, 2.0 + 1e-6], None),
    ],
)
def test_what_differs_from_itself_is_no_divergence(plain, xla, expected):
    def again(values):
        return lambda arguments: ({"outcome": "passed"}, {"output 0": np.array([values[1]], F)})

    ways = SimpleNamespace(arguments={}, plain=again(plain), xla=again(xla))
    firsts = [{"output 0": np.array([v[0]], F)} for v in (plain, xla)]
    found = _unsteady(ways, ["output 0"], *firsts)
    assert found is None if expected is None else expected in found


@pytest.mark.parametrize(
    ("dtype", "xla", "expected"), [("float16", 3000, True), ("float16", 2080, False), ("float32", 3000, False)]
)
def test_a_running_sum_in_16_bits_that_no_longer_grows_is_no_rounding(dtype, xla, expected):
    plain = np.minimum(np.arange(1, 3001), 2048).astype(dtype)
    other = np.minimum(np.arange(1, 3001), xla).astype(dtype)
    assert stagnates({"Cumsum:0": plain}, {"Cumsum:0": other}) is expected
