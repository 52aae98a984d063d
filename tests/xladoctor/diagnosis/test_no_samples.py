"""Data without a row as the root, before what fails of them."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.diagnosis.no_samples import with_no_samples
from xladoctor.model.diagnosis import Diagnosis, Finding, Location
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run

TRAIN = "x = load()\nx = x[good]\nmodel.fit(x)\nprint(first(x))\n"
WHERE = {"file": "/w/train.py", "line": 3, "function": "<module>"}
CALL = {"call": 1, "method": "fit", "model": "gears", "batch_size": 4, "where": WHERE}


@pytest.fixture(autouse=True)
def _sources(monkeypatch):
    give_sources(monkeypatch, {"/w/train.py": TRAIN})


def scanned(run, tmp_path):
    return scan_run(run.write(tmp_path / "run"))


@pytest.mark.parametrize(
    ("rows", "fields", "said"),
    [
        (0, {}, "fit of gears got 0 samples"), (4, {}, None), (None, {}, None), (0, {"nested": True}, None),
        (None, {"dataset": True}, "fit of gears got an empty dataset"),
    ],
    ids=["none", "some", "unknown", "nested", "dataset"],
)  # fmt: skip
def test_a_call_without_rows_is_a_warning_where_the_run_went_on(tmp_path, rows, fields, said):
    run = Run()
    dataset = fields.pop("dataset", False)
    run.event("call", phase="begin", rows_in=rows, **CALL, **fields)
    if dataset:
        run.event("dataset", what="empty", where=None, used=WHERE, method="fit", model="gears")
    run.event("call", phase="end", rows_in=rows, **CALL)
    found = [f for f in scanned(run, tmp_path).findings if f.slug == "no-samples"]
    assert [f.title for f in found] == ([said] if said else [])
    assert all((f.level, f.location.line, f.raised_at.line) == ("warning", 2, 3) for f in found)


@pytest.mark.parametrize(
    ("shape", "message", "slug"),
    [
        ([0, 6], "slice index 0 of dimension 0 out of bounds. with input shapes: [0,1], [1]", "no-samples"),
        ([8, 6], "slice index 0 of dimension 0 out of bounds. with input shapes: [0,1], [1]", "slice-out-of-bounds"),
        ([0, 6], "slice index 9 of dimension 0 out of bounds. with input shapes: [8,1], [1]", "slice-out-of-bounds"),
    ],
    ids=["empty", "another-tensor", "another-failure"],
)
def test_a_failure_among_tensors_without_rows_has_the_empty_data_as_its_root(tmp_path, shape, message, slug):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    frame = {**WHERE, "line": 4, "user": True, "tensors": [{"name": "x", "shape": shape, "dtype": "float32"}]}
    common = {"failure": 1, "exception": "ValueError", "message": message}
    run.event("failure", state="raised", module="builtins", frames=[frame], during="first", **common)
    run.event("failure", state="uncaught", **common)
    found = scanned(run, tmp_path)
    assert found.root.slug == slug
    if slug == "no-samples":
        assert (found.root.title, found.root.location.line) == ("`x` has no rows: its shape is (0, 6)", 2)
        assert [f.role for f in found.findings if f.slug == "slice-out-of-bounds"] == ["consequence"]


@pytest.mark.parametrize(("status", "slug"), [("confirmed", "slice-out-of-bounds"), ("untested", "no-samples")])
def test_what_a_tested_cause_has_made_is_no_cause(tmp_path, status, slug):
    frame = {**WHERE, "line": 4, "user": True, "tensors": [{"name": "x", "shape": [0, 6], "dtype": "float32"}]}
    common = {"failure": 1, "exception": "ValueError", "message": "shape (0, 6), reference (47, 6)"}
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.event("failure", state="raised", module="builtins", frames=[frame], during="first", **common)
    run.event("failure", state="uncaught", **common)
    folder = run.write(tmp_path / "run")
    recording = read_run(folder)
    root = Finding(
        "XD306", "slice-out-of-bounds", "error", "root", "t", "m", status=status, location=Location("a.py", 1)
    )
    told = with_no_samples(Diagnosis(str(folder), "failed", (root,)), recording)
    assert told.root.slug == slug
