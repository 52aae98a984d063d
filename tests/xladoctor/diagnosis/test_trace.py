"""Traces: every watched call once, what its shapes rest on, and what is wrong with places and contracts."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import SHIFT, Run, collapsed, healthy
from xladoctor.diagnosis.facts import steps
from xladoctor.diagnosis.trace import trace
from xladoctor.recording.run import read_run


def traced(run: Run, folder):
    return trace(read_run(run.write(folder / "run")))


def test_a_healthy_call_is_traced_with_random_values_and_that_is_said(tmp_path):
    found = traced(healthy(), tmp_path)
    fit, eager = found.steps
    assert (fit.name, fit.outcome, fit.values, fit.batch, fit.rows_in) == ("fit of gears", "well", "random", 4, 8)
    assert [(r.tensor, r.static, r.runtime, r.state) for r in fit.shapes] == [
        ("x", [None, 5], [4, 5], "executed"), ("k", [None], [4], "executed"), ("result", [None, 5], [4, 5], "executed"),
    ]  # fmt: skip
    assert [(b.name, b.value) for b in fit.bindings] == [("B", 4), ("N", 5)]
    assert (eager.name, eager.outcome, eager.values) == ("eager calls", "eager", "exact")
    assert [r.runtime for r in eager.shapes] == [[2, 5], [2], [2, 5]]
    assert (found.verdict, found.exit_code) == ("kept", 0)
    assert any("random values" in note for note in found.notes)
    assert found.environment["command"] == ["python", "train.py"]


def test_a_failed_call_breaks_its_contract(tmp_path):
    found = traced(collapsed(), tmp_path)
    (step,) = found.steps
    assert (step.outcome, step.values, found.verdict, found.exit_code) == ("failed", "redrawn", "broken", 1)
    (row,) = step.broken
    assert row.first_violation and row.violation == "result is (1 5) where (B N) wants B = 4 at axis 0 (x (axis 0))"
    assert not any("random" in note for note in found.notes)
    assert any("xladoctor scan" in note for note in found.notes), "why the program ended with 1 is another question"


def test_the_diagnosis_still_looks_at_failures_only(tmp_path):
    assert steps(read_run(healthy().write(tmp_path / "a"))) == []
    assert [s.why for s in steps(read_run(collapsed().write(tmp_path / "b")), every=True)] == ["failed"]


def test_without_a_worker_the_shapes_are_as_traced_and_that_is_said(tmp_path):
    run = healthy()
    run.worker.clear()
    found = traced(run, tmp_path)
    assert found.steps[0].values == "none"
    assert {r.state for r in found.steps[0].shapes} == {"static-only"}
    assert any("xladoctor trace -- CMD" in note for note in found.notes)


def test_a_step_that_is_called_again_stands_once(tmp_path):
    run = healthy()
    run.begin(2)
    run.end(2, "7-1-step")
    assert [(s.name, s.times) for s in traced(run, tmp_path).steps] == [("fit of gears", 2), ("eager calls", 1)]


def test_a_function_is_attributed_to_the_innermost_call_in_which_it_was_traced(tmp_path):
    """`fit` with validation data ends with the function of `evaluate`: what was traced when decides."""
    run = Run()
    run.begin(1, "fit")
    run.trace("7-1-train", "train", "g1")
    run.place("m:f", SHIFT, {"x": [4, 5], "k": [4]}, [[4, 5]], graph="g1")
    run.begin(2, "evaluate")
    run.trace("7-2-test", "test", "g2")
    run.place("m:f", SHIFT, {"x": [4, 5], "k": [4]}, [[4, 5]], graph="g2")
    run.end(2, "7-2-test", "evaluate")
    run.end(1, "7-2-test", "fit")
    run.trace("7-3-alone", "alone", "g3", xla=True)
    run.place("m:f", SHIFT, {"x": [4, 5], "k": [4]}, [[4, 5]], graph="g3")
    run.trace("7-4-unwatched", "unwatched", "g4")
    found = [(s.name, s.capsule, s.xla) for s in traced(run, tmp_path).steps]
    assert found == [
        ("fit of gears", "7-1-train", False), ("evaluate of gears", "7-2-test", False),
        ("tf.function alone", "7-3-alone", True),
    ]  # fmt: skip


def test_a_failure_before_any_function_was_finished_shows_what_no_other_step_shows(tmp_path):
    run = healthy()
    run.place("m:g", SHIFT, {"x": [9, 5], "k": [4]}, [[9, 5]], graph="unfinished")
    run.event("failure", failure=1, exception="ValueError", message="x", state="raised", during="program", frames=[])
    failed = traced(run, tmp_path).steps[0]
    assert failed.name == "program, outside of any finished function"
    assert {r.place for r in failed.shapes} == {"m:g"}
    assert len(failed.broken) == 1


def test_nothing_recorded_is_not_called_kept(tmp_path):
    run = Run(outcome={"state": "exited", "code": 0, "probes": "absent", "probes_note": "python -I"})
    run.events.clear()
    found = traced(run, tmp_path)
    assert (found.verdict, found.steps) == ("empty", ())
    assert "nothing was recorded in this run: python -I" in found.notes


# -- places and contracts ---------------------------------------------------------------------------------------------


def test_a_contract_that_cannot_be_read_costs_the_verdict_and_not_the_shapes(tmp_path):
    run = Run()
    run.found("m:f", "x (B N -> (B)", origin="decorator")
    run.place("m:f", "x (B N -> (B)", {"x": [4, 5]}, [[4]], graph=None)
    found = traced(run, tmp_path)
    assert [r.runtime for r in found.steps[0].shapes] == [[4, 5], [4]]
    assert found.verdict == "kept"
    assert any("m:f" in n and "contract 'x (B N" in n for n in found.notes)


def test_places_that_are_missing(tmp_path):
    run = healthy()
    run.event("place-missing", place="gears.ops:gone", reason="no such name in the module", origin="pyproject.toml")
    run.event("place-missing", place="ptycho.x:y", reason="no such name in the module", origin=None)
    asked = [{"name": name, "contract": "x (B) -> (B)", "axes": {}} for name in ("gears.ops:gone", "train:own")]
    run.places = {"places": asked, "problems": ["told before"]}
    found = traced(run, tmp_path)
    missing = {p.place: p.reason for p in found.places if not p.found}
    assert missing == {"gears.ops:gone": "no such name in the module", "ptycho.x:y": "no such name in the module",
                       "train:own": "train was never imported"}  # fmt: skip
    assert "told before" in found.notes
    notes = "\n".join(found.notes)
    assert "the place gears.ops:gone of pyproject.toml is missing: no such name in the module" in notes
    assert "train.py was run as a script: mark its functions with the decorator" in notes
    assert "ptycho.x:y" not in notes, "a checkout without a built-in place is nothing to speak of"


def test_an_axis_whose_value_was_no_number(tmp_path):
    run = Run()
    run.found("m:f", "x (B) -> (P)", axes=["P"], origin="pyproject.toml")
    run.place("m:f", "x (B) -> (P)", {"x": [4]}, [[4]], graph=None)
    run.places = {"places": [{"name": "m:f", "contract": "x (B) -> (P)", "axes": {"P": "m:cfg[p]"}}]}
    assert (
        "axis P of m:f is bound to m:cfg[p], which was not an integer when the function was called"
        in traced(run, tmp_path).notes
    )


@pytest.mark.parametrize(
    ("arguments", "labels", "broken"),
    [
        ({"x": [4, 5], "k": [4]}, ["x", "k"], 0),
        ({"k": [4], "x": [4, 5]}, ["x", "k"], 0),
        ({"x": [4, 5], "mask": [9, 9], "k": [4]}, ["x", "k", "mask"], 0),
        ({"k": [4]}, ["k"], 0),
        ({"inputs[0]": [4, 5], "inputs[1]": [3]}, ["x", "k"], 1),
    ],
)
def test_labels_that_are_names_of_arguments_say_which_is_which(tmp_path, arguments, labels, broken):
    run = Run()
    run.found("m:f", SHIFT, origin="pyproject.toml")
    run.place("m:f", SHIFT, arguments, [[4, 5]], graph=None)
    (step,) = traced(run, tmp_path).steps
    assert [r.tensor for r in step.shapes if r.phase == "in"] == labels
    assert len(step.broken) == broken


def test_eager_calls_of_two_processes_stand_apart(tmp_path):
    folder = healthy().write(tmp_path / "run")
    (folder / "events-9.jsonl").write_bytes((folder / "events-7.jsonl").read_bytes())
    found = trace(read_run(folder))
    assert [(s.name, s.pid, len(s.shapes)) for s in found.steps if s.outcome == "eager"] == [
        ("eager calls", 7, 3), ("eager calls", 9, 3),
    ]  # fmt: skip


def test_a_batch_that_nobody_knows_is_said(tmp_path):
    run = healthy()
    run.worker[0]["batch"] = None
    assert any("the worker chose one" in note for note in traced(run, tmp_path).steps[0].notes)


def test_without_watched_functions_no_call_says_that_none_was_called(tmp_path):
    run = Run()
    run.trace("7-1-step")
    run.event("failure", failure=1, exception="ValueError", message="x", state="raised", during="program", frames=[])
    found = traced(run, tmp_path)
    assert found.steps and not any("watched" in note for step in found.steps for note in step.notes)
    assert any("no watched function was called" in note for note in found.notes), "once for the run, with the remedy"
