"""What a worker made of a refusal that hangs on a setting of the process."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

SAYS = "GPU MaxPool gradient ops do not yet have a deterministic XLA implementation."


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ({"outcome": "failed", "error": {"kind": "UnimplementedError", "message": SAYS}, "deterministic": True},
         "confirmed"),
        ({"outcome": "passed", "error": None}, "untested"),
    ],
)  # fmt: skip
def test_a_refusal_under_determinism_is_confirmed_by_one_with_it(tmp_path, result, status):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.trace("7-0-step", "step", xla=True)
    run.event("failure", failure=1, exception="UnimplementedError", message=SAYS, state="raised", during="step",
              frames=[], module="tensorflow.python.framework.errors_impl", capsule="7-0-step", chain=[])  # fmt: skip
    run.event("failure", failure=1, exception="UnimplementedError", state="uncaught")
    run.worker.append({"capsule": "7-0-step", "request": "again", "batch": None, "result": result})
    root = scan_run(run.write(tmp_path / "run")).root
    assert (root.slug, root.status) == ("determinism-unsupported", status)
    told = any("with enable_op_determinism" in proof.text for proof in root.evidence)
    assert told == (status == "confirmed")
