"""Parity, remedies and lowering, shown."""

from __future__ import annotations

import json
import re

import pytest

from xladoctor.model.replay import Agreement, Lowering, Parity, Replay, Signature
from xladoctor.model.replay import Tested as Tried
from xladoctor.report.replay import render

WHAT = "a row depends on its neighbours: row 0 of positions changes every row of output 0"
HOSTILE = "\x1b[31mred\x1b[0m <script>alert(1)</script> [bold]x[/bold] | `code`"


def row_test(test: str) -> Agreement:
    return Agreement(
        "output 0",
        ("plain", "plain"),
        False,
        ([5, 3], [5, 3]),
        0.7,
        1e-5,
        0.6,
        0.5,
        (0, 1, 2),
        "wrong-pairing",
        test,
        WHAT,
    )


def replay(**more):
    parity = Parity(
        ("plain", "xla"),
        (
            row_test("few"),
            row_test("alone"),
            *(Agreement(f"variable {i}", ("plain", "xla"), True, ([3], [3]), 1e-7, 1e-5) for i in range(50)),
        ),
        (f"output 1: depends on RandomUniform ({HOSTILE})",),
        {"node": "a/Roll", "op": "Roll", "location": "f.py:3 in step", "deviation": 0.5, "message": None},
        batch=5,
    )
    return Replay("demo:step", parity=parity, **more)


def test_disagreements_first_then_one_line_for_what_agrees():
    text = " ".join(render(replay(), "console").split())
    assert "xladoctor: the ways do not agree: wrong-pairing" in text
    assert f"differs by 0.7 (tolerance 1e-05), amplitude 0.6, phase 0.5 rad, in rows 0:2; {WHAT}" in text
    assert text.count(WHAT) == 1 and "and 1 more disagreement of this kind" in text
    assert "first op that differs on the same values: Roll, node a/Roll (f.py:3 in step)" in text
    assert "plain against xla: 50 outputs agree to 1e-07 (tolerance 1e-05)" in text


def test_a_remedy_that_changes_the_numbers_is_loud():
    tested = (
        Tried("chunks", "Use a smaller batch", "no effect", "safe", how="batches of 2"),
        Tried(
            "pad",
            "Pad",
            "cured",
            "changes-numerics",
            0.4,
            0.5,
            True,
            None,
            "THE NUMBERS CHANGE: y differs by 0.4",
            "to 8",
        ),
        Tried("jit-off", "Without XLA", "cured", "slower", 0.0, 0.5, how="run plainly"),
        Tried("cast", "Cast", "another failure", "safe", signature=Signature("oom", "Conv2D"), message="m", how="h"),
    )
    text = " ".join(render(replay(remedies=tested), "console").split())
    assert "cured: Without XLA (run plainly); deviation from the reference 0; 0.5 times as fast" in text
    assert "no error any more, but other numbers: Pad (to 8); THE NUMBERS CHANGE: y differs by 0.4" in text
    assert "another failure: Cast (h); oom (Conv2D); m" in text
    assert text.index("Without XLA") < text.index("Pad (to 8)") < text.index("Use a smaller batch")


def test_lowering_says_what_it_does_not_show():
    found = Lowering(
        "gpu",
        False,
        1.0,
        Signature("unsupported-op", "Eig"),
        "m",
        ("Eig, node Eig (f.py:1 in g)",),
        note="nothing of ptxas",
    )
    text = " ".join(render(replay(lowering=found), "console").split())
    assert "refused: unsupported-op (Eig)" in text and "no kernel: Eig, node Eig (f.py:1 in g)" in text
    assert "nothing of ptxas" in text
    refused = Replay("s", lowering=Lowering("gpu", False, 0.0, message="tensorflow-cpu", refused=True))
    assert refused.exit_code == 3 and "not lowered: tensorflow-cpu" in render(refused, "console")


@pytest.mark.parametrize("form", ["console", "markdown"])
def test_hostile_names_are_neutral(form):
    tested = (Tried("x", HOSTILE, "worse", "safe", message=HOSTILE, how=HOSTILE),)
    text = render(replay(remedies=tested, lowering=Lowering("gpu", True, 0.1, note=HOSTILE)), form)
    assert "\x1b[31m" not in text
    if form == "markdown":
        assert not re.search(r"(?<!\\)<script>", text)


def test_json_holds_all_of_it():
    data = json.loads(render(replay(), "json"))
    assert data["parity"]["agreements"][0]["class"] == "wrong-pairing"
    assert data["parity"]["agreements"][0]["test"] == "few"
    assert len(data["parity"]["agreements"]) == 52
