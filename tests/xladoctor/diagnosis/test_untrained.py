"""What is said of variables that no gradient reached, by what was recorded of them."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

NAMES = ["net/head/kernel", "net/head/bias"]
KERAS = (
    "/usr/lib/python3/site-packages/keras/src/optimizers/base_optimizer.py:862: UserWarning: Gradients do not exist "
    f"for variables {NAMES} when minimizing the loss.\n"
)


def line(number):
    return {"file": "/home/ada/train.py", "line": number, "function": "step"}


def cut(op, why="op", number=3):
    return {"op": op, "why": why, "frames": [line(number)]}


def told(tmp_path, cuts=None, connected=True, end=None, state=None):
    run = Run(**({"outcome": state} if state else {}))
    common = {"variables": NAMES, "count": 2, "given": 6, "where": line(9)}
    run.event("no-gradient", what="missing", stops=None, **common)
    if cuts is not None:
        stops = [{"variables": NAMES, "connected": connected, "cuts": cuts}]
        run.event("no-gradient", what="stopped", stops=stops, **common)
    if end is not None:
        run.event("no-gradient", what="end", **{"trained": [], "moved": [], "same": [], **end})
    folder = run.write(tmp_path / "run")
    (folder / "stderr.log").write_text(KERAS)
    return [f for f in scan_run(folder).findings if f.slug == "no-gradient"]


def test_the_op_and_its_line_stand_in_the_place_of_what_keras_prints(tmp_path):
    [found] = told(tmp_path, [cut("Round")], end={"same": NAMES})
    assert (found.level, found.op, found.location.line, found.status) == ("warning", "Round", 3, "confirmed")
    assert found.title == "`net/head/kernel` and `net/head/bias` get no gradient: Round passes none on"
    assert "At the end of the run their values are what they were then." in found.message
    assert found.layer == "net/head" and found.remedies[0].id == "keep-differentiable"


@pytest.mark.parametrize(
    ("cuts", "connected", "number", "words", "remedy"),
    [
        (None, True, 9, "leaves them as they are.", "train-what-is-used"),
        ([], False, 9, "No recorded op leads from there to the loss.", "train-what-is-used"),
        ([cut("StopGradient")], True, 3, "tf.stop_gradient", "train-what-is-used"),
        ([cut("BiasAdd", "outside")], True, 3, "while no tape was recording", "inside-the-tape"),
        ([cut("numpy", "numpy")], False, 3, "went to NumPy or Python", "keep-differentiable"),
    ],
)
def test_each_way_in_which_a_gradient_is_lost(tmp_path, cuts, connected, number, words, remedy):
    [found] = told(tmp_path, cuts, connected, end={})
    assert (found.level, found.location.line, found.remedies[0].id) == ("warning", number, remedy)
    assert words in found.message


def test_what_another_step_trains_is_a_note_in_the_words_of_keras(tmp_path):
    [found] = told(tmp_path, [], False, end={"trained": NAMES})
    assert (found.level, found.remedies) == ("note", ())
    assert "in another step" in found.message


def test_what_the_program_changes_itself_is_a_note(tmp_path):
    found = told(tmp_path, [cut("StopGradient")], end={"moved": NAMES})
    assert {f.level for f in found} == {"note"}
    assert "The program itself changed their values" in found[0].message


def test_of_a_run_that_was_ended_only_the_output_speaks(tmp_path):
    state = {"state": "signalled", "signal": "SIGTERM", "probes": "recorded"}
    [found] = told(tmp_path, [cut("Round")], state=state)
    assert (found.level, found.op, found.status) == ("warning", None, "untested")


def test_what_was_given_a_gradient_for_each_is_a_check(tmp_path):
    run = Run()
    for name, number in (("adam", 9), ("adam", 9), ("sgd", 12)):
        run.event("no-gradient", what="none", optimizer=name, given=6, where=line(number))
    run.event("no-gradient", what="missing", stops=None, variables=NAMES, count=2, given=6, where=line(12))
    found = scan_run(run.write(tmp_path / "run"))
    assert [(c.what, c.function, c.result, c.location.line) for c in found.checked] == [
        ("gradients", "adam", "agrees", 9),
        ("gradients", "sgd", "diverges", 12),
    ]


def test_an_error_that_no_variable_has_a_gradient_says_what_stops_it(tmp_path):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    stops = [{"variables": NAMES, "connected": True, "cuts": [cut("Round")]}]
    run.event("no-gradient", what="missing", stops=stops, variables=NAMES, count=2, given=2, where=line(9))
    folder = run.write(tmp_path / "run")
    trace = 'Traceback (most recent call last):\n  File "/home/ada/train.py", line 9, in step\n    net.fit(x, y)\n'
    (folder / "stderr.log").write_text(f"{trace}ValueError: No gradients provided for any variable.\n")
    [found] = [f for f in scan_run(folder).findings if f.level == "error"]
    assert "On the way to the loss, Round, /home/ada/train.py:3 in step, passes no gradient on." in found.message
    assert (found.location.line, found.raised_at.line) == (3, 9)
    assert found.suspects[0].likeliness == "likely"
    assert found.remedies[0].id == "keep-differentiable"
