"""When the random numbers of a compiled function are a finding, and when they are not."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

DRAW = {
    "op": "StatelessRandomNormalV2", "node": "n", "key": ["1"], "counter": ["2", "3"], "shape": [4], "same": False,
    "fixed": True, "mask": False, "sources": [["train.py", 9, "planes"]],
}  # fmt: skip
EAGER = {"op": "stateless_random_normal_v2", "key": ["1"], "counter": ["2", "3"], "shape": [4]}
FREE = {**DRAW, "op": "RandomUniform", "key": None, "counter": None, "same": None, "fixed": False}


def scanned(tmp_path, draw, *events, calls=(1.0,)):
    made = Run()
    made.trace("7-0-f", "f", "g0", xla=True)
    for n, t in enumerate(calls):
        if n:
            made.event("later-call", capsule="7-0-f", call=n + 1, bytes=4, t=t)
        else:
            made.event("first-call", capsule="7-0-f", kept=True, why=None, bytes=4, t=t)
    for kind, facts in events:
        made.event(kind, **facts)
    result = {"result": "agrees", "draws": [draw]}
    made.worker.append({"capsule": "7-0-f", "request": "agreement", "result": result})
    return scan_run(made.write(tmp_path / "run"))


@pytest.mark.parametrize(
    ("draw", "eager", "found"),
    [
        pytest.param({}, {}, True, id="the same key on both sides"),
        pytest.param({}, {"key": ["7"]}, False, id="another key"),
        pytest.param({}, {"shape": [5]}, False, id="another shape"),
        pytest.param({}, {"op": "stateless_random_uniform_v2"}, False, id="another op"),
        pytest.param({"same": True}, {}, False, id="XLA draws the same"),
        pytest.param({"same": None}, {}, False, id="not known"),
    ],
)
def test_one_seed_on_both_sides(tmp_path, draw, eager, found):
    diagnosis = scanned(tmp_path, {**DRAW, **draw}, ("draw", {**EAGER, **eager}))
    assert [(f.slug, f.level, f.status, str(f.location)) for f in diagnosis.findings] == (
        [("random-in-compiled", "warning", "confirmed", "train.py:9 in planes")] if found else []
    )


@pytest.mark.parametrize(
    ("seeds", "calls", "found"),
    [
        pytest.param([("11", 0.5), ("11", 2.0)], (1.0, 3.0), True, id="set again"),
        pytest.param([("11", 0.5), ("12", 2.0)], (1.0, 3.0), False, id="another seed"),
        pytest.param([("11", 0.5), ("12", 1.5), ("11", 2.5)], (1.0, 2.0, 3.0), True, id="again after another one"),
        pytest.param([("11", 0.5), ("12", 1.5), ("11", 2.5)], (2.0, 3.0), False, id="called with each seed once"),
        pytest.param([("11", 0.5)], (1.0, 3.0), False, id="set once"),
        pytest.param([("11", 0.5), ("11", 2.0)], (1.0,), False, id="not called again"),
        pytest.param([("11", 0.5), ("11", 0.6)], (1.0, 3.0), False, id="not called between"),
    ],
)
def test_a_seed_that_is_set_again(tmp_path, seeds, calls, found):
    events = [("seed", {"seed": seed, "t": t}) for seed, t in seeds]
    diagnosis = scanned(tmp_path, FREE, *events, calls=calls)
    assert [(f.slug, f.status) for f in diagnosis.findings] == ([("random-in-compiled", "untested")] if found else [])


@pytest.mark.parametrize(("fixed", "mask"), [(True, True), (True, False), (False, True)])
def test_a_mask_that_never_changes(tmp_path, fixed, mask):
    diagnosis = scanned(tmp_path, {**DRAW, "fixed": fixed, "mask": mask})
    assert [f.slug for f in diagnosis.findings] == (["random-in-compiled"] if fixed and mask else [])


@pytest.mark.parametrize("line", [9, 8])
def test_a_program_that_ends_itself_after_it_drew_in_both_ways(tmp_path, line):
    """The same line drew without XLA, too: what the program compared cannot agree. Another line says nothing."""
    made = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    made.trace("7-0-f", "f", "g0", xla=True)
    made.trace("7-1-g", "g", "g1")
    for number, t in enumerate((1.0, 3.0), 1):
        made.event("seed", seed="11", t=t - 0.5)
        made.event("first-call" if number == 1 else "later-call", capsule="7-0-f", kept=True, call=number, t=t)
    frames = [{"file": "train.py", "line": 20, "function": "<module>", "user": True}]
    made.event("failure", failure=1, state="raised", exception="AssertionError", message="they differ", during="p",
               frames=frames, chain=[], capsule=None)  # fmt: skip
    made.event("failure", failure=1, state="uncaught", exception="AssertionError")
    made.worker.append({"capsule": "7-0-f", "request": "agreement", "result": {"result": "agrees", "draws": [FREE]}})
    folder = made.write(tmp_path / "run")
    sources = {"g1": {"random_uniform/RandomUniform": [["train.py", line, "planes"]]}}
    (folder / "capsules/7-1-g/sources.json.gz").write_bytes(gzip.compress(json.dumps(sources).encode()))
    root = scan_run(folder).root
    assert (root.slug, root.status) == ("parity-divergence" if line == 9 else "not-xla", "untested")
