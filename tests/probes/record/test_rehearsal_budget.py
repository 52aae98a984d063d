import pytest

from probes.record import rehearsal_budget as budget
from probes.record.novelty import Novelty
from probes.record.rehearsal_budget import Budget

np = pytest.importorskip("numpy")


@pytest.fixture
def machine(monkeypatch):
    """`machine(wall, processor)` moves both clocks on."""
    clocks = [0.0, 0.0]
    monkeypatch.setattr(budget.time, "monotonic", lambda: clocks[0])
    monkeypatch.setattr(budget.time, "process_time", lambda: clocks[1])

    def moved(wall, processor):
        clocks[0] += wall
        clocks[1] += processor

    return moved


def step(clock, machine, wall, processor):
    clock.begins()
    machine(wall, processor)
    clock.stepped()


def test_the_first_batch_is_not_counted_and_a_busy_machine_has_three_times_as_long(machine):
    clock = Budget(call=20.0, total=60.0).clock()
    step(clock, machine, 500.0, 500.0)
    assert not clock.over, "it was traced and compiled"
    step(clock, machine, 40.0, 5.0)
    assert not clock.over
    step(clock, machine, 20.0, 5.0)
    assert clock.over and clock.more(10.0)
    machine(10.0, 40.0)
    assert not clock.more(10.0)


def test_all_calls_share_one_total(machine):
    whole = Budget(call=20.0, total=30.0)
    for _ in range(2):
        clock = whole.clock()
        for _ in range(2):
            step(clock, machine, 15.0, 15.0)
    assert clock.over


def test_what_is_new_in_a_batch():
    new = Novelty().of
    assert new((np.arange(8), np.ones((8, 2))))
    assert not new((np.arange(8), np.ones((8, 2))))
    assert new((np.arange(1, 9), np.ones((8, 2)))), "an index beyond all before"
    assert not new((np.arange(7, -1, -1), np.ones((8, 2))))
    assert new((np.arange(5), np.ones((5, 2)))), "a partial batch"
    assert new((np.arange(8), np.full((8, 2), np.nan)))
    assert not new((np.arange(8), np.full((8, 2), np.nan)))
    assert new((np.arange(8), np.full((8, 2), -1.0)))
