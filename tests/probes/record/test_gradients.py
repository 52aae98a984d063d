"""Which line a node of a gradient is told to be from."""

from __future__ import annotations

from probes.record.gradients import placed

CALL = ["main.py", 50, "<module>"]
FORWARD = {"Gather": [["main.py", 60, "<module>"], ["main.py", 7, "f"]], "scope/Max": [["main.py", 8, "f"]], "Sum": []}


def test_what_the_call_made_is_of_the_op_that_it_is_the_gradient_of():
    own = {
        "gradients/Gather_grad/Reshape": [CALL],
        "gradients/scope/Max_grad/Equal": [CALL],
        "gradients/custom_grad/mul": [CALL, ["main.py", 12, "grad"]],
        "gradients/Sum_grad/Tile": [CALL],
        "gradients/grad_ys_0": [CALL],
    }
    found = placed(own, FORWARD, {"file": "main.py", "line": 50, "function": "<module>"})
    assert {n: f[-1][1] for n, f in found.items()} == {
        "gradients/Gather_grad/Reshape": 7,
        "gradients/scope/Max_grad/Equal": 8,
        "gradients/custom_grad/mul": 12,
        "gradients/Sum_grad/Tile": 50,
        "gradients/grad_ys_0": 50,
    }


def test_an_op_without_frames_has_those_of_its_own_op():
    assert placed({"gradients/Gather_grad/Shape": []}, FORWARD, None)["gradients/Gather_grad/Shape"][-1][1] == 7
