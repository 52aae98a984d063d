"""What is said of gradients of the program's own, by what a worker measured."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.own_gradients import to_ask
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run


def scanned(tmp_path, found=(), passed=(), state=None):
    run = Run(**({"outcome": state} if state else {}))
    run.trace("c1", "train", "g1")
    run.event("trace", function="__inference_f_2", python_name="f", graph="g2", parent="g1", capsule=None)
    for number, line in enumerate((4, 9)):
        at = {"file": "/home/ada/train.py", "line": line, "function": "grad"}
        run.event("own-gradient", what="custom", graph="g2", function="sign", arguments=["x:0"], results=["y:0"],
                  upstream=["up:0"], gradients=[f"g{number}:0"], where=at)  # fmt: skip
    result = {"result": "asked", "why": None, "found": list(found), "passed": list(passed)}
    run.worker.append({"capsule": "c1", "request": "own_gradients", "result": result})
    folder = run.write(tmp_path / "run")
    diagnosis = scan_run(folder)
    return [f for f in diagnosis.findings if f.slug == "wrong-gradient"], diagnosis.checked, folder


@pytest.mark.parametrize(
    ("told", "level", "words", "remedy"),
    [
        ({"kind": "ignored"}, "error", "ignores the gradient from above", "multiply-by-upstream"),
        ({"kind": "factor", "factor": 2.0}, "warning", "is 2 times", "correct-gradient"),
        ({"kind": "apart", "apart": 0.5}, "warning", "is not that of its function", "correct-gradient"),
        ({"kind": "left-out", "output": 1}, "warning", "leaves out result 2", "correct-gradient"),
        ({"kind": "summed", "how": "broadcast", "op": "Sub", "shapes": [[9, 2], [9, 1]]}, "warning",
         "sum over its 2 columns", "one-gradient-each"),
        ({"kind": "summed", "how": "again", "shapes": [[9, 2], [9, 2]]}, "warning", "(9, 2) by (9, 2)",
         "one-gradient-each"),
    ],
)  # fmt: skip
def test_each_kind_has_its_line_and_words(tmp_path, told, level, words, remedy):
    [found], checked, _ = scanned(tmp_path, [{"mark": 1, "exact": True, "argument": 0, **told}], passed=[0])
    assert (found.level, found.status, found.location.line) == (level, "confirmed", 9)
    assert words in found.title and found.remedies[0].id == remedy
    own = [(c.result, c.location.line) for c in checked if c.what == "own-gradients"]
    assert sorted(own) == [("agrees", 4), ("diverges", 9)]


def test_nothing_is_found_where_they_agree(tmp_path):
    found, checked, _ = scanned(tmp_path, passed=[0, 1])
    assert found == [] and [c.result for c in checked if c.what == "own-gradients"] == ["agrees", "agrees"]


def test_the_capsule_is_that_of_the_outermost_function_and_a_run_that_failed_is_not_asked_about(tmp_path):
    _, _, folder = scanned(tmp_path)
    assert [(a.capsule, len(a.marks)) for a in to_ask(read_run(folder))] == [("c1", 2)]
    _, _, folder = scanned(tmp_path / "failed", state={"state": "signaled", "signal": "SIGABRT", "probes": "recorded"})
    assert to_ask(read_run(folder)) == []
