"""Benches on one executor: rows in order, each program once, what a cluster loses once more."""

from __future__ import annotations

import contextlib
from concurrent.futures import BrokenExecutor

import pytest

from benchmarks import _spread, nan
from tests.xladoctor.workers.test_remote import Here
from xladoctor.cluster.opened import Cluster


@pytest.fixture(autouse=True)
def judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nan, "judge", lambda name, *rest: f"row of {name}")


def test_rows_come_in_order_and_are_told_as_they_come() -> None:
    told: list[str] = []
    names = [str(number) for number in range(20)]
    rows = _spread.judged("benchmarks.nan", [(name,) for name in names], told.append, jobs=4)
    assert rows == [f"row of {name}" for name in names] and sorted(told) == sorted(rows)


@pytest.mark.parametrize("lose", [2, 20])
def test_what_a_cluster_loses_is_judged_again(lose: int, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here(lose)
    monkeypatch.setattr("xladoctor.cluster.opened.opened", lambda on, jobs: contextlib.nullcontext(Cluster(here, 2)))
    calls = [("a",), ("b",), ("c",)]
    if lose > len(calls) * _spread.LOST:
        with pytest.raises(BrokenExecutor):
            _spread.judged("benchmarks.nan", calls, on="dask:x")
        return
    assert _spread.judged("benchmarks.nan", calls, on="dask:x") == ["row of a", "row of b", "row of c"]
    assert here.sent[0] == ("benchmarks.nan", ("a",)), "names and plain values travel"
