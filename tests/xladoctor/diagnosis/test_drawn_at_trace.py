"""Random numbers that Python draws while a function is traced."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.recording import mark
from xladoctor.saved import scan_run

HEAD = "import random\nimport numpy as np\nRNG = np.random.default_rng()\nTABLE = np.random.normal(size=3)\n"


def drawn(folder, nodes):
    """The findings of a run folder whose capsule has these user frames."""
    (folder / "capsules" / "c1" / "sources.json.gz").write_bytes(gzip.compress(json.dumps({"g1": nodes}).encode()))
    mark.sign(folder)
    found = [f for f in scan_run(folder).findings if f.slug == "random-in-compiled"]
    return [(f.slug, f.level, f.location.line) for f in found]


def scan(tmp_path, body, lines, *, again=True, function="step"):
    """The findings of a run in which a `step` with this body was traced, and these of its lines made ops."""
    file = tmp_path / "main.py"
    source = HEAD + f"def {function}(self, x):\n" + "".join(f"    {line}\n" for line in body)
    file.write_text(source, encoding="utf-8")
    run = Run(command=["python", str(file)], started=4e9)
    run.trace("c1", function)
    run.event("first-call", capsule="c1", kept=True, why=None, bytes=4)
    if again:
        run.event("later-call", capsule="c1", call=2, bytes=4)
    outer = [str(file), 90, "<module>"]
    nodes = {"x": [outer], **{f"n{i}": [outer, [str(file), line, function]] for i, line in enumerate(lines)}}
    return drawn(run.write(tmp_path / "run"), nodes)


FOUND = [("random-in-compiled", "warning", 6)]


@pytest.mark.parametrize(
    ("body", "lines", "found"),
    [
        (["noise = RNG.normal(size=3)", "return x + noise"], [7], FOUND),
        (["noise = np.random.normal(size=3).astype('float32')", "return x + noise"], [7], FOUND),
        (["return x * np.random.uniform()"], [6], FOUND),
        (["if random.random() < 0.5:", "    x = x[::-1]", "return x"], [8], FOUND),
        # A table that is fixed on purpose: made outside, or from a generator that is seeded here.
        (["return x + TABLE"], [6], []),
        (["noise = np.random.default_rng(3).normal(size=3)", "return x + noise"], [7], []),
        (["np.random.seed(1)", "noise = np.random.normal(size=3)", "return x + noise"], [8], []),
        # A projection: weights that nobody trains.
        (["w = RNG.normal(size=(3, 90))", "b = RNG.uniform(size=90)", "return np.cos(x @ w + b)"], [8], []),
        (["w = np.random.randn(3, 90)", "return tf.matmul(x, w)"], [7], []),
        (["v = RNG.normal(size=(1, 3))", "return v @ x"], [7], FOUND),
        # A number that reaches no op, and a branch that computes nothing.
        (["if random.random() < 0.5:", "    print(1)", "return x"], [8], []),
        (["name = random.random()", "print(name)", "return x + 1"], [8], []),
    ],
)
def test_draws_in_a_traced_function(tmp_path, body, lines, found):
    assert scan(tmp_path, body, lines) == found


def test_nothing_is_said_of_a_function_that_was_called_once(tmp_path):
    assert scan(tmp_path, ["return x * np.random.uniform()"], [6], again=False) == []


@pytest.mark.parametrize(("calls", "found"), [(3, FOUND), (1, [])])
def test_a_function_without_xla_that_was_called_more_often_than_traced(tmp_path, calls, found):
    """Of a plain `tf.function` no later call is kept: its calls are counted."""
    file = tmp_path / "main.py"
    file.write_text(HEAD + "def step(self, x):\n    return x * np.random.uniform()\n", encoding="utf-8")
    run = Run(command=["python", str(file)], started=4e9)
    run.trace("c1", "step")
    run.events[-1]["owner"] = 1
    run.event("end", state="exit", calls={"1": calls})
    outer = [str(file), 90, "<module>"]
    assert drawn(run.write(tmp_path / "run"), {"x": [outer], "y": [outer, [str(file), 6, "step"]]}) == found


def test_a_method_that_runs_once_may_draw(tmp_path):
    assert scan(tmp_path, ["return x * np.random.uniform()"], [6], function="build") == []


def test_what_the_caller_draws_is_no_constant(tmp_path):
    """The frames of the line that calls the function stand in the graph, too."""
    file = tmp_path / "main.py"
    file.write_text(HEAD + "def train(step):\n    x = np.random.normal(size=3)\n    step(x)\n", encoding="utf-8")
    run = Run(command=["python", str(file)], started=4e9)
    run.trace("c1", "step")
    run.event("later-call", capsule="c1", call=2, bytes=4)
    outer = [str(file), 7, "train"]
    assert drawn(run.write(tmp_path / "run"), {"x": [outer], "y": [outer, ["other.py", 3, "step"]]}) == []


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ({"epochs": 5}, FOUND),
        ({"epochs": 1, "rows_in": 8, "batch_size": 8}, []),
        ({"epochs": 1, "rows_in": 9, "batch_size": 8}, FOUND),
    ],
)
def test_keras_takes_several_batches_or_epochs(tmp_path, call, found):
    file = tmp_path / "main.py"
    file.write_text(HEAD + "def train_step(self, x):\n    return x * np.random.uniform()\n", encoding="utf-8")
    run = Run(command=["python", str(file)], started=4e9)
    run.trace("c1", "multi_step_on_iterator")
    run.event("call", phase="begin", method="fit", call=1, **call)
    run.event("call", phase="end", method="fit", call=1, capsule="c1")
    outer = [str(file), 90, "<module>"]
    nodes = {"x": [outer], "y": [outer, [str(file), 6, "train_step"]]}
    assert drawn(run.write(tmp_path / "run"), nodes) == found
