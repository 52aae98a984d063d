"""A rehearsal ends where the program trains once more in the same way, and could not come further than before."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest

from probes.record import rehearse
from probes.record.repeats import likeness
from tests import quick
from xladoctor.experiments import overlay
from xladoctor.experiments.rehearse import rehearse as run
from xladoctor.recording.schema import schema

FIT = {"method": "fit", "where": {"file": "train.py", "line": 8}, "rows_in": 100, "batch_size": 32}


class Layer:
    def __init__(self, **config):
        self.config = config

    def get_config(self):
        return self.config


def power(exponent):
    return lambda y, p: abs(y - p) ** exponent


def net(loss="mse", **config):
    layers = [Layer(name="dense", kernel=SimpleNamespace(shape=(4, 2), dtype="float32"), **config)]
    return SimpleNamespace(
        loss=loss, optimizer=Layer(learning_rate=0.1), layers=layers, _flatten_layers=lambda **_: layers
    )


@pytest.mark.parametrize(
    ("model", "call", "same"),
    [
        (net(activation="relu"), FIT, True),
        (net(activation="relu"), {**FIT, "call": 7, "model": "model_3"}, True),
        (net(activation="tanh"), FIT, False),
        (net(activation="relu", rate=0.25), FIT, True),
        (net(activation="relu", rate=0.0), FIT, False),
        (net(activation="relu", loss="mae"), FIT, False),
        (net(activation="relu"), {**FIT, "rows_in": 99}, False),
        (net(activation="relu"), {**FIT, "where": {"file": "train.py", "line": 9}}, False),
    ],
)
def test_what_is_the_same_training(model, call, same):
    first = likeness(net(activation="relu", **({"rate": 0.5} if "rate" in model.layers[0].config else {})), FIT)
    assert first is not None and (likeness(model, call) == first) is same


def test_an_image_of_constants_among_the_settings_is_not_too_much_to_compare():
    first, second = (likeness(net(probe=[[v + n for n in range(200)] for _ in range(200)]), FIT) for v in (0.5, 0.25))
    assert first is not None and first == second != likeness(net(probe=[[0.5] * 200] * 199), FIT)


def test_functions_with_other_values_are_other_losses_and_what_is_not_known_is_no_repetition():
    assert likeness(net(power(2)), FIT) == likeness(net(power(2)), FIT) != likeness(net(power(3)), FIT)
    assert likeness(net(), {**FIT, "method": "predict"}) is None
    assert likeness(SimpleNamespace(), FIT) is None


@pytest.mark.parametrize(
    ("apart", "grace", "beside", "enough"),
    [
        (70.0, 60.0, False, True),
        (35.0, 60.0, False, True),
        (25.0, 60.0, False, False),
        (25.0, 60.0, True, True),
        (12.0, 60.0, True, False),
        (70.0, None, True, False),
    ],
)
def test_when_it_is_enough(monkeypatch, apart, grace, beside, enough):
    """Only in the time after the first steps, and only where fewer than two more such trainings would begin in it;
    four where another rehearsal follows them without XLA.
    """
    clock = [1000.0]
    monkeypatch.setattr(rehearse.time, "monotonic", lambda: clock[0])
    events, ends = [], []
    rehearsal = rehearse.Rehearsal(SimpleNamespace(write=lambda kind, **told: events.append(told)), {"budget": {}})
    monkeypatch.setattr(rehearsal, "_enough", ends.append)
    monkeypatch.setattr(rehearse, "accelerators", lambda: 0 if beside else 1)
    rehearsal.has_phases = rehearsal._jit_taken = True
    for number in (1, 2):
        model = net()
        model.jit_compile = True
        if number == 2:
            rehearsal._grace_ends = None if grace is None else clock[0] + grace
        rehearsal.begins({**FIT, "call": number}, "fit", model)
        assert model.jit_compile is not (enough and number == 2), "the last step is not compiled"
        rehearsal.stepped(rehearsal.frame)
        rehearsal.result("fit", None, rehearsal.ends())
        clock[0] += apart
    assert [e["repeats"] for e in events if "repeats" in e] == [2]
    assert ends == (["repeats"] if enough else [])
    assert (rehearsal.budget.call, rehearsal.budget.total) == ((5.0, 15.0) if beside else (20.0, 60.0))


PROGRAM = """
import time
import keras, numpy as np
x, y = np.ones((20, 4), "float32"), np.ones((20, 1), "float32")
for fold in range(3):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    model.fit(x, y, batch_size=8, verbose=0)
    time.sleep(15)
    model.predict(x, verbose=0)
    print("fold", fold, flush=True)
"""


@pytest.mark.slow
def test_a_loop_of_trainings(tmp_path):
    """Its second training is the first once more: its first batch is run, and no step is left to be looked at twice."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "train.py").write_text(PROGRAM)
    recording = run(
        (sys.executable, "train.py"),
        listing=overlay.look(tmp_path / "work"),
        folder=tmp_path / "run",
        environment={**os.environ, "PYTHONPATH": quick.path(os.environ.get("PYTHONPATH"))},
        timeout=300.0,
        until={"calls": ["fit", "predict"], "grace": 15.0, "seconds": 240.0},
        budget={},
    )
    events = list(recording.of_kind(schema.REHEARSAL))
    assert [e["stopped"] for e in events if e.get("stopped")] == ["repeats"], events
    phases = {e["phase"]["call"]: e["phase"]["complete"] for e in events if e.get("phase")}
    assert phases == {1: True, 2: True} and [e["repeats"] for e in events if e.get("repeats")] == [3]
    assert (recording.folder / "stdout.log").read_text().split() == ["fold", "0"]
