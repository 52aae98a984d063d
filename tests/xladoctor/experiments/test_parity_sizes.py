"""At which sizes ways are compared, and of which of them is told."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from xladoctor.experiments import parity
from xladoctor.model.replay import Agreement, Case, Parity


class _Bench:
    tries = 0
    subject = SimpleNamespace(kind="capsule")

    def say(self, text: str) -> None:
        """Nobody looks."""


@pytest.fixture
def over(monkeypatch):
    """`over(deviations, ...)` -> (what is told, the sizes that were compared); the tolerance is 1 at every size."""

    def run(deviations: Mapping[int, float], worst: int | None = None, every: bool = False) -> tuple[Parity, list[int]]:
        compared: list[int] = []

        def one(bench: object, case: Case, others: object) -> Parity:
            assert case.batch is not None
            compared.append(case.batch)
            found = deviations[case.batch]
            shapes = ([case.batch], [case.batch])
            agreement = Agreement("y", ("plain", "xla"), found <= 1, shapes, deviation=found, tolerance=1.0)
            return Parity(("plain", "xla"), (agreement,), batch=case.batch, tries=2)

        monkeypatch.setattr(parity, "parity", one)
        told = parity.over_sizes(
            _Bench(),  # type: ignore[arg-type]
            [Case(size) for size in deviations],
            None if worst is None else Case(worst),
            every,
        )
        return told, compared

    return run


def test_three_sizes_tell_most(over):
    told, compared = over({1: 0.9, 2: 0.1, 31: 0.2, 32: 0.3, 40: 0.1})
    assert compared == [40, 32, 2]
    assert (told.batch, told.tries, told.not_comparable) == (32, 6, ("compared at batch sizes 2, 32, 40",))


def test_every_size_if_so_asked_and_the_one_nearest_to_its_tolerance_is_told(over):
    told, compared = over({1: 0.1, 2: 0.1, 3: 0.9, 4: 0.1, 8: 0.2}, every=True)
    assert compared == [8, 4, 3, 2, 1]
    assert (told.batch, told.not_comparable) == (3, ("compared at batch sizes 1:4, 8",))


def test_what_disagrees_ends_it_and_is_told(over):
    told, compared = over({1: 0.1, 2: 1.5, 3: 0.9, 4: 0.1}, every=True)
    assert compared == [4, 3, 2]
    assert told.batch == 2


def test_a_case_that_shows_something_wrong_is_the_only_one(over):
    told, compared = over({1: 0.1, 2: 0.9, 3: 1.5}, worst=2)
    assert (told.batch, compared, told.not_comparable) == (2, [2], ())
