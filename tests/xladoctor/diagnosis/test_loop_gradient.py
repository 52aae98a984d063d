"""The list in the gradient of a loop: the loop is at fault, not the line that asks for the gradient."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

MESSAGE = (
    "XLA compilation requires a fixed tensor list size. Set the max number of elements. This could also happen if "
    "you're using a TensorArray in a while loop that does not have its maximum_iteration set, you can fix this by "
    "setting maximum_iteration.\n\t [[{{node %s}}]]\n\ttf2xla conversion failed while converting __inference_fit_3[]."
)
FIT = ["/home/ada/fit.py", 54, "fit"]


@pytest.mark.parametrize(
    ("node", "loop", "line"),
    [
        ("gradient_tape/while/while/Abs_0/accumulator", "while", 36),
        ("gradient_tape/solve/loop/while/solve/loop/while/mul_0/accumulator", "solve/loop/while", 36),
        ("TensorArrayV2", "while", 54),
        ("gradient_tape/gone/while/Abs_0/accumulator", "while", 54),
    ],
)
def test_the_line_of_the_loop(tmp_path, node, loop, line):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.trace("7-1-fit", xla=True)
    frame = {"file": FIT[0], "line": FIT[1], "function": FIT[2], "user": True}
    for state in ("raised", "uncaught"):
        run.event("failure", failure=1, exception="InvalidArgumentError", message=MESSAGE % node, state=state,
                  during="fit", module="tensorflow", capsule="7-1-fit", frames=[frame])  # fmt: skip
    folder = run.write(tmp_path / "run")
    nodes = {node: [FIT], loop: [FIT, ["/home/ada/solve.py", 36, "solve"]]}
    (folder / "capsules/7-1-fit/sources.json.gz").write_bytes(gzip.compress(json.dumps({"g1": nodes}).encode()))
    trace = 'Traceback (most recent call last):\n  File "/home/ada/fit.py", line 54, in fit\n    step(x)\n'
    said = f"{trace}tensorflow.python.framework.errors_impl.InvalidArgumentError: {MESSAGE % node}\n"
    (folder / "stderr.log").write_text(said)
    root = scan_run(folder).root
    assert (root.slug, root.location.line) == ("tensorlist-dynamic", line)
    if line == 36:
        assert (root.raised_at.line, root.suspects[0].likeliness) == (54, "likely")
        assert [r.id for r in root.remedies] == ["maximum-iterations"]
    else:
        assert len(root.remedies) > 1
