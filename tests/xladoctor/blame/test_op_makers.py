"""The call that puts an op into a graph under another name."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.blame.bindings import Line, index
from xladoctor.blame.crash import Crash, Frame, Seen
from xladoctor.blame.of_run import case_of
from xladoctor.blame.op_makers import of_makers
from xladoctor.blame.slices import hops
from xladoctor.model.diagnosis import Diagnosis, Finding, Location
from xladoctor.recording.run import read_run
from xladoctor.sources.files import Files

from .programs import MAIN


def suspected(source: str, raised: str, op: str, slug: str = "unsupported-op", *ops: str) -> dict[str, float]:
    rows = textwrap.dedent(source).strip().split("\n")
    files = Files({MAIN: "\n".join(rows)}.get, ("/work",))
    at: Line = (MAIN, next(i for i, row in enumerate(rows, 1) if raised in row))
    crash = Crash((Frame(*at, files.function(*at) or "<module>"),), slug=slug, op=op, seen=Seen(ops=frozenset(ops)))
    found = of_makers(hops(index(files, MAIN), crash), crash, files)
    return {rows[one.line - 1].strip(): one.weight for one in found}


SWITCH = """
import tensorflow as tf
tf.debugging.enable_check_numerics()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse", jit_compile=True)
model.fit(x, y)
"""


def test_a_switch_that_no_name_leads_to() -> None:
    assert suspected(SWITCH, "model.fit", "DebugNumericSummaryV2") == {"tf.debugging.enable_check_numerics()": 7.9}
    assert not suspected(SWITCH, "model.fit", "ResizeBicubic"), "it makes no such op"
    assert not suspected(SWITCH, "model.fit", "DebugNumericSummaryV2", "broadcast-mismatch")
    assert not suspected(SWITCH, "model.fit", "_Arg") and not suspected(SWITCH, "model.fit", "")


LAYER = """
import numpy as np
from tensorflow.keras import layers
other = layers.StringLookup(vocabulary=["c"])
code = layers.StringLookup(vocabulary=["a"])
def score(batch):
    return code(batch) + np.py_function(batch)
score(given)
"""


@pytest.mark.parametrize(("op", "lines"), [("LookupTableFindV2", 1), ("StringToHashBucketFast", 1), ("PyFunc", 0)])
def test_a_layer_that_the_failure_depends_on(op: str, lines: int) -> None:
    """Another layer of the kind is no suspect, nor is a function of another library that has the name of one."""
    assert list(suspected(LAYER, "return code", op)) == ['code = layers.StringLookup(vocabulary=["a"])'][:lines]


def test_the_line_that_raised_is_enough() -> None:
    source = """
    import tensorflow as tf
    def log(x):
        tf.print(x)
    def step(x):
        tf.print("step")
        log(x)
        return x
    step(given)
    """
    assert list(suspected(source, "tf.print(x)", "PrintV2")) == ["tf.print(x)"]
    assert list(suspected(source, "log(x)", "StringFormat")) == [], "no line that the failure depends on makes one"


def test_an_argument_that_xla_refuses_goes_into_an_op_of_the_graph() -> None:
    graph = ("Placeholder", "LookupTableFindV2", "MatMul")
    found = suspected(LAYER, "return code", "_Arg", "unsupported-op", *graph)
    assert list(found) == ['code = layers.StringLookup(vocabulary=["a"])']
    assert not suspected(LAYER, "return code", "_Arg", "unsupported-op", "MatMul")


def test_the_ops_of_the_graph_that_failed_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_sources(monkeypatch, {MAIN: "score(given)\n"})
    made = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    made.trace("7-1-f", "f", "g1")
    frame = {"file": MAIN, "line": 1, "function": "<module>", "user": True}
    made.event("failure", failure=1, state="raised", exception="InvalidArgumentError", module="m", message="no",
               capsule="7-1-f", frames=[frame], during="a call")  # fmt: skip
    recording = read_run(made.write(tmp_path / "run"))
    monkeypatch.setattr(type(recording), "ops", lambda self, name: {"Pack": 1, name: 2})
    for op, ops in (("_Arg", {"Pack", "7-1-f"}), ("PyFunc", set())):
        root = Finding("XD411", "unsupported-op", "error", "root", "t", "m.", op=op, location=Location(MAIN, 1))
        case = case_of(Diagnosis(source="run", verdict="v", findings=(root,)), recording)
        assert case is not None and case[-1].ops == ops
