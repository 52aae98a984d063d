"""What is kept of a first call, and that nothing of ours stays behind."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from probes import compat, compat_graph, schema
from probes.record import first_calls
from probes.record.capsule import overhead
from probes.record.first_calls import FirstCalls
from probes.record.guard import Guard

FLOAT = SimpleNamespace(name="float32")


class Tensor(np.ndarray):
    """Stands for an eager tensor: it can be referred to weakly."""


class Concrete:
    """Stands for a `ConcreteFunction`."""

    def __init__(self, inputs=1, error=None):
        self.graph = SimpleNamespace(inputs=[SimpleNamespace(dtype=FLOAT)] * inputs, get_operations=list)
        self.error = error
        self.calls = 0

    def _call_flat(self, tensor_inputs, captured_inputs):
        self.calls += 1
        if self.error:
            raise self.error
        return [t.sum() for t in tensor_inputs]


class Sink:
    def __init__(self):
        self.events = []

    def write(self, kind, **facts):
        self.events.append((kind, facts))


class Shelf:
    """Takes what it is given as a real one does, without a folder."""

    def __init__(self):
        self.sizes = []

    def add_values(self, name, size, write, *, needed):
        self.sizes.append(size)
        return True


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.setattr(compat, "must_compile", lambda concrete: True)
    monkeypatch.setattr(compat_graph, "compiles_within", lambda concrete: False)
    monkeypatch.setattr(compat_graph, "auto_clusters", lambda: False)
    monkeypatch.setitem(sys.modules, "tensorflow", SimpleNamespace(executing_eagerly=lambda: True))
    return FirstCalls(Guard(Sink()), Shelf())


def tensor(n=4):
    return np.ones(n, np.float32).view(Tensor)


def notes(recorder):
    return [(facts["kept"], facts["why"]) for kind, facts in recorder.guard.sink.events if kind == "first-call"]


def expect(recorder, concrete):
    recorder.expect(Path("capsules/1-1-f"), concrete)
    return concrete


def call(recorder, size=4):
    concrete = expect(recorder, Concrete())
    concrete._call_flat([tensor(size)], [])


def test_calls_are_kept_ever_more_seldom_and_then_the_function_is_as_it_was(recorder):
    concrete = expect(recorder, Concrete())
    assert "_call_flat" in vars(concrete)
    for _ in range(schema.LATER_CALLS[-1]):
        assert concrete._call_flat([tensor()], captured_inputs=[]) == [4.0]
    assert "_call_flat" not in vars(concrete)
    concrete._call_flat([tensor()], captured_inputs=[])
    assert (notes(recorder), concrete.calls) == ([(True, None)], schema.LATER_CALLS[-1] + 1)
    assert tuple(facts["call"] for kind, facts in recorder.guard.sink.events if kind == "later-call") == (
        schema.LATER_CALLS
    )


def test_later_calls_leave_room_for_first_ones(recorder, monkeypatch):
    monkeypatch.setattr(first_calls, "MAX_BYTES", 50)
    concrete = expect(recorder, Concrete())
    for _ in range(4):
        concrete._call_flat([tensor()], [])
    assert "_call_flat" not in vars(concrete)
    call(recorder)
    assert notes(recorder) == [(True, None), (True, None)]
    assert len(recorder.shelf.sizes) == 2


def test_nothing_is_kept_alive(recorder):
    concrete = expect(recorder, Concrete())
    given = tensor()
    concrete._call_flat([given], [])
    references = [weakref.ref(given), weakref.ref(concrete)]
    concrete._call_flat([given], [])
    never_called = weakref.ref(expect(recorder, Concrete()))
    del given, concrete
    assert [r() for r in references] == [None, None]
    assert never_called() is None
    assert not [o for o in gc.get_objects() if isinstance(o, Tensor)]


def test_a_call_that_fails_fails_as_it_would(recorder):
    concrete = expect(recorder, Concrete(error=ValueError("its own")))
    with pytest.raises(ValueError, match="its own"):
        concrete._call_flat([tensor()], [])
    assert (recorder.guard.sink.events, recorder.shelf.sizes) == ([], [])


def test_sizes_are_looked_at_before_anything_is_copied(recorder, monkeypatch):
    monkeypatch.setattr(first_calls, "_copied", lambda *_: pytest.fail("it was copied"))
    monkeypatch.setattr(first_calls, "MAX_BYTES", 100)
    call(recorder, 26)
    assert notes(recorder) == [(False, "its values take 104 bytes, and 100 are left")]


def test_the_bound_is_for_all_functions_together(recorder, monkeypatch):
    monkeypatch.setattr(first_calls, "MAX_BYTES", 100)
    for _ in range(2):
        call(recorder, 20)
    assert [kept for kept, _ in notes(recorder)] == [True, False]


def test_so_is_the_time(recorder, monkeypatch):
    ticks = iter(range(100))
    monkeypatch.setattr(first_calls, "_clock", lambda: next(ticks) * 0.3)
    for _ in range(2):
        call(recorder)
    assert [kept for kept, _ in notes(recorder)] == [True, False]
    assert "0.5 s" in notes(recorder)[1][1]


def test_what_needs_longer_than_is_left_is_not_begun(recorder, monkeypatch):
    monkeypatch.setattr(first_calls, "_RATE", 10.0)
    call(recorder)
    assert [kept for kept, _ in notes(recorder)] == [False]


def test_a_call_within_a_graph_is_not_the_first(recorder, monkeypatch):
    concrete = expect(recorder, Concrete())
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["tensorflow"], "executing_eagerly", lambda: False)
        concrete._call_flat([tensor()], [])
    assert notes(recorder) == []
    concrete._call_flat([tensor()], [])
    assert (notes(recorder), concrete.calls) == ([(True, None)], 2)


def test_what_xla_does_not_compile_is_left_alone(recorder, monkeypatch):
    monkeypatch.setattr(compat, "must_compile", lambda concrete: False)
    assert "_call_flat" not in vars(expect(recorder, Concrete()))


def stepping(recorder, *shapes):
    """A Keras step: it takes an iterator that yields these shapes."""
    concrete = Concrete()
    concrete.graph.inputs = [SimpleNamespace(dtype=SimpleNamespace(name="resource"), _handle_data=None)]
    outputs = [SimpleNamespace(shape=list(shape)) for shape in shapes]
    concrete.graph.get_operations = lambda: [SimpleNamespace(type="IteratorGetNext", outputs=outputs)]
    expect(recorder, concrete)._call_flat([tensor()], [])


@pytest.mark.parametrize(
    ("data", "shape", "why"),
    [
        (None, (None, 2), "no arrays are known"),
        ([np.zeros((9, 2))] * 2, (None, 2), "gives 1 tensors, and the call was given 2 arrays"),
        ([np.zeros(9)], (None, 1), "another rank"),
        ([np.zeros((9, 2), "f")], (None, 2), None),
        ([np.zeros((9, 2), "f")], (4, 2), None),
    ],
)
def test_the_batch_of_a_keras_step_is_made_of_its_arrays(recorder, monkeypatch, data, shape, why):
    copied = []
    monkeypatch.setattr(recorder, "_batch", lambda: None if data is None else first_calls.Batch(data, 5))
    monkeypatch.setattr(first_calls, "_copied", lambda given, batch: copied.extend(batch) or {})
    stepping(recorder, shape)
    [(kept, told)] = notes(recorder)
    assert (kept, [len(a) for a in copied]) == (why is None, [] if why else [shape[0] or 5])
    assert (why or "") in (told or "")


@pytest.mark.parametrize("room", [100, 20])
def test_with_auto_clustering_the_results_of_one_call_are_kept_as_far_as_they_fit(recorder, monkeypatch, room):
    monkeypatch.setattr(compat, "must_compile", lambda concrete: False)
    monkeypatch.setattr(compat_graph, "auto_clusters", lambda: True)
    monkeypatch.setattr(compat_graph, "flat_tensors", lambda value: [tensor(8)])
    monkeypatch.setattr(first_calls, "MAX_BYTES", room)
    monkeypatch.setattr(compat, "bytes_of", lambda value: value.nbytes)
    concrete = expect(recorder, Concrete())
    for _ in range(2):
        concrete._call_flat([tensor()], [])
    assert recorder.shelf.sizes == [overhead(n) + size for n, size in ([(2, 48)] if room == 100 else [(1, 16)])]
    assert "_call_flat" not in vars(concrete)
