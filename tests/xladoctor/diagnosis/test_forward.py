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
from xladoctor.saved import scan_run

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


@pytest.mark.parametrize(("node", "line"), [(NODE, 17), ("m/add/AddV2", 24)])
def test_the_line_of_a_gradient_that_differs_under_xla(tmp_path, node, line):
    told = {"result": "diverges", "kind": "values", "output": "output 0", "shapes": [[3], [3]], "plain": ["1"],
            "xla": ["2"], "node": {"op": "Mul", "node": node, "sources": STEP}}  # fmt: skip
    made = Run()
    made.trace("7-1-f", "f", "g1", xla=True)
    made.event("first-call", capsule="7-1-f", kept=True, why=None, bytes=4)
    made.worker.append({"capsule": "7-1-f", "request": "agreement", "result": told})
    path = made.write(tmp_path / "run")
    nodes = {node: STEP, "m/mul": [*STEP, ["/w/t.py", 17, "call"]]}
    (path / "capsules/7-1-f/sources.json.gz").write_bytes(gzip.compress(json.dumps({"g1": nodes}).encode()))
    [found] = scan_run(path).findings
    assert found.location is not None and found.location.line == line
