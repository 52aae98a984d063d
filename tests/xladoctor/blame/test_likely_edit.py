"""The edit that the source suggests: at the suspected line, and only where all shapes then fit."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from tests.xladoctor.blame.programs import MAIN, blamed
from xladoctor.blame.likely_edit import likely_edit, of_data
from xladoctor.edits.text import Candidate, Change, Text
from xladoctor.model.diagnosis import Finding

FORECAST = """\
import keras
import numpy as np
inputs = np.zeros((965, 24, 3))
targets = np.zeros((965, 12))
model = keras.Sequential(
    [
        keras.Input((24, 3)),
        keras.layers.LSTM(32, return_sequences=True),
        keras.layers.Dense(12),
    ]
)
model.compile(optimizer="adam", loss="mse")
model.fit(inputs, targets, batch_size=64)
"""
MESSAGE = "Incompatible shapes: [64,12] vs. [64,24,12]"


def suggested(source: str, read_all: bool = True):
    found = blamed(source, ("<module>", "model.fit"), dims=(64, 12, 64, 24, 12), message=MESSAGE)
    assert found is not None
    root = Finding("XD302", "broadcast-mismatch", "error", "root", "t", MESSAGE, dims=(64, 12, 64, 24, 12))
    root = replace(root, location=found.raised_at, suspects=found.suspects)
    event = {"frames": [], "message": MESSAGE, "exception": "InvalidArgumentError"}
    return likely_edit(root, event, MAIN, {MAIN: source}.get if read_all else lambda name: None)


def test_the_layer_that_keeps_every_step_hands_on_the_last():
    edit = suggested(FORECAST)
    assert edit is not None and edit.file == Path(MAIN)
    assert edit.new.strip() == "keras.layers.LSTM(32, return_sequences=False),"


@pytest.mark.parametrize(
    "source",
    [FORECAST.replace("np.zeros((965, 12))", "load()"), FORECAST.replace("keras.Input", "*head(), keras.Input")],
    ids=["labels of unknown shape", "layers that are not known"],
)
def test_nothing_is_suggested_where_the_source_does_not_show_the_constraint(source):
    assert suggested(source) is None


def test_nothing_is_suggested_without_the_source():
    assert suggested(FORECAST, read_all=False) is None


def test_the_size_of_random_data_is_no_advice():
    """They stand for data that the program is given. With zeros, or in a name, it may be."""
    text = Text(Path(MAIN), "m.fit(np.random.rand(32, 3), np.zeros((32, 3)))\n")
    at = [text.span(node)[0] for node in text.all(ast.Constant) if node.value == 3]
    edits = [
        Candidate(Path(MAIN), 1, "constant", "3", "12", "write 12", (Change(start, start + 1, "12"),)) for start in at
    ]
    assert [of_data(edit, {Path(MAIN): text}) for edit in edits] == [True, False]
