"""Labels that the last layer of a model cannot reach, without Keras: what counts is what the layer says of itself."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes.record.reach import out_of_reach

RNG = np.random.default_rng(0)
SPREAD = RNG.normal(size=(400, 1)).astype("float32")
RAIN = np.maximum(SPREAD, 0) * 9 + RNG.normal(0, 0.2, SPREAD.shape)


class Dense:
    """Says which activation it has."""

    name, units = "dense_2", 1

    def __init__(self, activation: str) -> None:
        self.activation = SimpleNamespace(__name__=activation)


def model(activation: str, loss: object = "mse", outputs: int = 1) -> SimpleNamespace:
    output = SimpleNamespace(_keras_history=SimpleNamespace(operation=Dense(activation)))
    return SimpleNamespace(outputs=[output] * outputs, loss=loss)


@pytest.mark.parametrize(
    ("activation", "labels"),
    [("relu", SPREAD), ("softplus", SPREAD), ("tanh", SPREAD), ("sigmoid", 20 + 3 * SPREAD), ("relu6", 30 + SPREAD)],
)
def test_labels_beyond_the_ends(activation, labels):
    found = out_of_reach(model(activation), labels)
    assert found is not None and (found["layer"], found["cls"], found["activation"]) == ("dense_2", "Dense", activation)
    assert found["rows"][0] >= 100 and found["rows"][1] == 400


@pytest.mark.parametrize(
    ("activation", "labels"),
    [
        ("linear", SPREAD),
        ("relu", abs(SPREAD)),
        ("relu", RAIN),  # noise about 0
        ("sigmoid", RNG.uniform(size=400)),
        ("tanh", SPREAD / abs(SPREAD).max()),
        ("tanh", np.sign(SPREAD)),
    ],
)
def test_labels_that_it_can_give(activation, labels):
    assert out_of_reach(model(activation), labels) is None


def test_losses_that_are_no_distances_and_models_that_say_nothing():
    assert out_of_reach(model("relu", "hinge"), SPREAD) is None
    assert out_of_reach(model("relu", lambda y, p: 0.0), SPREAD) is None
    assert out_of_reach(model("relu", outputs=2), SPREAD) is None
    assert out_of_reach(SimpleNamespace(loss="mse"), SPREAD) is None and out_of_reach(model("relu"), [1.0]) is None
