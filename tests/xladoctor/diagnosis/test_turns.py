"""The shapes of a call are those of its own turn of a loop, also those of tensors from the loop's body around it."""

from __future__ import annotations

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.places import place_calls
from xladoctor.recording.run import read_run

PLACE, CONTRACT = "ops:merge", "x (B N), k (M) -> (B N)"


def test_two_turns_of_a_loop_are_two_calls(tmp_path):
    run = Run()
    run.found(PLACE, CONTRACT)
    entered, left = run.place(PLACE, CONTRACT, {"x": [None, 3], "k": [None]}, [[None, 3]])
    run.events[entered]["tensors"][1].update(graph="g2", tensor="k:0")
    run.trace("7-1-step")

    def seen(path, turn, **shapes):
        return {"path": path, "function": "f", "order": [turn, len(path)], "iterations": [turn], "state": "executed",
                "shapes": shapes, "missing": {}, "positions": {}}  # fmt: skip

    x = run.events[entered]["tensors"][0]["tensor"]
    result = run.events[left]["tensors"][0]["tensor"]
    occurrences = {
        f"{entered}:g2": [seen(["while"], turn, **{"k:0": [10 + turn]}) for turn in (0, 1)],
        f"{entered}:g1": [seen(["while", "call"], turn, **{x: [4 + turn, 3]}) for turn in (0, 1)],
        f"{left}:g1": [seen(["while", "call"], turn, **{result: [4 + turn, 3]}) for turn in (0, 1)],
    }
    run.worker.append({"capsule": "7-1-step", "request": "shapes", "batch": None,
                       "result": {"occurrences": occurrences, "failed": []}})  # fmt: skip
    calls = place_calls(read_run(run.write(tmp_path / "run")), "7-1-step")
    assert [[t.runtime for t in call.inputs] for call in calls] == [[[4, 3], [10]], [[5, 3], [11]]]
