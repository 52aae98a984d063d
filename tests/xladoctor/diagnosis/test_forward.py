"""A failure in a gradient stands at the operation whose gradient it is."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.enrich import enrich
from xladoctor.diagnosis.facts import steps
from xladoctor.model.diagnosis import Finding, Location
from xladoctor.recording.run import read_run

STEP = [["/w/t.py", 24, "step"]]
NODE = "gradient_tape/m/mul/BroadcastGradientArgs"


@pytest.mark.parametrize(("node", "line"), [(NODE, 17), ("m/add/AddV2", 24)])
def test_the_line_of_a_failing_gradient(tmp_path, node, line):
    made = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    made.trace("7-1-f", "f", "g1")
    made.event("failure", failure=1, state="raised", exception="InvalidArgumentError", module="m", message="no",
               capsule="7-1-f", frames=[], during="a call")  # fmt: skip
    path = made.write(tmp_path / "run")
    nodes = {node: STEP, "m/mul": [*STEP, ["/w/t.py", 17, "call"]]}
    (path / "capsules/7-1-f/sources.json.gz").write_bytes(gzip.compress(json.dumps({"g1": nodes}).encode()))
    [step] = steps(read_run(path))
    finding = Finding("XD302", "broadcast-mismatch", "error", "root", "t", "m.", node=node)
    at = enrich(finding, step).location
    assert at is not None and at == Location("/w/t.py", line, at.function)
