"""The layers of a program that trains by steps of its own are watched, and show it in no traceback."""

from __future__ import annotations

import sys
import traceback
from types import ModuleType, SimpleNamespace

from probes import compat
from probes.record.frames import HIDDEN
from probes.record.step_rows import StepRows


class Layer:
    def __init__(self, act):
        self.act = act

    def __call__(self, x):
        return self.act(x)


def test_a_layer_within_a_layer_that_fails(monkeypatch):
    module, name = compat.KERAS_LAYER_CLASSES[0]
    fake = ModuleType(module)
    setattr(fake, name, Layer)
    monkeypatch.setitem(sys.modules, module, fake)
    looked = []
    guard = SimpleNamespace(
        busy=False, run=lambda what, *_: looked.append(what),
        hooks=SimpleNamespace(put=lambda cls, name, to: monkeypatch.setattr(cls, name, to)),
    )  # fmt: skip
    given = SimpleNamespace()
    rows = StepRows(given, guard)
    given.of_program()
    outer = Layer(Layer(lambda x: x / 0))
    try:
        outer(1.0)
    except ZeroDivisionError as error:
        files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    assert len(files) == 4 and HIDDEN not in files and not rows._inside
    assert Layer(Layer(lambda x: x + 1))(1.0) == 2.0 and looked == ["layer rows"]
