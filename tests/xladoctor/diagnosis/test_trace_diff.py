"""Two runs side by side: sizes by name, branches, violations, and the first place at which they part."""

from __future__ import annotations

from tests.xladoctor.recordings import SHIFT, Run, collapsed, healthy
from xladoctor.diagnosis.trace import trace
from xladoctor.diagnosis.trace_diff import diff
from xladoctor.recording.run import read_run
from xladoctor.report import View
from xladoctor.report.page import Page
from xladoctor.report.trace_console import render_diff


def compared(a: Run, b: Run, folder):
    return diff(trace(read_run(a.write(folder / "a"))), trace(read_run(b.write(folder / "b"))))


def kinds(found):
    return [(r.row.tensor, r.kinds) for s in found.steps for r in s.rows]


def test_another_batch_is_no_difference(tmp_path):
    found = compared(healthy(15), healthy(16), tmp_path)
    assert (found.differs, found.exit_code, kinds(found)) == (False, 0, [])
    assert [(s.name, s.same) for s in found.steps] == [("fit of gears", 3), ("eager calls", 3)]
    assert "random values" in " ".join(found.steps[0].notes)


def test_runs_without_a_watched_place_are_not_called_the_same(tmp_path):
    found = compared(Run(), Run(), tmp_path)
    assert (found.differs, found.empty, found.exit_code) == (False, True, 2)
    console = render_diff(found, Page(80), View())
    assert "NOTHING TO COMPARE" in console and "THE SAME" not in console
    assert not compared(healthy(), healthy(), tmp_path / "kept").empty


def test_a_size_without_the_name_of_the_other_is_a_difference(tmp_path):
    a, b = healthy(15), collapsed(16)
    found = compared(a, b, tmp_path)
    step, row = found.first
    assert (step.name, row.row.tensor, row.kinds) == ("fit of gears", "result", ("shape", "violation"))
    assert (row.named_a, row.named_b) == ("(B N)", "(1 N)")
    assert found.first_broken == found.first
    assert found.steps[1].b is None, "the eager calls came after the failure"
    assert found.exit_code == 1


def test_expressions_are_names_too_and_a_local_name_is_none(tmp_path):
    """K takes whatever comes: 60 and 64 are both B*C, but 4 is C in the run where rows were lost."""

    def run(batch: int, flat: int) -> Run:
        made = Run()
        made.begin(1)
        made.trace("7-1-step")
        one = made.place("m:flat", "x (B C) -> (B*C)", {"x": [None, 4]}, [[None]])
        two = made.place("m:warp", "images (K) -> (K)", {"images": [None]}, [[None]])
        made.end(1, "7-1-step")
        made.shapes("7-1-step", one, {"x": [batch, 4], "result": [batch * 4]}, batch)
        made.shapes("7-1-step", two, {"images": [flat], "result": [flat]}, batch)
        return made

    assert not compared(run(15, 60), run(16, 64), tmp_path / "good").differs
    lost = compared(run(15, 60), run(16, 4), tmp_path / "lost")
    assert kinds(lost) == [("images", ("shape",)), ("result", ("shape",))]
    assert (lost.first[1].named_a, lost.first[1].named_b) == ("(B*C)", "(C)")


def test_a_size_that_happens_to_have_two_names_has_both(tmp_path):
    def run(batch: int) -> Run:
        made = Run()
        made.trace("7-1-step")
        events = made.place("m:flat", "x (B N C) -> (B*C)", {"x": [None, 64, 4]}, [[None]])
        made.shapes("7-1-step", events, {"x": [batch, 64, 4], "result": [batch * 4]}, batch)
        return made

    assert not compared(run(15), run(16), tmp_path).differs, "64 is N, and B*C too"


def test_a_branch_that_one_run_did_not_take(tmp_path):
    a, b = healthy(15), healthy(16)
    b.worker[0]["result"]["occurrences"] = {
        key: [{**row, "state": "not-executed", "shapes": {}} for row in rows]
        for key, rows in b.worker[0]["result"]["occurrences"].items()
    }
    found = compared(a, b, tmp_path)
    assert kinds(found) == [("x", ("state",)), ("k", ("state",)), ("result", ("state",))]
    assert [r.first for r in found.steps[0].rows] == [True, False, False]


def test_another_rank_and_a_place_that_one_run_never_reached(tmp_path):
    a, b = healthy(), healthy()
    b.place("m:more", "x (B) -> (B)", {"x": [4]}, [[4]], graph=None)
    a.place("gears.ops:shift", SHIFT, {"x": [2, 5], "k": [2]}, [[2, 5, 1]], graph=None)
    b.place("gears.ops:shift", SHIFT, {"x": [2, 5], "k": [2]}, [[2, 5]], graph=None)
    found = compared(a, b, tmp_path)
    assert kinds(found) == [("x", ("only-in-b",)), ("result", ("only-in-b",)), ("result", ("shape", "violation"))]


def test_more_turns_of_a_loop_are_a_note(tmp_path):
    def run(turns: int) -> Run:
        made = Run()
        made.trace("7-1-step")
        events = made.place("m:f", "x (B) -> (B)", {"x": [None]}, [[None]])
        for turn in range(turns):
            made.shapes("7-1-step", events, {"x": [4], "result": [4]}, iterations=[turn])
        return made

    found = compared(run(1), run(3), tmp_path)
    assert not found.differs
    assert "the loop around m:f took more iterations in B: 3" in found.steps[0].notes


def test_as_traced_only_is_compared_as_traced(tmp_path):
    a, b = healthy(15), healthy(16, columns=6)
    a.worker.clear()
    found = compared(a, b, tmp_path)
    assert not found.steps[0].rows, "5 and 6 columns are both N, an unknown batch is anything"
    assert any("only as traced" in note for note in found.steps[0].notes)
