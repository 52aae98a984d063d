"""A loss of Keras that pairs each target with all outputs raises nothing: the layer that makes them is named."""

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.saved import scan_run

PROGRAM = """import numpy as np
import tensorflow as tf

x, y = np.zeros((60, 24, 1)), np.zeros(60)
net = tf.keras.Sequential([
    tf.keras.Input((24, 1)),
    tf.keras.layers.LSTM(8, return_sequences=True),
    tf.keras.layers.Dense(1),
])
net.compile("adam", "mse")
net.fit(x, y)
"""
LOSS = "StatefulPartitionedCall/compile_loss/mse/sub"


MAIN = "/work/train.py"


def scanned(folder, monkeypatch, node):
    give_sources(monkeypatch, {MAIN: PROGRAM})
    run = Run()
    run.trace("c1", "step")
    run.events[-1]["defined"] = {"file": MAIN, "line": 11, "function": "<module>"}
    outer = {
        "kind": "outer", "op": "Sub", "node": node, "sources": [[MAIN, 11, "<module>"]], "call_sources": [],
        "shapes": [[7], [7, 24, 1], [7, 24, 7]], "parts": ["data", "prediction"], "natural": True, "comes_out": False,
        "made": None, "examples": [[[0], [1]]],
    }  # fmt: skip
    run.worker.append({"capsule": "c1", "request": "pairing", "result": {"result": "asked", "found": [outer]}})
    return scan_run(run.write(folder)).root


def test_the_layer_that_gives_a_row_for_each_step_is_named(tmp_path, monkeypatch):
    root = scanned(tmp_path / "run", monkeypatch, LOSS)
    assert root.location.line == 7 and root.raised_at is None
    assert "labels `y` have 1 axis" in root.constraint.text
    assert {s.location.line: s.reason for s in root.suspects}[11] == "The sizes meet here."


def test_pairs_in_the_program_s_own_code_stay_where_they_are(tmp_path, monkeypatch):
    root = scanned(tmp_path / "run", monkeypatch, "loss/sub")
    assert root.location.line == 11 and not root.suspects
