"""A contract broken in a call that ends as it should is told of: an error where the promise is the user's own."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import SHIFT, Run, collapsed, healthy
from xladoctor.diagnosis.of_run import diagnose_run
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.model.evidence import LogEvidence
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.run import read_run


def diagnosed(run: Run, folder) -> Diagnosis:
    recording = read_run(run.write(folder / "run"))
    return diagnose_run(Evidence("run", LogEvidence(), process=recording.outcome), recording)


def quiet(result: list[int | None], graph: str | None = "g1", **found: str) -> Run:
    """A `fit` that ended well; the place gave `result` for x (? 5)."""
    run = Run()
    run.found("gears.ops:shift", SHIFT, **found)
    run.begin(1)
    run.trace("7-1-step")
    for _ in range(2):
        run.place("gears.ops:shift", SHIFT, {"x": [None, 5] if graph else [4, 5], "k": [None]}, [result], graph=graph)
    run.end(1, "7-1-step")
    return run


@pytest.mark.parametrize("graph", ["g1", None])
def test_a_users_own_contract_is_a_promise(tmp_path, graph):
    found = diagnosed(quiet([4, 6], graph, origin="pyproject.toml"), tmp_path)
    (finding,) = found.findings
    assert (found.verdict, finding.slug, finding.level, finding.role) == (
        "failed", "contract-violation", "error", "root",
    )  # fmt: skip
    assert "ended without an error" in finding.message
    assert str(finding.location).startswith("ops.py:3"), "the place itself gave what it should not"
    assert [row.first_violation for row in found.shapes].count(True) == 1


def test_a_built_in_contract_that_every_good_call_breaks_is_another_projects(tmp_path):
    found = diagnosed(quiet([None, 6]), tmp_path)
    assert (found.verdict, found.findings) == ("healthy", ())
    assert not [row for row in found.shapes if row.violation]


def test_a_built_in_contract_that_other_calls_keep_is_a_warning(tmp_path):
    run = quiet([None, 6])
    run.place("gears.ops:shift", SHIFT, {"x": [2, 5], "k": [2]}, [[2, 5]], graph=None)
    found = diagnosed(run, tmp_path)
    assert [(f.slug, f.level) for f in found.findings] == [("contract-violation", "warning")]
    assert found.verdict == "warnings"


def test_what_keeps_its_contract_is_healthy(tmp_path):
    assert diagnosed(healthy(), tmp_path).findings == ()
    assert diagnosed(quiet([None, 5], origin="pyproject.toml"), tmp_path / "own").findings == ()


def test_a_place_that_is_broken_in_the_failure_too_is_told_once(tmp_path):
    run = collapsed()
    run.trace("7-2-other", graph="g2")
    run.place("gears.ops:shift", SHIFT, {"x": [4, 5], "k": [4]}, [[1, 5]], graph="g2")
    found = diagnosed(run, tmp_path)
    assert [f.slug for f in found.findings if f.slug == "contract-violation"] == ["contract-violation"]


@pytest.mark.parametrize(("result", "slugs"), [([2, 9, 9], []), ([1, 7, 7], ["contract-violation"])])
def test_another_size_than_a_function_of_the_program_gives_is_no_warning(tmp_path, result, slugs):
    """A size that was asked for by no tensor of the call may be meant; lost rows are not."""
    contract = "x (K N N) -> (K P P)"
    run = Run()
    run.found("gears.ops:pad", contract)
    run.begin(1)
    run.trace("7-1-step")
    outside = [{"name": "P", "value": 7, "source": "get_padded_size()"}]
    run.place("gears.ops:pad", contract, {"x": [2, 5, 5]}, [[2, 7, 7]], graph=None, axes=outside)
    run.place("gears.ops:pad", contract, {"x": [2, 5, 5]}, [result], graph=None, axes=outside)
    run.end(1, "7-1-step")
    assert [f.slug for f in diagnosed(run, tmp_path).findings] == slugs
