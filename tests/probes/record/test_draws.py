"""Which draws and seeds are noted, and that nothing of ours stays behind."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from probes import compat, compat_graph
from probes.record import draws
from probes.record.guard import Guard


class Sink:
    def __init__(self):
        self.events = []

    def write(self, kind, **facts):
        self.events.append((kind, facts))


class Finder:
    def when_imported(self, module, hook):
        hook(None)


class Value(np.ndarray):
    def numpy(self):
        return np.asarray(self)


def value(*numbers):
    return np.array(numbers, np.uint64).view(Value)


@pytest.fixture
def drawing(monkeypatch):
    module = SimpleNamespace(stateless_random_uniform_v2=lambda shape, **_: np.zeros(shape))
    original = module.stateless_random_uniform_v2
    context = type("Context", (), {"_set_global_seed": lambda self, seed: None})
    monkeypatch.setattr(compat_graph, "stateless_draws_module", lambda: module)
    monkeypatch.setattr(compat, "context_class", lambda: context)
    eager = SimpleNamespace(executing_eagerly=lambda: True)
    monkeypatch.setitem(sys.modules, "tensorflow", eager)
    recorder = draws.DrawRecorder(Guard(Sink()), Finder())
    return SimpleNamespace(
        module=module, original=original, context=context, eager=eager, events=recorder.guard.sink.events
    )


def draw(drawing, key):
    drawing.module.stateless_random_uniform_v2([2], key=value(key), counter=value(0, 5))


def test_a_key_is_noted_once_and_no_number_drawn_from_it(drawing):
    for key in (7, 7, 8):
        draw(drawing, key)
    kind, facts = drawing.events[0]
    assert (kind, facts["key"], facts["counter"], facts["shape"]) == ("draw", ["7"], ["0", "5"], [2])
    assert [facts["key"] for _, facts in drawing.events] == [["7"], ["8"]]
    assert set(facts) == {"op", "key", "counter", "shape", "where"}


def test_draws_within_a_graph_are_not_and_after_so_many_none(drawing):
    drawing.eager.executing_eagerly = lambda: False
    draw(drawing, 1)
    assert drawing.events == []
    drawing.eager.executing_eagerly = lambda: True
    for key in range(draws.MAX_DRAWS + 3):
        draw(drawing, key)
    assert len(drawing.events) == draws.MAX_DRAWS
    assert drawing.module.stateless_random_uniform_v2 is drawing.original


def test_seeds(drawing):
    for seed in (3, None, 3, *range(draws.MAX_SEEDS)):
        drawing.context()._set_global_seed(seed)
    assert [facts["seed"] for _, facts in drawing.events][:2] == ["3", "3"]
    assert len(drawing.events) <= draws.MAX_SEEDS
